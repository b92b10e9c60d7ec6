//! Slice files (`SPEC.md` §8.3): the header, the contexts and the directory of units.

use crate::coding::{CONTEXTS, Frequencies, TOTAL};
use crate::database::SliceName;
use crate::reader::Reader;
use crate::{Digest, WireError};
use std::fmt;

const MAGIC: &[u8; 8] = b"DPSLICE\0";
/// The version of slice files that this crate reads and writes.
pub const SLICE_VERSION: u32 = 1;
/// Bytes of the header.
pub const HEADER: usize = 64;
/// The most positions of a unit that is not a single row.
pub const UNIT: u64 = 65536;
/// Bytes of the checksum that a payload begins with.
pub const CHECKSUM: usize = 8;
/// The shortest payload: a checksum and a state.
const SHORTEST: u32 = 12;
/// Offset of the checksum of the head, and how many bytes of it are kept.
const HEAD_CHECKSUM: (usize, usize) = (40, 24);

/// The value of a position for the side to move, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Value {
    /// The opponent can force the side to move out of moves.
    Loss = 0,
    /// Neither side can.
    Draw = 1,
    /// The side to move can force its opponent out of moves.
    Win = 2,
}

impl Value {
    /// The value written as this number.
    pub fn from_number(number: u32) -> Option<Value> {
        [Value::Loss, Value::Draw, Value::Win].into_iter().find(|&v| v as u32 == number)
    }
}

/// What the first bytes of a slice file say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceHeader {
    /// Which slice.
    pub name: SliceName,
    /// Rows of the board.
    pub rows: u8,
    /// Columns of the board.
    pub columns: u8,
    /// The number of indices.
    pub indices: u64,
}

/// For people.
impl fmt::Display for SliceHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &SliceHeader { name, rows, columns, indices } = self;
        write!(f, "{} of {rows}x{columns}, {indices} indices", name.file_name())
    }
}

/// How the values of one unit are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// All quiet positions have this value.
    Constant(Value),
    /// They are in a payload.
    Coded {
        /// Byte offset of the payload in the file.
        offset: u64,
        /// Its length in bytes.
        length: u32,
    },
}

/// All of a slice file but the payloads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceHead {
    /// What it is about.
    pub header: SliceHeader,
    /// The value of all quiet positions, if they have the same; there are no units then.
    pub constant: Option<Value>,
    /// The frequencies of the contexts.
    pub frequencies: Frequencies,
    /// A directory entry for each unit.
    pub units: Vec<Unit>,
}

/// The length in bytes of header, contexts and directory of a file that begins with these bytes
/// (at least [`HEADER`]); magic number and version are judged, the rest only with the whole head.
///
/// # Errors
/// [`WireError`] when this is no slice file of this version.
pub fn head_length(bytes: &[u8]) -> Result<u64, WireError> {
    let mut r = Reader::new(bytes);
    r.head(MAGIC, SLICE_VERSION)?;
    r.take(20)?;
    let (contexts, units) = (r.u32()?, r.u32()?);
    Ok(HEADER as u64 + 6 * u64::from(contexts) + 4 * u64::from(units))
}

/// The checksum of a payload's code.
pub fn checksum(code: &[u8]) -> [u8; CHECKSUM] {
    let mut out = [0; CHECKSUM];
    out.copy_from_slice(&Digest::of(code).0[..CHECKSUM]);
    out
}

