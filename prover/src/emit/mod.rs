//! From decided trees to a certificate (`SPEC.md` §3–§7).

mod certificate;
mod prune;

pub use certificate::{Certificate, EmitError, Section, Target};
