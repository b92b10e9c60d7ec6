//! Slice files (`SPEC.md` §8.3): the head, the contexts and the directory of units.

use crate::coding::{CONTEXTS, Frequencies, TOTAL};
use crate::database::SliceName;
use crate::reader::{REBUILD, Reader};
use crate::value::{CHECKSUM, Value};
use crate::{RULES, WireError, wire};
use serde::{Deserialize, Serialize};
use std::fmt;

const MAGIC: &[u8; 8] = b"DPVALUES";
/// The bytes within which all that comes before the checksum ends; it says how long the head is.
pub const START: usize = 256;
/// The largest number of positions of a part.
pub const PART_POSITIONS: u64 = 4096;
/// The largest number of columns of a part.
pub const PART_COLUMNS: u64 = 256;
/// The number of parts of a unit; the last unit of a slice may have fewer.
pub const UNIT_PARTS: u64 = 16;
/// The length in bytes of the shortest payload: a checksum and a part.
const SHORTEST: u32 = 9;
/// The number of bytes of the checksum of the head.
const HEAD_CHECKSUM: usize = 24;
/// The number of bytes of a context; `ENTRY` is that of a directory entry.
const CONTEXT: u64 = 6;
const ENTRY: u64 = 4;

/// The most bytes of a payload. A code has at most two words to begin with and one for each value,
/// and two bytes say how long it is.
const LONGEST: u64 = CHECKSUM as u64 + UNIT_PARTS * (2 + 2 * (2 + PART_POSITIONS));

/// The most bytes of head, checksum, contexts and directory in a file with this number of units.
pub fn most_head(units: u64) -> u64 {
    let rest = HEAD_CHECKSUM as u64 + CONTEXT * u64::from(CONTEXTS);
    (START as u64 + rest).saturating_add(ENTRY.saturating_mul(units))
}

/// The most bytes of a file with this number of units, as far as all its payloads can be decoded.
pub fn most_bytes(units: u64) -> u64 {
    most_head(units).saturating_add(LONGEST.saturating_mul(units))
}

/// The header: the fields at the beginning of a slice file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceHeader {
    /// The name of the slice.
    pub name: SliceName,
    /// The number of rows of the board.
    pub rows: u8,
    /// The number of columns of the board.
    pub columns: u8,
    /// The number of indices of the slice.
    pub indices: u64,
}

/// The form for people.
impl fmt::Display for SliceHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &SliceHeader { name, rows, columns, indices } = self;
        write!(f, "{} of {rows}x{columns}, {indices} indices", name.file_name())
    }
}

/// The coding of the values of one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// All quiet positions have this value.
    Constant(Value),
    /// The values are in a payload.
    Coded {
        /// Byte offset of the payload in the file.
        offset: u64,
        /// The length of the payload in bytes.
        length: u32,
    },
}

/// The head: everything in a slice file but the payloads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceHead {
    /// The slice that the file is about.
    pub header: SliceHeader,
    /// The value of all quiet positions, if there is only one; then the slice has no units.
    pub constant: Option<Value>,
    /// The frequencies of the contexts.
    pub frequencies: Frequencies,
    /// The directory, with an entry for each unit.
    pub units: Vec<Unit>,
}

/// The fields before the checksum.
#[derive(Serialize, Deserialize)]
struct Wire {
    #[serde(deserialize_with = "wire::text")]
    rules: String,
    rows: u8,
    columns: u8,
    name: SliceName,
    indices: u64,
    coding: Coding,
}

/// The coding of the values of a slice.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Coding {
    /// All quiet positions have this value; the file ends after the checksum.
    Constant(Value),
    /// The numbers of contexts and of units that follow.
    Units { contexts: u32, units: u32 },
}

impl Coding {
    /// The numbers of contexts and of units.
    fn counts(self) -> (u64, u64) {
        match self {
            Coding::Constant(_) => (0, 0),
            Coding::Units { contexts, units } => (contexts.into(), units.into()),
        }
    }
}

impl Wire {
    /// Reads the fields before the checksum, and returns the offset at which they end.
    fn read(bytes: &[u8]) -> Result<(Wire, usize), WireError> {
        let mut r = Reader::new(&bytes[..bytes.len().min(START)]);
        r.head(MAGIC, REBUILD)?;
        let offset = r.offset();
        let head: Wire = r.postcard("the head of a slice")?;
        if head.rules != RULES {
            return Err(WireError::rules(offset, &head.rules));
        }
        if head.coding.counts().0 > CONTEXTS.into() {
            let found = format!("{} contexts", head.coding.counts().0);
            return Err(WireError::syntax(offset, format!("at most {CONTEXTS}"), found));
        }
        Ok((head, usize::try_from(r.offset()).unwrap_or(START)))
    }
}

