//! Helpers of the tests: boards and positions, a place for files, and expectations of a verdict.
#![allow(dead_code, unused_imports)]

pub mod files;
pub mod maker;
pub mod oracle;

pub use certificate_spec::Digest;
pub use certificate_spec::claim::{Claim, Question, Value as Claimed};
pub use certificate_spec::coding::Frequencies;
pub use certificate_spec::cover::Cover;
pub use certificate_spec::database::SliceName;
pub use certificate_spec::leaves::Leaf;
pub use certificate_spec::manifest::Kind;
pub use certificate_spec::nodes::{Node, WirePosition, kind};
pub use certificate_spec::slice::{SliceHead, SliceHeader, Unit};
pub use certificate_spec::value::Value as Written;
pub use checker_audit::{Sample, Shard, Statement, TableFolder, TrustedDatabase, both};
pub use checker_core::{
    Board, Database, Game, Level, Position, Progress, Shape, Side, Table, Value,
};
pub use checker_core::{Count, PartReport, Selection, derive, pairs, parse_fen, write_fen};
pub use files::{
    Files, SliceParts, all_drawn, encodes, quiet_values, repair_head, repair_payload, units,
    write_database,
};
pub use maker::{Certificate, Maker, Part, claimant, draw_4x4, verdict, write_raw};
pub use oracle::{Oracle, all_positions, longest_win, oracle_4x4};
pub use std::fs;
pub use std::path::{Path, PathBuf};

use checker_audit::{Extent, Values};
use std::sync::Arc;
use tempfile::TempDir;

pub fn board(name: &str) -> Board {
    let (rows, columns) = name.split_once('x').unwrap();
    Board::new(rows.parse().unwrap(), columns.parse().unwrap()).unwrap()
}

pub fn fen(text: &str) -> Position {
    parse_fen(text).unwrap()
}

pub fn successors(board: &Board, p: &Position) -> Vec<Position> {
    let mut all = Vec::new();
    board.successors(p, &mut all);
    all
}

/// The options of the core for a test, and the part that is checked.
#[derive(Clone, Default)]
pub struct Options {
    pub db: PathBuf,
    pub level: Level,
    pub memory: Option<u64>,
    pub threads: Option<usize>,
    pub progress: Arc<Progress>,
    pub shard: Option<Shard>,
    pub sample: Option<Sample>,
    pub journal: Option<PathBuf>,
    pub tables: Option<TableFolder>,
    pub trusted: Option<TrustedDatabase>,
}

impl Options {
    pub fn new(db: impl Into<PathBuf>) -> Options {
        Options { db: db.into(), ..Options::default() }
    }

    fn core(&self) -> checker_core::Options {
        let Options { level, threads, .. } = *self;
        let (db, progress) = (self.db.clone(), self.progress.clone());
        let memory = self.memory.unwrap_or(u64::MAX);
        checker_core::Options {
            db,
            level,
            memory,
            threads,
            progress,
            ..checker_core::Options::new("")
        }
    }

    fn extent(&self) -> Extent {
        let values = match self {
            Options { journal: Some(folder), .. } => {
                Values::Tables(TableFolder::journal(folder, false))
            }
            Options { tables: Some(tables), .. } => Values::Tables(tables.clone()),
            Options { trusted: Some(trusted), .. } => Values::Trusted(trusted.clone()),
            _ => Values::Verified,
        };
        match (self.shard, self.sample) {
            (Some(shard), _) => Extent::Shard(shard, values),
            (None, Some(sample)) => Extent::Sample(sample),
            (None, None) => Extent::Whole(values),
        }
    }
}

pub fn check_certificate(path: &Path, options: &Options) -> Statement {
    checker_audit::check(path, &options.core(), &options.extent())
}

pub fn check_database(board: &Board, pieces: Option<u8>, options: &Options) -> Statement {
    let cover = pieces.map(Cover::up_to);
    checker_audit::check_database(board, cover.as_ref(), &options.core(), &options.extent())
}

/// A folder with the certificate in `cert` and databases in `egdb`.
pub struct Place(pub TempDir);

impl Place {
    pub fn new() -> Place {
        Place(TempDir::new().unwrap())
    }

    pub fn cert(&self) -> PathBuf {
        self.0.path().join("cert")
    }

    pub fn db(&self) -> PathBuf {
        self.0.path().join("egdb")
    }

    pub fn check(&self) -> String {
        check_certificate(&self.cert(), &self.options()).line()
    }

    pub fn options(&self) -> Options {
        Options { threads: Some(2), ..Options::new(self.db()) }
    }
}

pub fn database(board: &Board, pieces: u8) -> Database {
    derive(board, &Cover::up_to(pieces), &checker_core::Options::new("")).unwrap()
}

/// The verdict without the field that says how many pairs of slices a journal has spoken for.
pub fn without_journal(line: &str) -> String {
    line.split(' ').filter(|word| !word.starts_with("journal=")).collect::<Vec<_>>().join(" ")
}

/// Expects a line that refutes by this rule and contains `rest`.
#[track_caller]
pub fn refuted(line: &str, rule: &str, rest: &str) {
    assert!(line.starts_with(&format!("s REFUTED {rule} file=")), "{line}");
    assert!(line.contains(rest), "{line} has no {rest}");
}
