//! Leaf strategies: packed choices in depth-first order (`SPEC.md` §7).

use crate::WireError;
use crate::object::ObjectHead;
use crate::reader::Reader;

pub use crate::write::leaves as encode;

pub(crate) const MAGIC: &[u8; 8] = b"DPLEAVES";
/// The number of bytes of a directory entry.
pub const ENTRY: usize = 16;

/// One leaf: the number of positions that its replay expands, and the packed choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf<B> {
    /// The number of positions that the replay expands, at least 1.
    pub positions: u64,
    /// The bits of the strategy (see [`crate::bits`]).
    pub strategy: B,
}

/// A leaf whose strategy lies in the bytes of its object.
pub type LeafIn<'a> = Leaf<&'a [u8]>;

impl LeafIn<'_> {
    /// A copy of the leaf with a strategy that it owns.
    pub fn to_vec(&self) -> Leaf<Vec<u8>> {
        Leaf { positions: self.positions, strategy: self.strategy.to_vec() }
    }
}

/// Reads an object of leaves; the strategies are slices of `bytes`.
///
/// # Errors
/// [`WireError`] if the head or directory is wrong, or the lengths do not add up to the object's.
pub fn decode(bytes: &[u8]) -> Result<(ObjectHead, Vec<LeafIn<'_>>), WireError> {
    let mut r = Reader::new(bytes);
    let head = ObjectHead::read(&mut r, MAGIC)?;
    let there = (r.rest().len() / ENTRY) as u64;
    if head.count > there {
        let want = format!("{} directory entries", head.count);
        return Err(WireError::syntax(r.offset(), want, format!("room for {there}")));
    }
    let mut directory = Vec::new();
    for _ in 0..head.count {
        let offset = r.offset();
        let entry = (r.u64()?, r.u64()?);
        if entry.1 == 0 {
            return Err(WireError::syntax(offset + 8, "at least 1 position", 0));
        }
        directory.push((offset, entry));
    }
    let mut leaves = Vec::with_capacity(directory.len());
    for (offset, (length, positions)) in directory {
        let rest = r.rest().len();
        let Some(length) = usize::try_from(length).ok().filter(|&l| l <= rest) else {
            let want = format!("a length of at most {rest}");
            return Err(WireError::syntax(offset, want, length));
        };
        leaves.push(Leaf { positions, strategy: r.take(length)? });
    }
    r.end()?;
    Ok((head, leaves))
}

/// The offset, in an object with this head, of the directory entry with index `i` in it.
pub fn offset(head: &ObjectHead, i: usize) -> u64 {
    (head.length() + ENTRY * i) as u64
}
