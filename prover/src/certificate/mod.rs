//! Certificates: from proofs to files (`SPEC.md` §3–§7), and back.

mod about;
mod directory;
mod read;
mod section;
mod write;

pub use about::option_lines;
pub use directory::{EmitError, Target};
pub use read::{BrokenProof, ReadError, Stored, StoredBasis, StoredNode, StoredProof, claimant};
pub use section::Section;
pub use write::Certificate;
