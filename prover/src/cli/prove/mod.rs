//! Commands about proofs: values of positions, certificates, and what was published.

pub(crate) mod certify;
pub(crate) mod combine;
pub(crate) mod expand;
pub(crate) mod explain;
pub(crate) mod report;
pub(crate) mod solve;
pub(crate) mod trim;

mod certificate;
