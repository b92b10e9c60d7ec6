//! Published values of positions, compared with the claims of certificates and databases.
//!
//! A file of the literature has lines with a position and its published value (`corpus/README.md`).
//! Both the published value and the proofs are sets of [`Outcomes`]: they agree if every outcome
//! that is still possible was published, and disagree if none of them was.

mod compare;
mod evidence;
mod file;
mod outcomes;

pub use compare::{Agreement, Comparison, compare};
pub use evidence::{ContradictionError, Evidence};
pub use file::{LiteratureError, Published, read_literature};
pub use outcomes::Outcomes;
