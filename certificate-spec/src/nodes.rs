//! Nodes of the proof tree, as fixed-width records (`SPEC.md` §6).

use crate::WireError;
use crate::object::ObjectHead;
use crate::reader::Reader;
use std::fmt;

pub use crate::write::nodes as encode;

pub(crate) const MAGIC: &[u8; 8] = b"DPNODES\0";
/// The number of bytes of a node.
pub const RECORD: usize = 24;

/// A position: bit n − 1 of a mask is square n. The order is that of `SPEC.md` §1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WirePosition {
    /// Squares with a black piece.
    pub black: u32,
    /// Squares with a white piece.
    pub white: u32,
    /// Squares with a king of either colour.
    pub kings: u32,
    /// The side to move: 0 for Black, 1 for White; like the masks, a file may have it wrong.
    pub turn: u8,
}

/// A node as it stands in the file. None of its fields has been judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The position of the node.
    pub position: WirePosition,
    /// The rank, for Win claims.
    pub rank: u32,
    /// A number whose meaning depends on `kind`; see [`kind`].
    pub data: u32,
    /// One of the constants of [`kind`], if the file is right.
    pub kind: u8,
    /// Always 0, if the file is right.
    pub reserved: u16,
}

/// The form for people.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Node { position: WirePosition { black, white, kings, turn }, rank, data, .. } = self;
        write!(f, "black {black:#x}, white {white:#x}, kings {kings:#x}, turn {turn}, ")?;
        write!(f, "kind {}, reserved {}, rank {rank}, data {data}", self.kind, self.reserved)
    }
}

/// Values of [`Node::kind`].
pub mod kind {
    /// The claimant is to move; `data` is the number of the chosen successor.
    pub const OR: u8 = 1;
    /// The opponent is to move; all successors follow from the rules.
    pub const AND: u8 = 2;
    /// Proved by a leaf strategy; `data` is its number.
    pub const LEAF: u8 = 3;
    /// Not proved: a heuristic score.
    pub const ASSUMED: u8 = 4;
}

/// Reads the head of an object of `length` bytes from its first bytes ([`crate::object::START`] of
/// them, or all), and judges whether that length is right for it.
///
/// # Errors
/// As for [`decode`].
pub fn judge_start(bytes: &[u8], length: u64) -> Result<ObjectHead, WireError> {
    let mut r = Reader::new(bytes);
    let head = ObjectHead::read(&mut r, MAGIC)?;
    r.exact_count(head.count, RECORD as u64, length)?;
    Ok(head)
}

/// Reads an object of nodes: the head, and as many records as it announces, without judging them.
///
/// # Errors
/// [`WireError`] if the head is wrong, or the length does not fit it.
pub fn decode(bytes: &[u8]) -> Result<(ObjectHead, Vec<Node>), WireError> {
    let head = judge_start(bytes, bytes.len() as u64)?;
    let mut r = Reader::new(bytes);
    r.take(head.length())?;
    let mut nodes = Vec::with_capacity(r.rest().len() / RECORD);
    for _ in 0..head.count {
        let (black, white, kings) = (r.u32()?, r.u32()?, r.u32()?);
        let (rank, data) = (r.u32()?, r.u32()?);
        let (turn, kind) = (r.u8()?, r.u8()?);
        nodes.push(Node {
            position: WirePosition { black, white, kings, turn },
            rank,
            data,
            kind,
            reserved: r.u16()?,
        });
    }
    Ok((head, nodes))
}

/// The offset, in an object with this head, of the node with index `i` in it.
pub fn offset(head: &ObjectHead, i: usize) -> u64 {
    (head.length() + RECORD * i) as u64
}
