//! Certificates: from proofs to files (`SPEC.md` §3–§7), and back.

mod directory;
mod expected;
mod proof_moves;
mod provenance;
mod read;
mod section;
mod trim;
mod write;

pub use directory::{EmitError, Target};
pub use expected::ExpectedCertificate;
pub use proof_moves::{ProofMoves, leaf_strategy, stored_replay};
pub use provenance::{mode_of, provenance};
pub use read::{BrokenProof, ReadError, Stored, StoredBasis, StoredNode, StoredProof, claimant};
pub use section::Section;
pub use trim::trim;
pub use write::Certificate;
