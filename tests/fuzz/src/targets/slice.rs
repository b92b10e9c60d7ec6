//! The heads of slice files. The values after them are tried by `code` and `database`.

use super::bounded;
use crate::common::files::{Files, repair_head};
use crate::common::{board, database};
use certificate_spec::slice::{SliceHead, Unit};

pub(super) fn run(bytes: &[u8]) {
    decode(bytes);
    // Hardly any input has a right checksum without repair.
    let mut repaired = bytes.to_vec();
    repair_head(&mut repaired);
    decode(&repaired);
}

fn decode(bytes: &[u8]) {
    let length = bytes.len() as u64;
    let Ok(head) = bounded(8, bytes, |bytes| SliceHead::decode(bytes, length)) else { return };
    let encoded = head.encode();
    assert!(bytes.starts_with(&encoded));
    // The payloads follow without gap, and the file ends with them.
    let mut end = encoded.len() as u64;
    for unit in &head.units {
        if let Unit::Coded { offset, length } = *unit {
            assert_eq!(offset, end);
            end += u64::from(length);
        }
    }
    assert!(end == length && (head.constant.is_none() || bytes.len() == head.contexts_offset()));
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let files = Files::new(&database(&board("4x4"), 3), 3);
    files.slices.into_iter().map(|(_, bytes)| bytes).step_by(5).collect()
}
