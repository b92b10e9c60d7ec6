//! The tables of notes: the slices of pairs, and digests of their tables (`SPEC.md` §11).

use certificate_spec::Digest;
use certificate_spec::database::SliceName;

/// The slices of pairs: each slice and its twin, unless the slice is its own twin.
pub fn both(pairs: &[SliceName]) -> Vec<SliceName> {
    let both = |&pair: &SliceName| {
        let twin = Some(pair.twin()).filter(|&twin| twin != pair);
        [pair].into_iter().chain(twin)
    };
    pairs.iter().flat_map(both).collect()
}

/// A slice, and the digest of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableDigest {
    /// The slice's name.
    pub slice: SliceName,
    /// The digest of its table (`SPEC.md` §11).
    pub digest: Digest,
}

/// The digest that stands in notes for the tables of a list of slices.
pub fn of_list(list: &[TableDigest]) -> Digest {
    let line = |t: &TableDigest| format!("{} {}\n", t.slice.file_name(), t.digest);
    let lines = list.iter().map(line);
    Digest::of(lines.collect::<String>().as_bytes())
}
