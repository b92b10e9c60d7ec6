//! Where to say how far a check has come. Nothing that is decided depends on it.

use std::fmt::Debug;

/// Is told how far the present phase of the work has come.
pub trait Progress: Debug + Send + Sync {
    /// A phase of `total` units of work begins.
    fn begin(&self, name: &'static str, total: u64);
    /// Some more units of work are done.
    fn add(&self, units: u64);
    /// Here is a line of the certificate, which its decoder has found to be printable.
    fn show(&self, line: &str);
}

/// Nobody wants to know.
impl Progress for () {
    fn begin(&self, _: &'static str, _: u64) {}
    fn add(&self, _: u64) {}
    fn show(&self, _: &str) {}
}
