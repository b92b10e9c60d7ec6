//! Version 0 of the format: the MANIFEST and the heads of slices as they were written before
//! version 1. Contexts and directory are written as in version 1; units and payloads differ
//! ([`crate::codec::decode::decode_version0`]).
//!
//! ```text
//! MANIFEST                                     slice
//!  0  8  "DPEGDB", two zeros                    0  8  "DPSLICE", a zero
//!  8  4  0                                      8  4  1
//! 12  3  rows, columns, pieces                 12  4  name
//! 15  1  zero                                  16  2  rows, columns
//! 16  8  number of slices                      18  1  the value of all, or 3
//! 24  8  zeros                                 19  5  zeros
//! 32     48 bytes for each slice:              24  8  number of indices
//!         0  4  name                           32  4  number of contexts
//!         4  4  zeros                          36  4  number of units
//!         8  8  length of its file             40 24  the first 24 bytes of the BLAKE3 of all
//!        16 32  BLAKE3 of its file                    before and of contexts and directory
//! ```

use certificate_spec::Digest;
use certificate_spec::coding::Frequencies;
use certificate_spec::cover::Cover;
use certificate_spec::database::{DatabaseManifest, SliceName, SliceRecord};
use certificate_spec::slice::{SliceHead, SliceHeader, Unit};
use certificate_spec::value::Value;

const MANIFEST_MAGIC: [u8; 12] = *b"DPEGDB\0\0\0\0\0\0";
const MANIFEST_HEADER: usize = 32;
const RECORD: usize = 48;

const SLICE_MAGIC: [u8; 12] = *b"DPSLICE\0\x01\0\0\0";
/// The bytes of the head of a slice before its contexts.
pub(crate) const SLICE_HEADER: usize = 64;
/// The range of the checksum of the head.
const CHECKSUM: std::ops::Range<usize> = 40..SLICE_HEADER;
/// The number that stands for the value of all where there are units.
const SEVERAL_VALUES: u8 = 3;

/// The number of `N` bytes at an offset.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + N)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// The number of pieces of the database whose MANIFEST begins with these bytes, if that is one of
/// version 0.
pub(crate) fn pieces(manifest: &[u8]) -> Option<u8> {
    if manifest.starts_with(&MANIFEST_MAGIC) { manifest.get(14).copied() } else { None }
}

/// Decodes a MANIFEST of version 0 to one of version 1; `None` if these bytes are none of version
/// 0.
pub(crate) fn decode_manifest(bytes: &[u8]) -> Option<DatabaseManifest> {
    let pieces = pieces(bytes)?;
    let records = bytes.get(MANIFEST_HEADER..)?.chunks(RECORD);
    let record = |bytes: &[u8]| {
        let name = SliceName(bytes.get(..4)?.try_into().ok()?);
        let digest = Digest(bytes.get(16..RECORD)?.try_into().ok()?);
        Some(SliceRecord { name, length: number::<8>(bytes, 8)?, digest })
    };
    let manifest = DatabaseManifest {
        rows: bytes[12],
        columns: bytes[13],
        cover: Cover::up_to(pieces),
        slices: records.map(record).collect::<Option<_>>()?,
    };
    // A MANIFEST can be written in one way only, so this comparison checks all of it.
    (encode_manifest(&manifest) == bytes).then_some(manifest)
}

/// The bytes of a MANIFEST in version 0; its cover is all positions with some number of pieces.
fn encode_manifest(manifest: &DatabaseManifest) -> Vec<u8> {
    let mut out = MANIFEST_MAGIC.to_vec();
    out.extend([manifest.rows, manifest.columns, manifest.cover.most_pieces(), 0]);
    out.extend((manifest.slices.len() as u64).to_le_bytes());
    out.extend([0; 8]);
    for slice in &manifest.slices {
        out.extend(slice.name.0);
        out.extend([0; 4]);
        out.extend(slice.length.to_le_bytes());
        out.extend(slice.digest.0);
    }
    out
}

/// The length of the head of a slice in a file that begins with these bytes ([`SLICE_HEADER`] of
/// them, or all); `None` if that is none of version 0.
pub(crate) fn slice_head_length(bytes: &[u8]) -> Option<u64> {
    if !bytes.starts_with(&SLICE_MAGIC) {
        return None;
    }
    Some(SLICE_HEADER as u64 + 6 * number::<4>(bytes, 32)? + 4 * number::<4>(bytes, 36)?)
}

/// Decodes the head of a slice from exactly its bytes. The offsets of payloads are not those in the
/// file. `None` if the head is none of version 0, or damaged.
pub(crate) fn decode_slice_head(bytes: &[u8]) -> Option<SliceHead> {
    let contexts = usize::try_from(number::<4>(bytes, 32)?).ok()?;
    let rest = bytes.get(SLICE_HEADER..)?;
    let (contexts, units) = rest.split_at_checked(6 * contexts)?;
    let mut frequencies = Frequencies::default();
    for context in contexts.chunks(6) {
        let at = |at| Some(number::<2>(context, at)? as u16);
        if !frequencies.describe(at(0)?, [at(2)?, at(4)?]) {
            return None;
        }
    }
    let unit = |entry: &[u8]| {
        let entry = number::<4>(entry, 0)? as u32;
        let coded = Unit::Coded { offset: 0, length: entry >> 2 };
        Some(Value::from_number(entry).map_or(coded, Unit::Constant))
    };
    let header = SliceHeader {
        name: SliceName(bytes[12..16].try_into().ok()?),
        rows: bytes[16],
        columns: bytes[17],
        indices: number::<8>(bytes, 24)?,
    };
    let constant = Value::from_number(bytes[18].into());
    let units = units.chunks(4).map(unit).collect::<Option<_>>()?;
    let head = SliceHead { header, constant, frequencies, units };
    // A head can be written in one way only, so this comparison checks all of it.
    (encode_slice_head(&head) == bytes).then_some(head)
}

/// The bytes of the head of a slice in version 0.
pub(crate) fn encode_slice_head(head: &SliceHead) -> Vec<u8> {
    let SliceHeader { name, rows, columns, indices } = head.header;
    let contexts = head.frequencies.described();
    let mut out = SLICE_MAGIC.to_vec();
    out.extend(name.0);
    out.extend([rows, columns]);
    out.push(head.constant.map_or(SEVERAL_VALUES, |value| value as u8));
    out.extend([0; 5]);
    out.extend(indices.to_le_bytes());
    out.extend((contexts.len() as u32).to_le_bytes());
    out.extend((head.units.len() as u32).to_le_bytes());
    out.extend([0; CHECKSUM.end - CHECKSUM.start]);
    for (context, [loss, win]) in contexts {
        [context, loss, win].iter().for_each(|n| out.extend(n.to_le_bytes()));
    }
    for unit in &head.units {
        let entry = match *unit {
            Unit::Constant(value) => value as u32,
            Unit::Coded { length, .. } => length << 2 | 3,
        };
        out.extend(entry.to_le_bytes());
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&out[..CHECKSUM.start]).update(&out[CHECKSUM.end..]);
    out[CHECKSUM].copy_from_slice(&hasher.finalize().as_bytes()[..CHECKSUM.end - CHECKSUM.start]);
    out
}