/// The length in bytes of head, checksum, contexts and directory of a file that begins with these
/// bytes ([`START`] of them, or all). Judges what comes before the checksum; the rest is judged
/// with the whole head, by [`SliceHead::decode`].
///
/// # Errors
/// [`WireError`] if this is not a slice file of this version.
pub fn head_length(bytes: &[u8]) -> Result<u64, WireError> {
    let (head, end) = Wire::read(bytes)?;
    let (contexts, units) = head.coding.counts();
    Ok((end + HEAD_CHECKSUM) as u64 + CONTEXT * contexts + ENTRY * units)
}

impl SliceHead {
    /// The bytes that come before the checksum.
    fn start(&self) -> Vec<u8> {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let coding = match self.constant {
            Some(value) => Coding::Constant(value),
            None => Coding::Units {
                contexts: small(self.frequencies.described().len()),
                units: small(self.units.len()),
            },
        };
        let SliceHeader { name, rows, columns, indices } = self.header;
        let mut out = wire::head(MAGIC);
        wire::append(&mut out, &Wire { rules: RULES.into(), rows, columns, name, indices, coding });
        out
    }

    /// The offset of the checksum.
    pub fn checksum_offset(&self) -> usize {
        self.start().len()
    }

    /// The offset of the first context.
    pub fn contexts_offset(&self) -> usize {
        self.checksum_offset() + HEAD_CHECKSUM
    }

    /// The offset of the directory entry of a unit. In a slice without units, the offset of the
    /// fields before the checksum, which state the value of all positions.
    pub fn entry_offset(&self, unit: usize) -> usize {
        if self.constant.is_some() {
            return wire::HEAD;
        }
        self.contexts_offset() + 6 * self.frequencies.described().len() + 4 * unit
    }

    /// The bytes of the head, for units whose payloads follow in order without gaps.
    pub fn encode(&self) -> Vec<u8> {
        let start = self.start();
        let mut rest = Vec::with_capacity(4 * self.units.len());
        if self.constant.is_none() {
            for (context, [loss, win]) in self.frequencies.described() {
                [context, loss, win].iter().for_each(|n| rest.extend(n.to_le_bytes()));
            }
            for unit in &self.units {
                let entry = match *unit {
                    Unit::Constant(value) => value as u32,
                    Unit::Coded { length, .. } => length << 2 | 3,
                };
                rest.extend(entry.to_le_bytes());
            }
        }
        [&start[..], &head_checksum(&start, &rest), &rest].concat()
    }

    /// Reads the head of a file of `length` bytes; `bytes` are its first [`head_length`] bytes or
    /// more. Whether the numbers of indices and of units fit the slice is for a reader that knows
    /// the board.
    ///
    /// # Errors
    /// [`WireError`] with the offset of the first error.
    pub fn decode(bytes: &[u8], length: u64) -> Result<Self, WireError> {
        let (Wire { rows, columns, name, indices, coding, .. }, end) = Wire::read(bytes)?;
        let head = head_length(bytes)?;
        let Some(bytes) = usize::try_from(head).ok().and_then(|head| bytes.get(..head)) else {
            let found = format!("{} bytes", bytes.len());
            return Err(WireError::syntax(wire::HEAD as u64, format!("{head} bytes"), found));
        };
        let mut r = Reader::new(bytes);
        let start = r.take(end)?;
        let sum = head_checksum(start, r.rest().get(HEAD_CHECKSUM..).unwrap_or_default());
        r.expect(&sum, "the checksum of head, contexts and directory")?;
        let header = SliceHeader { name, rows, columns, indices };
        let (contexts, units) = coding.counts();
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
        let constant = match coding {
            Coding::Constant(value) => Some(value),
            Coding::Units { .. } => None,
        };
        Ok(SliceHead { header, constant, frequencies, units: directory })
    }
}

fn head_checksum(start: &[u8], rest: &[u8]) -> [u8; HEAD_CHECKSUM] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(start).update(rest);
    let mut out = [0; HEAD_CHECKSUM];
    out.copy_from_slice(&hasher.finalize().as_bytes()[..HEAD_CHECKSUM]);
    out
}
