//! What is published about positions, against what certificates and databases say of them.
//!
//! A file of the literature has lines with a position and its published value (`corpus/README.md`).
//! Both what is published and what is proved are sets of [`Outcomes`]: they agree if whatever is
//! still possible was published, and disagree if nothing of it was.

mod compare;
mod evidence;
mod file;
mod outcomes;

pub use compare::{Agreement, Comparison, compare};
pub use evidence::{ContradictionError, Evidence};
pub use file::{LiteratureError, Published, read_literature};
pub use outcomes::Outcomes;
