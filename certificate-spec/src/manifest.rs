//! MANIFEST of a certificate: the closed list of its objects (`SPEC.md` §5).

use crate::claim::Question;
use crate::reader::{REMAKE, Reader};
use crate::{Digest, WireError, wire};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The bytes that the MANIFEST of a certificate begins with.
pub const MAGIC: &[u8; 8] = b"DPCERT\0\0";
/// The most objects of a certificate.
pub const MOST_OBJECTS: u64 = 1 << 20;
/// The number of first bytes of MANIFEST that say how long it can be, if it has that many.
pub const START: usize = wire::HEAD + 10 + 32 + 10;
/// The number of bytes of a record, at least and at most.
const RECORD: RangeInclusive<u64> = 37..=64;

/// The kind of an object's contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// Nodes of the proof tree ([`crate::nodes`]).
    Nodes = 0,
    /// Strategies of leaves ([`crate::leaves`]).
    Leaves = 1,
    /// The provenance of a question: how it was answered ([`crate::provenance`]).
    Provenance = 2,
}

/// One object: a range of the nodes or leaves of one question, or its provenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// The kind of its contents.
    pub kind: Kind,
    /// The question that it belongs to.
    pub question: Question,
    /// The number of its first node or leaf.
    pub first: u64,
    /// The number of nodes or leaves that it holds, at least 1; 1 for a provenance.
    pub count: u64,
    /// Its length in bytes.
    pub length: u64,
    /// BLAKE3 of its bytes.
    pub digest: Digest,
}

/// The closed list of objects, bound to CLAIM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Length of CLAIM in bytes.
    pub claim_length: u64,
    /// BLAKE3 of CLAIM.
    pub claim_digest: Digest,
    /// The objects, sorted by (kind, question, first).
    pub objects: Vec<Object>,
}

/// Reads the fields before the records: the length and digest of CLAIM, and the number of records.
fn read_start(r: &mut Reader<'_>, length: u64) -> Result<(u64, Digest, usize), WireError> {
    r.head(MAGIC, REMAKE)?;
    let claim_length = r.postcard("the length of CLAIM")?;
    Ok((claim_length, Digest(r.array()?), r.count(MOST_OBJECTS, RECORD, length)?))
}

impl Manifest {
    /// Judges the first bytes of a MANIFEST of `length` bytes ([`START`] of them, or all), before
    /// any more of it is read: magic, version, and whether the stated number of records is possible
    /// for that length.
    ///
    /// # Errors
    /// As for [`Manifest::decode`].
    pub fn judge_start(bytes: &[u8], length: u64) -> Result<(), WireError> {
        read_start(&mut Reader::new(bytes), length).map(|_| ())
    }

    /// Reads MANIFEST, and checks the order of its records and that their ranges have no gap.
    ///
    /// # Errors
    /// [`WireError`] with the offset of the first error.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut r = Reader::new(bytes);
        let (claim_length, claim_digest, records) = read_start(&mut r, bytes.len() as u64)?;
        let mut objects: Vec<Object> = Vec::with_capacity(records);
        for _ in 0..records {
            let offset = r.offset();
            let object: Object = r.postcard("a record of an object")?;
            // The number that `first` must be: the end of the range before, if this object
            // continues it.
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
                return Err(WireError::syntax(offset, format!("first {go_on}"), object.first));
            }
            let one = object.kind == Kind::Provenance;
            let is_countable = object.count > 0 && object.first.checked_add(object.count).is_some();
            if !is_countable || one && object.first + object.count != 1 {
                let want = if one { "one provenance" } else { "a count of at least 1" };
                return Err(WireError::syntax(offset, want, object.count));
            }
            objects.push(object);
        }
        r.end()?;
        Ok(Manifest { claim_length, claim_digest, objects })
    }

    /// The offset of the record of object `i`.
    pub fn offset(&self, i: usize) -> u64 {
        // Records follow one another, so the part before a record has the same length without the
        // rest.
        let before = self.objects.get(..i).unwrap_or(&self.objects);
        let mut out = wire::head(MAGIC);
        wire::append(&mut out, &self.claim_length);
        out.extend(self.claim_digest.0);
        wire::append(&mut out, &(self.objects.len() as u64));
        before.iter().for_each(|object| wire::append(&mut out, object));
        out.len() as u64
    }
}
