//! The trusted core of Draughtproof's checker: says whether a certificate proves what it claims.
//!
//! The crate implements `SPEC.md` in the crate `certificate-spec`; `README.md` in the folder
//! `checker` is a guided tour for readers who want to know why a wrong certificate cannot pass.
//!
//! [`check`] and [`check_database`] verify everything, and they alone make a [`Verified`]. They
//! begin with nothing but the files. [`check_part`] and [`check_database_part`] verify what a
//! [`Selection`] selects, may take tables of values from a [`TableStore`], and return what they
//! have looked at.
//!
//! ```no_run
//! let options = checker_core::Options::new("egdb");
//! let verdict = checker_core::check("cert".as_ref(), &options);
//! println!("{}", verdict.line());
//! ```
#![forbid(unsafe_code)]

mod certificate;
mod check;
mod derive;
mod folder;
mod options;
mod part;
mod proof;
mod rules;
mod values;
mod verdict;

pub use certificate::{Certificate, CheckedNode, QuestionProof};
pub use check::{check, check_database, check_database_part, check_part, database_fields};
pub use checker_aid::Progress;
pub use derive::derive;
pub use folder::identify;
pub use options::{Level, Options};
pub use part::{
    Count, LookedAt, Nothing, PartReport, QuestionSize, Selection, TableDigests, TableStore,
    WorkSize, WriteTable,
};
pub use rules::{Bits, Board, Game, Position, Side, parse_fen, write_fen};
pub use values::{Database, Shape, Table, Value, pairs};
pub use verdict::{Finding, Roots, Stop, Verdict, Verified, escaped};
