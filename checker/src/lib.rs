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
mod leaf;
mod memory;
mod numbering;
mod progress;
mod rules;
mod tree;
mod verdict;
mod word;
mod work;

pub use certificate::{Certificate, CheckedNode, Part};
pub use database::{Database, Table, Value};
pub use derive::derive;
pub use directory::identify;
pub use fen::{parse as parse_fen, write as write_fen};
pub use leaf::replay;
pub use numbering::Shape;
pub use progress::Progress;
pub use rules::{Board, Game, Position, Side, perft};
pub use tree::Tree;
pub use verdict::{Finding, Stop, Verdict};
pub use work::{Sample, Shard, below, pairs};

use certificate_spec::manifest::Kind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use work::Work;

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

/// Somebody's word for the values of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedDatabase {
    /// The root of the database; of no other are the values trusted.
    pub root: String,
    /// What the verdict says of it.
    pub words: String,
}

/// How to check.
#[derive(Debug, Clone)]
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
    /// Verify a random sample only.
    pub sample: Option<Sample>,
    /// What is trusted for the database's values, if something is.
    pub trusted: Option<TrustedDatabase>,
    /// Who wants to know how far the check has come.
    pub progress: Arc<dyn Progress>,
}

impl Options {
    /// The level exact, all threads, silent.
    pub fn new(db: impl Into<PathBuf>) -> Options {
        Options {
            db: db.into(),
            level: Level::Exact,
            memory: None,
            journal: None,
            threads: None,
            shard: None,
            sample: None,
            trusted: None,
            progress: Arc::new(()),
        }
    }

