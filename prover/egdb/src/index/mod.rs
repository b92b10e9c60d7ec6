//! The numbering of positions: slices and their order, the index of a position in its slice, the
//! numbering of sets of squares (the combinatorial number system), and rows of bits over such sets.

pub mod cover;
pub(crate) mod sets;
pub(crate) mod slice;
