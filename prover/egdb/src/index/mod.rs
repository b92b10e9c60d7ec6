//! How positions are numbered: slices and their order, the index of a position in its slice, the
//! numbering of sets of squares, and rows of bits over such sets.

pub(crate) mod renumber;
pub(crate) mod sets;
pub(crate) mod slice;