    /// That no option takes away work that the verdict of another speaks for. (The command line refuses these
    /// with better words; a program that uses the library may put any together.)
    fn agree(&self, is_database: bool) -> Result<(), Stop> {
        let wrong = [
            ("a shard of a sample", self.shard.is_some() && self.sample.is_some()),
            ("a sample with a journal", self.sample.is_some() && self.journal.is_some()),
            ("values trusted, with a journal", self.trusted.is_some() && self.journal.is_some()),
            ("a sample of values trusted", self.trusted.is_some() && self.sample.is_some()),
            ("a database trusted instead of checked", self.trusted.is_some() && is_database),
        ];
        match wrong.into_iter().find(|&(_, is_so)| is_so) {
            Some((what, _)) => Err(Stop::Error(format!("options: {what}"))),
            None => Ok(()),
        }
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

/// The database of a certificate, with the values that its files have. Nothing is verified but that the files
/// are those that the root stands for.
///
/// # Errors
/// [`Stop`] if they are not, or cannot be read.
pub fn read_database(
    certificate: &Certificate,
    options: &Options,
) -> Result<Option<Database>, Stop> {
    let (board, pieces) = (certificate.game.board(), certificate.claim.pieces);
    let work = Work { slices: 0..0, ..Work::new(None, board, pieces, &certificate.sizes()) };
    let read = |root| directory::check(options, board, pieces, root, &work);
    let database = certificate.claim.database.map(read).transpose()?;
    Ok(database.map(|database| database.values))
}

fn certificate_verdict(path: &Path, options: &Options) -> Result<Verdict, Stop> {
    options.agree(false)?;
    let progress = &*options.progress;
    let certificate = Certificate::read(path, options.level)?;
    let about = certificate.parts.iter().flat_map(|part| &part.about);
    about.for_each(|line| progress.show(&format!("the certificate says: {line}")));
    let (board, pieces) = (certificate.game.board(), certificate.claim.pieces);
    let root = certificate.claim.database;
    let db_root = root.map_or("none".into(), |root| root.to_string());
    if options.trusted.as_ref().is_some_and(|trusted| root.is_none() || trusted.root != db_root) {
        return Err(Stop::Error("what is trusted is another database than the claim's".into()));
    }
    let sizes = certificate.sizes();
    let mut work = Work::new(options.shard, board, pieces, &sizes);
    if options.trusted.is_some() {
        work.slices = 0..0;
    }
    let check = |root| directory::check(options, board, pieces, root, &work);
    let database = root.map(check).transpose()?;

    // How many nodes (with the start) and leaves were looked at, and the positions that these leaves state.
    let looked_at: [AtomicU64; 3] = Default::default();
    let (nodes, leaves) = (sizes.iter().map(|size| size.1), sizes.iter().flat_map(|size| &size.2));
    let (nodes, leaf_count) = (nodes.sum::<usize>(), leaves.clone().count());
    // Saturating: these numbers are only claimed until the leaves have been replayed.
    let positions = leaves.fold(0u64, |sum, &n| sum.saturating_add(n));
    progress.begin("checking nodes and leaves", positions.saturating_add(nodes as u64));
    for (part, ranges) in certificate.parts.iter().zip(&work.questions) {
        let is_wanted = |kind: Kind, i: usize| {
            let place = usize::from(kind == Kind::Leaves);
            let name = || format!("{kind:?} {} {i}", part.question as u8);
            let wanted = ranges[place].contains(&i)
                && options.sample.is_none_or(|sample| sample.has(certificate.root, &name()));
            looked_at[place].fetch_add(wanted.into(), Relaxed);
            let leaf = part.leaves.get(i).filter(|_| wanted && kind == Kind::Leaves);
            looked_at[2].fetch_add(leaf.map_or(0, |leaf| leaf.positions), Relaxed);
            wanted
        };
        let database = database.as_ref().map(|database| &database.values);
        Tree { board, database, part }.check(&certificate, is_wanted, progress)?;
    }

    let level = database.as_ref().map_or("none", |_| options.level.word());
    let words = certificate.words();
    let mut words = format!("{words} db={level} pieces={pieces} db-root={db_root}");
    if let Some(trusted) = &options.trusted {
        words += &format!(" {}", trusted.words);
    }
    let assumed = certificate.assumed();
    let assumed_words = if assumed > 0 { format!(" assumed={assumed}") } else { String::new() };
    let [nodes_seen, leaves_seen, positions_seen] = looked_at.map(AtomicU64::into_inner);
    if let Some(shard) = options.shard {
        let ranges = work.words(options.level, &sizes);
        words = format!("{shard} {words} {ranges} positions={positions_seen}{assumed_words}");
        return Ok(Verdict::Shard(words));
    }
    if let Some(sample) = options.sample {
        let (blocks, of) = database.map_or((0, 0), |database| database.sampled);
        let starts_and_nodes = sizes.len() + nodes;
        words += &format!(" blocks={blocks}/{of} nodes={nodes_seen}/{starts_and_nodes}");
        words += &format!(" leaves={leaves_seen}/{leaf_count} {sample}{assumed_words}");
        return Ok(Verdict::Sampled(words));
    }
    words += &format!(" nodes={nodes} leaves={leaf_count} positions={positions}");
    Ok(match assumed {
        0 => Verdict::Verified(words),
        _ => Verdict::Conditional(words + &assumed_words),
    })
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
    let work = Work::new(options.shard, board, pieces, &[]);
    let database = directory::check(options, board, pieces, root, &work)?;
    let (level, (blocks, of)) = (options.level.word(), database.sampled);
    let words = format!("{} db={level}", database_words(board, pieces, &root.to_string()));
    Ok(match (options.shard, options.sample) {
        (Some(shard), _) => {
            Verdict::Shard(format!("{shard} {words} {}", work.words(options.level, &[])))
        }
        (None, Some(sample)) => Verdict::Sampled(format!("{words} blocks={blocks}/{of} {sample}")),
        (None, None) => {
            let (slices, indices) = (database.values.shapes().len(), database.values.indices());
            Verdict::Verified(format!("{words} slices={slices} indices={indices}"))
        }
    })
}
