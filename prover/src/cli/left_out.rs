//! The parts that this program was built without. Their options are understood, and the answer says
//! how to get a program that has them.

use super::failure::Failure;

#[cfg(not(feature = "farm"))]
pub(super) use without_farm::{Farm, SliceStore};

/// The failure of a command that needs a part which this program was built without.
pub(super) fn left_out(what: &str, feature: &str) -> Failure {
    Failure::Input(format!(
        "{what}: expected a program with the feature {feature}, found one without it; `cargo build \
         --release --features full` builds one with all features"
    ))
}

/// The types of the farm in a program without it. They have no values.
#[cfg(not(feature = "farm"))]
mod without_farm {
    use draughtproof_proof::progress::Progress;
    use draughtproof_proof::proof::{ManagerQueue, QueueSource};

    use super::{Failure, left_out};
    use crate::egdb::{Cover, Slice, Store};

    /// The searches on other machines.
    #[derive(Debug)]
    pub(in crate::cli) enum Farm {}

    impl Farm {
        pub(in crate::cli) fn finish(&self, _: bool) {
            match *self {}
        }
    }

    impl QueueSource for Farm {
        fn open(&self) -> Box<dyn ManagerQueue + '_> {
            match *self {}
        }
    }

    /// The slices in an object store.
    #[derive(Debug)]
    pub(in crate::cli) enum SliceStore {}

    impl SliceStore {
        pub(in crate::cli) fn open(_: &str, _: &Progress) -> Result<Self, Failure> {
            Err(left_out("--store", "farm"))
        }

        pub(in crate::cli) fn fetch_all(&self, _: &Store, _: &Cover) -> Result<(), Failure> {
            match *self {}
        }

        pub(in crate::cli) fn fetch_needs(&self, _: &Store, _: &[Slice]) -> Result<(), Failure> {
            match *self {}
        }

        pub(in crate::cli) fn leave(&self, _: &Store, _: &[Slice]) -> Result<(), Failure> {
            match *self {}
        }
    }
}
