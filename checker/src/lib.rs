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
mod folder;
mod leaf;
mod numbering;
mod rules;
mod tree;
mod verdict;
mod word;

pub use certificate::{Certificate, CheckedNode, Part};
pub use checker_parts::{self as parts, Progress, Sample, Shard, TrustedDatabase, below};
pub use database::{Database, Table, Value};
pub use derive::derive;
pub use directory::check as check_values;
pub use fen::{parse as parse_fen, write as write_fen};
pub use folder::identify;
pub use leaf::replay;
pub use numbering::{Shape, pairs};
pub use rules::{Board, Game, Position, Side};
pub use tree::Tree;
pub use verdict::{Finding, Stop, Verdict};

use certificate_spec::database::SliceName;
use checker_parts::{Scope, Size, TableFolder};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How well the values of a database are checked (`SPEC.md` §8.5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Level {
    /// Derive all values again from the rules, and compare.
    #[default]
    Exact,
    /// Only check that each value follows from its successors': enough for claims of not losing.
    Consistent,
}

impl Level {
    fn word(self) -> &'static str {
        if self == Level::Exact { "exact" } else { "consistent" }
    }
}

/// How to check.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder of databases.
    pub db: PathBuf,
    /// How well to check values of the database.
    pub level: Level,
    /// The most bytes that tables of values may take.
    pub memory: Option<u64>,
    /// Where to note what has been verified. What is there is trusted.
    pub journal: Option<PathBuf>,
    /// The number of threads; without it as many as the machine has.
    pub threads: Option<usize>,
    /// Verify one shard of the work only.
    pub shard: Option<Shard>,
    /// Where a shard may take tables of values from that it does not verify, and puts others. It rests on them, as
    /// its verdict says; if that is a refutation, it is worth nothing.
    pub tables: Option<TableFolder>,
    /// Verify a random sample only.
    pub sample: Option<Sample>,
    /// What is trusted for the database's values, if something is.
    pub trusted: Option<TrustedDatabase>,
    /// Who wants to know how far the check has come.
    pub progress: Option<Arc<dyn Progress>>,
}

impl Options {
    /// The level exact, all threads, silent.
    pub fn new(db: impl Into<PathBuf>) -> Options {
        Options { db: db.into(), ..Options::default() }
    }

    fn progress(&self) -> &dyn Progress {
        self.progress.as_deref().unwrap_or(&())
    }

    fn agree(&self, is_database: bool) -> Result<(), Stop> {
        let &Options { shard, sample, ref journal, ref tables, ref trusted, .. } = self;
        let result = parts::agree(shard, sample, journal, tables, trusted, is_database);
        result.map_err(Stop::Error)
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

/// What is to be verified if not everything is, and the pairs of slices that are.
type Wanted = (Option<Scope>, Vec<SliceName>);

fn wanted(options: &Options, board: &Board, pieces: u8, sizes: &[Size]) -> Wanted {
    let pairs = pairs(board, pieces);
    let indices = pairs.iter().map(|&pair| (pair, Shape::new(board, pair).indices));
    let (indices, is_exact) = (indices.collect::<Vec<_>>(), options.level == Level::Exact);
    let is_trusted = options.trusted.is_some();
    let scope = Scope::new(options.shard, options.sample, is_trusted, &indices, sizes, is_exact);
    let all = if is_trusted { 0 } else { pairs.len() };
    let own = scope.as_ref().map_or(0..all, Scope::slices);
    (scope, pairs[own].to_vec())
}

fn certificate_verdict(path: &Path, options: &Options) -> Result<Verdict, Stop> {
    options.agree(false)?;
    let progress = options.progress();
    let certificate = Certificate::read(path, options.level)?;
    let about = certificate.parts.iter().flat_map(|part| part.about.lines());
    about.for_each(|line| progress.show(&format!("the certificate says: {line}")));
    let (board, pieces) = (certificate.game.board(), certificate.claim.pieces);
    let root = certificate.claim.database;
    let db_root = root.map_or("none".into(), |root| root.to_string());
    if options.trusted.as_ref().is_some_and(|trusted| root.is_none() || trusted.root != db_root) {
        return Err(Stop::Error("what is trusted is another database than the claim's".into()));
    }
    let sizes = certificate.sizes();
    let (scope, own) = wanted(options, board, pieces, &sizes);
    // Whoever looks up a position may need any table.
    let all = (scope.as_ref().is_none_or(Scope::has_positions), scope.as_ref());
    let check = |root| directory::check(options, board, pieces, root, &own, all);
    let database = root.map(check).transpose()?;

    let (nodes, leaves) = (sizes.iter().map(|size| size.1), sizes.iter().flat_map(|size| &size.2));
    let (nodes, leaf_count) = (nodes.sum::<usize>(), leaves.clone().count());
    // Saturating: these numbers are only claimed until the leaves have been replayed.
    let positions = leaves.fold(0u64, |sum, &n| sum.saturating_add(n));
    progress.begin("checking nodes and leaves", positions.saturating_add(nodes as u64));
    for (q, part) in certificate.parts.iter().enumerate() {
        let is_wanted =
            |kind, i| scope.as_ref().is_none_or(|scope| scope.has(certificate.root, kind, q, i));
        Tree { board, database: database.as_ref(), part }.check(
            &certificate,
            is_wanted,
            progress,
        )?;
    }

    let level = database.as_ref().map_or("none", |_| options.level.word());
    let words = certificate.words();
    let mut words = format!("{words} db={level} pieces={pieces} db-root={db_root}");
    if let Some(trusted) = &options.trusted {
        words += &format!(" {}", trusted.words);
    }
    let counts = format!(" nodes={nodes} leaves={leaf_count} positions={positions}");
    let assumed = certificate.assumed();
    let assumed_words = if assumed > 0 { format!(" assumed={assumed}") } else { String::new() };
    Ok(match (&scope, assumed) {
        (Some(scope), _) => partial(options, scope.words(&words) + &assumed_words),
        (None, 0) => Verdict::Verified(words + &counts),
        (None, _) => Verdict::Conditional(words + &counts + &assumed_words),
    })
}

fn partial(options: &Options, words: String) -> Verdict {
    if options.shard.is_some() { Verdict::Shard(words) } else { Verdict::Sampled(words) }
}

/// What verdicts say first of a database.
pub fn database_words(board: &Board, pieces: u8, root: &str) -> String {
    format!("DATABASE {} pieces={pieces} db-root={root}", board.name())
}

fn database_verdict(board: &Board, pieces: Option<u8>, options: &Options) -> Result<Verdict, Stop> {
    options.agree(true)?;
    let most = board.squares();
    if pieces.is_some_and(|n| !(2..=most).contains(&u32::from(n))) {
        return Err(Stop::Error(format!("pieces: from 2 to {most} on {}", board.name())));
    }
    let (pieces, root) = identify(&options.db, board, pieces)?;
    let (scope, own) = wanted(options, board, pieces, &[]);
    let all = (scope.as_ref().is_some_and(Scope::has_positions), scope.as_ref());
    let database = directory::check(options, board, pieces, root, &own, all)?;
    let words = database_words(board, pieces, &root.to_string());
    let words = format!("{words} db={}", options.level.word());
    let (slices, indices) = (database.shapes.len(), database.indices());
    Ok(match &scope {
        Some(scope) => partial(options, scope.words(&words)),
        None => Verdict::Verified(format!("{words} slices={slices} indices={indices}")),
    })
}
