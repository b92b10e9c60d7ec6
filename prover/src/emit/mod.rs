//! From decided trees to a certificate (`SPEC.md` §3–§7), and from certificates to a larger one.

mod above;
mod census;
mod certificate;
mod prune;
mod read;
mod union;

pub use above::{Missing, Region, Top};
pub use census::{Census, Size};
pub use certificate::{Certificate, EmitError, Section, Target};
pub use read::{Basis, Part, PartNode, ReadError, Stored, claimant};
pub use union::{BrokenProof, Union};
