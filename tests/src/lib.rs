//! Helpers of the tests of whole programs: the built programs, certificates that can be edited, the
//! corpora that are made from them, and thousands of mutants.
#![allow(missing_docs)]

pub mod agreement;
pub mod consistent;
pub mod corpus;
// The checker writes databases in its tests, too.
#[path = "../../checker/tests/common/files.rs"]
pub mod database_files;
pub mod draft;
pub mod encoding;
pub mod examples;
pub mod farm;
pub mod files;
pub mod mutants;
pub mod notes;
pub mod positions;
pub mod prelude;
pub mod programs;
pub mod s3;
pub mod slice_file;
pub mod slurm;
pub mod v1;
