//! The checker of Draughtproof: says whether a certificate proves what it claims.
//!
//! `SPEC.md` in the crate `certificate-spec` is what is implemented here; `README.md` beside this
//! crate's manifest is a guided tour for those who want to know why a wrong certificate cannot pass.
//!
//! ```no_run
//! let options = checker::Options::new("egdb");
//! let verdict = checker::check_certificate("cert".as_ref(), &options);
//! println!("{}", verdict.line());
//! ```
#![forbid(unsafe_code)]

mod block;
mod certificate;
mod database;
mod derive;
mod directory;
mod fen;
mod files;
mod journal;
mod kingsets;
mod leaf;
mod memory;
mod numbering;
mod progress;
mod rules;
mod tree;
mod units;
mod verdict;
mod word;

pub use database::{Database, Table, Value};
pub use derive::derive;
pub use fen::{parse as parse_fen, write as write_fen};
pub use numbering::Shape;
pub use progress::Progress;
pub use rules::{Board, Game, Position, Side, perft};
pub use verdict::{Finding, Stop, Verdict};

use certificate::Certificate;
use certificate_spec::nodes::kind;
use clap::builder::RangedU64ValueParser;
use directory::CheckedDatabase;
use std::path::{Path, PathBuf};
use tree::Tree;

/// How well the values of a database are checked (`SPEC.md` §8.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Level {
    /// Derive all values again from the rules, and compare.
    Exact,
    /// Only check that each value follows from its successors': enough for claims of not losing.
    Consistent,
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Level::Exact => "exact",
            Level::Consistent => "consistent",
        }
    }
}

fn parse_size(text: &str) -> Result<u64, String> {
    let parse = |(unit, bytes)| text.strip_suffix(unit)?.parse::<u64>().ok()?.checked_mul(bytes);
    let size = [("MiB", 1 << 20), ("GiB", 1 << 30), ("", 1)].into_iter().find_map(parse);
    size.ok_or_else(|| "not a size; write bytes or as in 512MiB or 4GiB".into())
}

/// How to check.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// The folder of databases
    #[arg(long, value_name = "DIR", default_value = "egdb")]
    pub db: PathBuf,
    /// How well to check values of the database
    #[arg(long, value_enum, default_value = "exact")]
    pub level: Level,
    /// The most that tables of values may take, as in 4GiB, 512MiB or plain bytes [default: no bound]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// Note in FILE, your own, what has been verified, and trust it: start again with it to go on
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Number of threads, at most 256 [default: as many as the machine has]
    #[arg(long, value_name = "T", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    pub threads: Option<usize>,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

impl Options {
    /// The level exact, all threads, silent.
    pub fn new(db: impl Into<PathBuf>) -> Options {
        let (memory, journal, threads) = (None, None, None);
        Options { db: db.into(), level: Level::Exact, memory, journal, threads, quiet: true }
    }
}

/// Checks the certificate in the folder `path`.
pub fn check_certificate(path: &Path, options: &Options) -> Verdict {
    in_pool(options, || certificate_verdict(path, options))
}

/// Checks a database alone, as far as positions with at most `pieces` pieces, or all of it.
pub fn check_database(board: &Board, pieces: Option<u8>, options: &Options) -> Verdict {
    in_pool(options, || database_verdict(board, pieces, options))
}

fn in_pool(options: &Options, check: impl FnOnce() -> Result<Verdict, Stop> + Send) -> Verdict {
    // 0 stands for as many threads as the machine has.
    let threads = options.threads.unwrap_or(0);
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(check).unwrap_or_else(Verdict::Stopped),
        Err(error) => Verdict::error(format!("cannot start {threads} threads: {error}")),
    }
}

fn certificate_verdict(path: &Path, options: &Options) -> Result<Verdict, Stop> {
    let progress = Progress::new(options.quiet);
    let certificate = Certificate::read(path, options.level)?;
    let about = certificate.parts.iter().flat_map(|part| &part.about);
    about.for_each(|line| progress.show(&format!("the certificate says: {line}")));
    let board = certificate.game.board();
    let pieces = certificate.claim.pieces;
    let check = |root| directory::check(options, board, Some(pieces), Some(root), &progress);
    let database = certificate.claim.database.map(check).transpose()?;

    let nodes: usize = certificate.parts.iter().map(|part| part.nodes.len()).sum();
    let leaves = || certificate.parts.iter().flat_map(|part| &part.leaves);
    // Saturating: these numbers are only claimed until the leaves have been replayed.
    let positions = leaves().fold(0u64, |sum, leaf| sum.saturating_add(leaf.positions));
    progress.begin("checking nodes and leaves", positions.saturating_add(nodes as u64));
    for part in &certificate.parts {
        let values = database.as_ref().map(|database| &database.values);
        Tree { board, database: values, part }.check(&certificate, &progress)?;
    }

    let initial = certificate.start == certificate.game.initial();
    let start = if initial { "initial".into() } else { fen::write(&certificate.start) };
    let (level, db_root) = match &database {
        Some(database) => (options.level.word(), database.root.to_string()),
        None => ("none", "none".into()),
    };
    let words = format!(
        "{} {} start={start} root={} db={level} pieces={pieces} db-root={db_root} nodes={nodes} leaves={} positions={positions}",
        certificate.claim.value.word(),
        certificate.game.name(),
        certificate.root,
        leaves().count(),
    );
    let all_nodes = certificate.parts.iter().flat_map(|part| &part.nodes);
    Ok(match all_nodes.filter(|node| node.kind == kind::ASSUMED).count() {
        0 => Verdict::Verified(words),
        assumed => Verdict::Conditional(format!("{words} assumed={assumed}")),
    })
}

fn database_verdict(board: &Board, pieces: Option<u8>, options: &Options) -> Result<Verdict, Stop> {
    let most = board.squares();
    if pieces.is_some_and(|n| !(2..=most).contains(&u32::from(n))) {
        return Err(Stop::Error(format!("pieces: from 2 to {most} on {}", board.name())));
    }
    let progress = Progress::new(options.quiet);
    let CheckedDatabase { values, pieces, root } =
        directory::check(options, board, pieces, None, &progress)?;
    Ok(Verdict::Verified(format!(
        "DATABASE {} pieces={pieces} db-root={root} db={} slices={} indices={}",
        board.name(),
        options.level.word(),
        values.shapes().count(),
        values.indices(),
    )))
}
