//! Certificates: from proofs to files (`SPEC.md` §3–§7), and back.

mod directory;
mod read;
mod trim;
mod write;

pub use directory::{EmitError, ExpectedCertificate, Target};
pub use read::{BrokenProof, ReadError, Stored, StoredBasis, StoredNode, StoredProof, claimant};
pub use trim::trim;
pub use trim::{ProofMoves, leaf_strategy, stored_replay};
pub use write::{Certificate, Section, mode_of, provenance};
