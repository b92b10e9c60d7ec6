//! Small structured parts written by hand (`SPEC.md` §3.1), so that they can be wrong in ways that
//! an encoder does not produce.

use crate::prelude::*;
use certificate_spec::RULES;
use certificate_spec::cover::Clause;

/// A varint: seven bits a byte, the lowest first, all bytes but the last with their highest bit
/// set.
pub fn varint(number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    bytes.push(rest.to_le_bytes()[0]);
    bytes
}

/// A varint with one byte more than the number needs.
pub fn padded(number: u64) -> Vec<u8> {
    pad(&varint(number), varint(number).len() - 1)
}

/// Bytes in which the byte at `at`, which must be the last of a varint, is followed by a byte that
/// adds nothing to the number.
pub fn pad(bytes: &[u8], at: usize) -> Vec<u8> {
    [&bytes[..at], &[bytes[at] | 0x80, 0], &bytes[at + 1..]].concat()
}

/// The number that bytes begin with, and how many bytes it takes; `None` if they do not hold one.
pub fn read_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let last = bytes.iter().take(10).position(|byte| byte & 0x80 == 0)?;
    let parts = bytes[..=last].iter().rev();
    let number = parts.fold(0u64, |number, byte| number << 7 | u64::from(byte & 0x7f));
    Some((number, last + 1))
}

/// Bytes or characters, preceded by their number.
pub fn counted(bytes: &[u8]) -> Vec<u8> {
    [&varint(bytes.len() as u64), bytes].concat()
}

/// The head of an object after magic and version.
pub fn object_head(head: &ObjectHead) -> Vec<u8> {
    [varint(head.question as u64), varint(head.first), varint(head.count)].concat()
}

/// The clauses of a cover, canonical or not, each N and M.
pub fn clauses(all: &[(u8, u8)]) -> Vec<u8> {
    let each = all.iter().flat_map(|&(pieces, side)| [pieces, side]);
    varint(all.len() as u64).into_iter().chain(each).collect()
}

/// The clauses of a cover as pairs.
pub fn pairs(cover: &Cover) -> Vec<(u8, u8)> {
    cover.clauses().iter().map(|&Clause { pieces, side }| (pieces, side)).collect()
}

/// The fields of a database's MANIFEST between the version and the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseHead {
    /// The rules id.
    pub rules: String,
    /// The numbers of rows and columns of the board.
    pub board: (u8, u8),
    /// The clauses, each N and M.
    pub clauses: Vec<(u8, u8)>,
    /// The number of records that the head announces.
    pub records: u64,
}

impl DatabaseHead {
    pub fn of(manifest: &DatabaseManifest) -> Self {
        DatabaseHead {
            rules: RULES.into(),
            board: (manifest.rows, manifest.columns),
            clauses: pairs(&manifest.cover),
            records: manifest.slices.len() as u64,
        }
    }

    /// The bytes between the version and the records.
    pub fn bytes(&self) -> Vec<u8> {
        let (rows, columns) = self.board;
        [
            &counted(self.rules.as_bytes())[..],
            &[rows, columns],
            &clauses(&self.clauses),
            &varint(self.records),
        ]
        .concat()
    }

    /// The bytes of a manifest with this head in place of its own.
    pub fn replace_in(&self, manifest: &DatabaseManifest) -> Vec<u8> {
        let bytes = manifest.encode();
        let old = HEAD + DatabaseHead::of(manifest).bytes().len();
        [&bytes[..HEAD], &self.bytes(), &bytes[old..]].concat()
    }
}

/// The coding of a slice's values, right or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// All quiet positions have the value with this number.
    Constant(u64),
    /// The numbers of contexts and of units that follow.
    Units(u64, u64),
    /// The number of a coding that does not exist.
    Unknown(u64),
}

/// The fields of a slice file between the version and the checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceStart {
    /// The rules id.
    pub rules: Vec<u8>,
    /// The numbers of rows and columns of the board.
    pub board: (u8, u8),
    pub name: SliceName,
    pub indices: u64,
    pub coding: Coding,
}

impl SliceStart {
    /// Reads the beginning of a file; also returns the offset of its end. `None` if it cannot be
    /// read.
    pub fn read(bytes: &[u8]) -> Option<(Self, usize)> {
        let mut rest = bytes.get(HEAD..)?;
        let number = |rest: &mut &[u8]| {
            let (number, length) = read_varint(rest)?;
            *rest = &rest[length..];
            Some(number)
        };
        let length = usize::try_from(number(&mut rest)?).ok()?;
        let (rules, mut rest) = rest.split_at_checked(length)?;
        let (fixed, after) = rest.split_first_chunk::<6>()?;
        let &[rows, columns, a, b, c, d] = fixed;
        rest = after;
        let indices = number(&mut rest)?;
        let coding = match number(&mut rest)? {
            0 => Coding::Constant(number(&mut rest)?),
            1 => Coding::Units(number(&mut rest)?, number(&mut rest)?),
            other => Coding::Unknown(other),
        };
        let name = SliceName([a, b, c, d]);
        let start =
            SliceStart { rules: rules.to_vec(), board: (rows, columns), name, indices, coding };
        Some((start, bytes.len() - rest.len()))
    }

    /// The bytes between the version and the checksum.
    pub fn bytes(&self) -> Vec<u8> {
        let coding = match self.coding {
            Coding::Constant(value) => [varint(0), varint(value)].concat(),
            Coding::Units(contexts, units) => [varint(1), varint(contexts), varint(units)].concat(),
            Coding::Unknown(number) => varint(number),
        };
        let (rows, columns) = self.board;
        [&counted(&self.rules)[..], &[rows, columns], &self.name.0, &varint(self.indices), &coding]
            .concat()
    }
}
