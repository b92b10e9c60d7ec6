//! Where to say how far a check has come. Nothing that is decided depends on it.

use std::fmt::Debug;

/// Is told how far the present phase of the work has come.
pub trait Progress: Debug + Send + Sync {
    /// A phase of so many units of work begins.
    fn begin(&self, _name: &'static str, _total: u64) {}
    /// Some more units of work are done.
    fn add(&self, _units: u64) {}
    /// Here is a line of the certificate, which its decoder has found to be printable.
    fn show(&self, _line: &str) {}
}

/// Nobody wants to know.
impl Progress for () {}
