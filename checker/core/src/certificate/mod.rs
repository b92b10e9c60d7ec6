//! Reading a certificate: what it claims, and all that is to be checked of it.

mod files;
mod reading;

pub(crate) use files::{Entry, Listing, Seal, compare_listing, list, read_hashed, read_manifest};
pub(crate) use reading::claimant;
pub use reading::{Certificate, CheckedNode, QuestionProof};
