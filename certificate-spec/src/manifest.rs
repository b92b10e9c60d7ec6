//! MANIFEST of a certificate: the closed list of its objects (`SPEC.md` §5).

use crate::claim::Question;
use crate::reader::Reader;
use crate::{Digest, VERSION, WireError};
use std::fmt;

const MAGIC: &[u8; 8] = b"DPCERT\0\0";
/// Bytes of the MANIFEST's header.
pub const HEADER: usize = 64;
/// Bytes of a record of MANIFEST.
pub const RECORD: usize = 64;

/// What an object holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Nodes of the proof tree ([`crate::nodes`]).
    Nodes = 1,
    /// Strategies of leaves ([`crate::leaves`]).
    Leaves = 2,
    /// How the question was answered ([`crate::about`]).
    About = 3,
}

/// One object: a range of the nodes, leaves or lines of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object {
    /// What it holds.
    pub kind: Kind,
    /// For which question.
    pub question: Question,
    /// Number of its first node, leaf or line.
    pub first: u64,
    /// How many it holds, at least 1.
    pub count: u64,
    /// Its length in bytes.
    pub length: u64,
    /// BLAKE3 of its bytes.
    pub digest: Digest,
}

/// The whole list, bound to CLAIM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Length of CLAIM in bytes.
    pub claim_length: u64,
    /// BLAKE3 of CLAIM.
    pub claim_digest: Digest,
    /// The objects, by (kind, question, first).
    pub objects: Vec<Object>,
}

impl Manifest {
    /// The bytes of MANIFEST.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER + RECORD * self.objects.len());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([0; 4]);
        out.extend((self.objects.len() as u64).to_le_bytes());
        out.extend(self.claim_length.to_le_bytes());
        out.extend(self.claim_digest.0);
        for object in &self.objects {
            out.extend([object.kind as u8, object.question as u8, 0, 0, 0, 0, 0, 0]);
            out.extend(object.first.to_le_bytes());
            out.extend(object.count.to_le_bytes());
            out.extend(object.length.to_le_bytes());
            out.extend(object.digest.0);
        }
        out
    }

    /// Reads MANIFEST, and checks the order of its records and that their ranges have no gap.
    ///
    /// # Errors
    /// [`WireError`] with the offset of the first thing wrong.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut r = Reader::new(bytes);
        r.head(MAGIC, VERSION)?;
        r.zeros(4)?;
        let count = r.u64()?;
        let claim_length = r.u64()?;
        let claim_digest = Digest(r.array()?);
        let count = r.exact_count(count, RECORD as u64)?;
        let mut objects: Vec<Object> = Vec::with_capacity(count);
        for _ in 0..count {
            let offset = r.offset();
            let object = read_object(&mut r)?;
            // The number that `first` must be: the end of the range before, if this one goes on.
            let go_on = match objects.last() {
                None => 0,
                Some(p) if (p.kind, p.question) == (object.kind, object.question) => {
                    p.first + p.count
                }
                Some(p) if (p.kind, p.question) < (object.kind, object.question) => 0,
                Some(_) => {
                    let want = "ascending order of kind and question";
                    let found = format!("{:?} {:?}", object.kind, object.question);
                    return Err(WireError::syntax(offset, want, found));
                }
            };
            if object.first != go_on {
                let want = format!("first {go_on}");
                return Err(WireError::syntax(offset + 8, want, object.first));
            }
            if object.count == 0 || object.first.checked_add(object.count).is_none() {
                return Err(WireError::syntax(offset + 16, "a count of at least 1", object.count));
            }
            objects.push(object);
        }
        Ok(Manifest { claim_length, claim_digest, objects })
    }
}

fn read_object(r: &mut Reader<'_>) -> Result<Object, WireError> {
    let offset = r.offset();
    let kind = match r.u8()? {
        1 => Kind::Nodes,
        2 => Kind::Leaves,
        3 => Kind::About,
        other => return Err(WireError::syntax(offset, "kind 1 to 3", other)),
    };
    let question = read_question(r)?;
    r.zeros(6)?;
    Ok(Object {
        kind,
        question,
        first: r.u64()?,
        count: r.u64()?,
        length: r.u64()?,
        digest: Digest(r.array()?),
    })
}

fn read_question(r: &mut Reader<'_>) -> Result<Question, WireError> {
    let offset = r.offset();
    let number = r.u8()?;
    Question::from_u8(number).ok_or_else(|| WireError::syntax(offset, "question 0 to 3", number))
}

/// Bytes of the header of an object.
pub const OBJECT_HEADER: usize = 32;

/// The header that every object begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectHeader {
    /// The object's question.
    pub question: Question,
    /// Number of its first node or leaf.
    pub first: u64,
    /// How many it holds.
    pub count: u64,
}

/// For people.
impl fmt::Display for ObjectHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &ObjectHeader { question, first, count } = self;
        write!(f, "question {}, first {first}, count {count}", question as u8)
    }
}

impl ObjectHeader {
    pub(crate) fn encode(&self, magic: &[u8; 8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(OBJECT_HEADER);
        out.extend(magic);
        out.extend(VERSION.to_le_bytes());
        out.extend([self.question as u8, 0, 0, 0]);
        out.extend(self.first.to_le_bytes());
        out.extend(self.count.to_le_bytes());
        out
    }

    pub(crate) fn read(r: &mut Reader<'_>, magic: &[u8; 8]) -> Result<Self, WireError> {
        r.head(magic, VERSION)?;
        let question = read_question(r)?;
        r.zeros(3)?;
        Ok(ObjectHeader { question, first: r.u64()?, count: r.u64()? })
    }
}
