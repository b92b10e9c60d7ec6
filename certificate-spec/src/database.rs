//! MANIFEST of an endgame database (`SPEC.md` §8.4).

use crate::reader::Reader;
use crate::{Digest, VERSION, WireError};

const MAGIC: &[u8; 8] = b"DPEGDB\0\0";
/// Bytes of the header of MANIFEST.
pub const HEADER: usize = 32;
/// Bytes of a record of MANIFEST.
pub const RECORD: usize = 48;

/// A slice: men and kings of the side to move, men and kings of its opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SliceName(pub [u8; 4]);

impl SliceName {
    /// The number of pieces of both sides.
    pub fn pieces(self) -> u32 {
        self.0.iter().map(|&n| u32::from(n)).sum()
    }

    /// What slices are sorted by (`SPEC.md` §8.1).
    pub fn order(self) -> (u32, u32, [u8; 4]) {
        let [a, _, c, _] = self.0;
        (self.pieces(), u32::from(a) + u32::from(c), self.0)
    }

    /// The group of a slice: how many pieces and how many men it has.
    pub fn group(self) -> (u32, u32) {
        (self.order().0, self.order().1)
    }

    /// The slice of the same positions as their opponent sees them.
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

/// A slice file in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceRecord {
    /// Which slice.
    pub name: SliceName,
    /// Length of its file in bytes.
    pub length: u64,
    /// BLAKE3 of its file.
    pub digest: Digest,
}

/// MANIFEST of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseManifest {
    /// Rows of the board.
    pub rows: u8,
    /// Columns of the board.
    pub columns: u8,
    /// All positions with at most this many pieces are in the database.
    pub pieces: u8,
    /// The slices in order.
    pub slices: Vec<SliceRecord>,
}

impl DatabaseManifest {
    /// The bytes of MANIFEST.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER + RECORD * self.slices.len());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([self.rows, self.columns, self.pieces, 0]);
        out.extend((self.slices.len() as u64).to_le_bytes());
        out.extend([0; 8]);
        for slice in &self.slices {
            out.extend(slice.name.0);
            out.extend([0; 4]);
            out.extend(slice.length.to_le_bytes());
            out.extend(slice.digest.0);
        }
        out
    }

    /// Reads MANIFEST. That the records are in order and have no more pieces than the header says
    /// is checked here; that none is missing is for a reader who knows the board.
    ///
    /// # Errors
    /// [`WireError`] with the offset of the first thing wrong.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut r = Reader::new(bytes);
        r.head(MAGIC, VERSION)?;
        let (rows, columns, pieces) = (r.u8()?, r.u8()?, r.u8()?);
        r.zeros(1)?;
        let count = r.u64()?;
        r.zeros(8)?;
        let count = r.exact_count(count, RECORD as u64)?;
        let mut slices: Vec<SliceRecord> = Vec::with_capacity(count);
        for _ in 0..count {
            let offset = r.offset();
            let name = SliceName(r.array()?);
            r.zeros(4)?;
            let slice = SliceRecord { name, length: r.u64()?, digest: Digest(r.array()?) };
            let ascends = slices.last().is_none_or(|p| p.name.order() < name.order());
            if !ascends || name.pieces() > u32::from(pieces) {
                let want = format!("the next slice in order, at most {pieces} pieces");
                return Err(WireError::syntax(offset, want, name.file_name()));
            }
            slices.push(slice);
        }
        Ok(DatabaseManifest { rows, columns, pieces, slices })
    }

    /// The manifest as it would be if the database ended at `pieces`.
    pub fn up_to(&self, pieces: u8) -> DatabaseManifest {
        let fits = |s: &&SliceRecord| s.name.pieces() <= u32::from(pieces);
        DatabaseManifest {
            pieces,
            slices: self.slices.iter().filter(fits).copied().collect(),
            ..*self
        }
    }

    /// The database's root.
    pub fn root(&self) -> Digest {
        Digest::database_root(&self.encode())
    }
}