impl SliceHead {
    /// The bytes of the head, for units whose payloads follow in order without gaps.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER + 4 * self.units.len());
        let described = self.frequencies.described();
        out.extend(MAGIC);
        out.extend(SLICE_VERSION.to_le_bytes());
        out.extend(self.header.name.0);
        out.extend([self.header.rows, self.header.columns]);
        out.push(self.constant.map_or(3, |value| value as u8));
        out.extend([0; 5]);
        out.extend(self.header.indices.to_le_bytes());
        out.extend(u32::try_from(described.len()).unwrap_or(u32::MAX).to_le_bytes());
        out.extend(u32::try_from(self.units.len()).unwrap_or(u32::MAX).to_le_bytes());
        out.extend([0; HEAD_CHECKSUM.1]);
        for (context, [loss, win]) in described {
            [context, loss, win].iter().for_each(|n| out.extend(n.to_le_bytes()));
        }
        for unit in &self.units {
            let entry = match *unit {
                Unit::Constant(value) => value as u32,
                Unit::Coded { length, .. } => length << 2 | 3,
            };
            out.extend(entry.to_le_bytes());
        }
        let sum = head_checksum(&out);
        out[HEAD_CHECKSUM.0..HEADER].copy_from_slice(&sum);
        out
    }

    /// Reads the head of a file of `length` bytes; `bytes` are its first [`head_length`] bytes or more.
    /// That `n` and the number of units fit the slice is for a reader who knows the board.
    ///
    /// # Errors
    /// [`WireError`] with the offset of the first thing wrong.
    pub fn decode(bytes: &[u8], length: u64) -> Result<Self, WireError> {
        let head = head_length(bytes)?;
        let Some(bytes) = usize::try_from(head).ok().and_then(|head| bytes.get(..head)) else {
            return Err(WireError::syntax(32, format!("{head} bytes"), bytes.len()));
        };
        let mut r = Reader::new(bytes);
        r.take(12)?;
        let name = SliceName(r.array()?);
        let (rows, columns) = (r.u8()?, r.u8()?);
        let constant = r.u8()?;
        r.zeros(5)?;
        let header = SliceHeader { name, rows, columns, indices: r.u64()? };
        let (contexts, units) = (r.u32()?, r.u32()?);
        let constant = match (constant, contexts, units) {
            (0..3, 0, 0) => Value::from_number(constant.into()),
            (3, 0..=CONTEXTS, _) => None,
            _ => {
                let want = "a value and nothing else, or 3, contexts and units";
                let found = format!("{constant}, {contexts} contexts, {units} units");
                return Err(WireError::syntax(18, want, found));
            }
        };
        let sum = head_checksum(bytes);
        r.expect(&sum, "the checksum of header, contexts and directory")?;
        let mut frequencies = Frequencies::default();
        let mut last = None;
        for _ in 0..contexts {
            let offset = r.offset();
            let (context, loss, win) = (r.u16()?, r.u16()?, r.u16()?);
            if last >= Some(context) || !frequencies.describe(context, [loss, win]) {
                let want =
                    format!("the next context, two frequencies of at least 1, together < {TOTAL}");
                return Err(WireError::syntax(offset, want, format!("{context}: {loss}, {win}")));
            }
            last = Some(context);
        }
        let mut end = head;
        let mut directory = Vec::with_capacity(usize::try_from(units).unwrap_or(0));
        for _ in 0..units {
            let offset = r.offset();
            let entry = r.u32()?;
            directory.push(match Value::from_number(entry) {
                Some(value) => Unit::Constant(value),
                None if entry & 3 == 3 && entry >> 2 >= SHORTEST => {
                    let (offset, length) = (end, entry >> 2);
                    end += u64::from(length);
                    Unit::Coded { offset, length }
                }
                None => {
                    let want = format!("a value, or 3 and a length of at least {SHORTEST}");
                    return Err(WireError::syntax(offset, want, entry));
                }
            });
        }
        if end != length {
            return Err(WireError::syntax(
                end.min(length),
                format!("a file of {end} bytes"),
                format!("{length} bytes"),
            ));
        }
        Ok(SliceHead { header, constant, frequencies, units: directory })
    }
}

fn head_checksum(head: &[u8]) -> [u8; HEAD_CHECKSUM.1] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&head[..HEAD_CHECKSUM.0]).update(&head[HEADER..]);
    let mut out = [0; HEAD_CHECKSUM.1];
    out.copy_from_slice(&hasher.finalize().as_bytes()[..HEAD_CHECKSUM.1]);
    out
}
