//! MANIFEST of an endgame database (`SPEC.md` §8.4).

use crate::cover::Cover;
use crate::reader::{REBUILD, Reader};
use crate::{Digest, RULES, WireError, wire};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

const MAGIC: &[u8; 8] = b"DPEGDB\0\0";
/// The most slices of a database, more than any board has.
const MOST_SLICES: u64 = 1 << 16;
/// The bytes within which all that comes before the records ends; it says how long MANIFEST can be.
pub const START: usize = 256;
/// The number of bytes of a record, at least and at most.
const RECORD: RangeInclusive<u64> = 37..=46;

/// The name of a slice: the numbers of men and kings of the side to move, then of its opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SliceName(pub [u8; 4]);

impl SliceName {
    /// The number of pieces of both sides.
    pub fn pieces(self) -> u32 {
        self.0.iter().map(|&n| u32::from(n)).sum()
    }

    /// The key by which slices are sorted (`SPEC.md` §8.1).
    pub fn order(self) -> (u32, u32, [u8; 4]) {
        let [a, _, c, _] = self.0;
        (self.pieces(), u32::from(a) + u32::from(c), self.0)
    }

    /// The group of a slice: the numbers of its pieces and of its men.
    pub fn group(self) -> (u32, u32) {
        (self.order().0, self.order().1)
    }

    /// The slice of the same positions from the opponent's view.
    pub fn twin(self) -> SliceName {
        let [a, b, c, d] = self.0;
        SliceName([c, d, a, b])
    }

    /// The name of the slice's file.
    pub fn file_name(self) -> String {
        let [a, b, c, d] = self.0;
        format!("{a}-{b}-{c}-{d}")
    }
}

impl Cover {
    /// Whether the cover admits the positions of a slice.
    pub fn admits_slice(&self, slice: SliceName) -> bool {
        let [a, b, c, d] = slice.0.map(u32::from);
        self.admits(a + b, c + d)
    }
}

/// A record of the list of slice files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceRecord {
    /// The name of the slice.
    pub name: SliceName,
    /// Length of its file in bytes.
    pub length: u64,
    /// BLAKE3 of its file.
    pub digest: Digest,
}

/// MANIFEST of a database, of the rules [`RULES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseManifest {
    /// The number of rows of the board.
    pub rows: u8,
    /// The number of columns of the board.
    pub columns: u8,
    /// The positions in the database.
    pub cover: Cover,
    /// The records of the slices, in order.
    pub slices: Vec<SliceRecord>,
}

/// The fields before the records.
#[derive(Serialize, Deserialize)]
struct Head {
    #[serde(deserialize_with = "wire::text")]
    rules: String,
    rows: u8,
    columns: u8,
    cover: Cover,
}

impl Head {
    fn read(r: &mut Reader<'_>, length: u64) -> Result<(Head, usize), WireError> {
        r.head(MAGIC, REBUILD)?;
        let offset = r.offset();
        let head: Head = r.postcard("rules, rows, columns and cover of a database")?;
        if head.rules != RULES {
            return Err(WireError::rules(offset, &head.rules));
        }
        let records = r.count(MOST_SLICES, RECORD, length)?;
        Ok((head, records))
    }
}

impl DatabaseManifest {
    /// The bytes of MANIFEST.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = wire::head(MAGIC);
        let (rules, cover) = (RULES.to_string(), self.cover.clone());
        wire::append(&mut out, &Head { rules, rows: self.rows, columns: self.columns, cover });
        wire::append(&mut out, &self.slices);
        out
    }

    /// Judges the first bytes of a MANIFEST of `length` bytes ([`START`] of them, or all), before
    /// any more of it is read: magic, version, rules, and whether the stated number of slices is
    /// possible for that length.
    ///
    /// # Errors
    /// As for [`DatabaseManifest::decode`].
    pub fn judge_start(bytes: &[u8], length: u64) -> Result<(), WireError> {
        Head::read(&mut Reader::new(bytes), length).map(|_| ())
    }

    /// Reads MANIFEST. Checks that the records are in order and covered; whether a slice is missing
    /// is for a reader that knows the board.
    ///
    /// # Errors
    /// [`WireError`] with the offset of the first error.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        // The first bytes are judged as by a reader that has not read the rest yet.
        Self::judge_start(&bytes[..bytes.len().min(START)], bytes.len() as u64)?;
        let mut r = Reader::new(bytes);
        let (Head { rows, columns, cover, .. }, records) = Head::read(&mut r, bytes.len() as u64)?;
        let mut slices: Vec<SliceRecord> = Vec::with_capacity(records);
        for _ in 0..records {
            let offset = r.offset();
            let slice: SliceRecord = r.postcard("a record of a slice")?;
            let name = slice.name;
            let ascends = slices.last().is_none_or(|p| p.name.order() < name.order());
            if !ascends || !cover.admits_slice(name) {
                let want = format!("the next slice in order, within the cover {cover}");
                return Err(WireError::syntax(offset, want, name.file_name()));
            }
            slices.push(slice);
        }
        r.end()?;
        Ok(DatabaseManifest { rows, columns, cover, slices })
    }

    /// The offset of the record of slice `i`, or of where it would be.
    pub fn offset(&self, i: usize) -> u64 {
        let before = self.slices.get(..i).unwrap_or(&self.slices);
        let mut out = DatabaseManifest { slices: Vec::new(), ..self.clone() }.encode();
        out.pop();
        wire::append(&mut out, &(self.slices.len() as u64));
        before.iter().for_each(|slice| wire::append(&mut out, slice));
        out.len() as u64
    }

    /// The manifest of the same database without the slices that `cover` does not admit.
    pub fn restricted_to(&self, cover: &Cover) -> DatabaseManifest {
        let fits = |s: &&SliceRecord| cover.admits_slice(s.name);
        DatabaseManifest {
            cover: cover.clone(),
            slices: self.slices.iter().filter(fits).copied().collect(),
            ..*self
        }
    }

    /// The root of the database.
    pub fn root(&self) -> Digest {
        Digest::database_root(&self.encode())
    }
}
