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
mod explain;
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

pub use database::{Database, Table, Value};
pub use derive::derive;
pub use explain::{Basis, Explainer, Explanation};
pub use fen::{parse as parse_fen, write as write_fen};
pub use numbering::Shape;
pub use progress::Progress;
pub use rules::{Board, Game, Position, Side, perft};
pub use verdict::{Finding, Stop, Verdict};
pub use work::{Shard, below, pairs};

use certificate::Certificate;
use certificate_spec::database::SliceName;
use certificate_spec::manifest::Kind;
use certificate_spec::nodes::kind;
use clap::builder::RangedU64ValueParser;
use directory::{CheckedDatabase, Extent};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tree::Tree;
use work::{Sample, Work};

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

/// Reads a share in per cent, in millionths.
fn parse_share(text: &str) -> Result<u32, String> {
    let (whole, part) =
        text.strip_suffix('%').map_or(("", ""), |t| t.split_once('.').unwrap_or((t, "0")));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let millionths = format!("{whole}{part:0<4}").parse().ok();
    let is_share = digits(whole) && digits(part) && part.len() <= 4;
    let share = millionths.filter(|&n| is_share && (1..=1_000_000).contains(&n));
    share.ok_or_else(|| "not a share; write 1% or 0.05%, at least 0.0001%, at most 100%".into())
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
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// The folder of databases
    #[arg(long, value_name = "DIR", default_value = "egdb")]
    pub db: PathBuf,
    /// How well to check values of the database
    #[arg(long, visible_alias = "db-level", value_enum, default_value = "exact")]
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
    /// Verify one shard of the work only, as in 3/16; exit status 5
    #[arg(long, value_name = "I/N", conflicts_with = "sample")]
    pub shard: Option<Shard>,
    /// Verify a random sample only, as in 1%; exit status 5
    #[arg(long, value_name = "SHARE", value_parser = parse_share, conflicts_with = "journal")]
    pub sample: Option<u32>,
    /// What the sample depends on besides the root [default: a random number; the verdict has it]
    #[arg(long, value_name = "S", requires = "sample")]
    pub seed: Option<u64>,
    /// What is trusted for the database's values, if something is.
    #[arg(skip)]
    pub trusted: Option<TrustedDatabase>,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}

impl Options {
    /// The level exact, all threads, silent.
    pub fn new(db: impl Into<PathBuf>) -> Options {
        let (memory, journal, threads) = (None, None, None);
        let (level, shard, sample, seed, trusted) = (Level::Exact, None, None, None, None);
        let (db, quiet) = (db.into(), true);
        Options { db, level, memory, journal, threads, shard, sample, seed, trusted, quiet }
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

    fn sample(&self) -> Option<Sample> {
        self.sample.map(|millionths| Sample { millionths, seed: self.seed.unwrap_or(0) })
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

/// What a certificate claims and how large it is, as far as that can be seen without playing a move, or a
/// database.
#[derive(Debug, Clone)]
pub struct Description {
    /// What verdicts say of it first: value, game, start and root, or of a database the word for it, board, pieces
    /// and root.
    pub words: String,
    /// Pieces of the database; 0 without one.
    pub pieces: u8,
    /// The root of the database, or `none`.
    pub db_root: String,
    /// Whether something is claimed to be won.
    pub is_win: bool,
    /// The [`pairs`] of slices of the database.
    pub pairs: Vec<SliceName>,
    /// For each question: its number, and the numbers of its nodes and leaves.
    pub questions: Vec<(u8, usize, usize)>,
    /// The positions that all leaves state.
    pub positions: u64,
    /// The number of Assumed nodes.
    pub assumed: usize,
    /// The game; the board alone, if it is a database.
    pub game: String,
    /// What it says of how it was made.
    pub about: Vec<String>,
}

/// Reads a certificate as far as it can be judged without playing a move.
///
/// # Errors
/// [`Stop`] if something is wrong with it.
pub fn describe_certificate(path: &Path, level: Level) -> Result<Description, Stop> {
    Ok(description(&Certificate::read(path, level)?))
}

fn description(certificate: &Certificate) -> Description {
    let Certificate { claim, parts, .. } = certificate;
    let initial = certificate.start == certificate.game.initial();
    let start = if initial { "initial".into() } else { fen::write(&certificate.start) };
    let (value, game, root) = (claim.value.word(), certificate.game.name(), certificate.root);
    let nodes = parts.iter().flat_map(|part| &part.nodes);
    let leaves = parts.iter().flat_map(|part| &part.leaves);
    Description {
        words: format!("{value} {game} start={start} root={root}"),
        pieces: claim.pieces,
        db_root: claim.database.map_or("none".into(), |root| root.to_string()),
        is_win: claim.value.questions().iter().any(|question| question.is_win()),
        pairs: pairs(certificate.game.board(), claim.pieces),
        questions: parts
            .iter()
            .map(|p| (p.question as u8, p.nodes.len(), p.leaves.len()))
            .collect(),
        // Saturating: these numbers are only claimed until the leaves have been replayed.
        positions: leaves.fold(0, |sum, leaf| leaf.positions.saturating_add(sum)),
        assumed: nodes.filter(|node| node.kind == kind::ASSUMED).count(),
        // Each question has the same options.
        about: parts
            .iter()
            .map(|part| part.about.clone())
            .find(|a| !a.is_empty())
            .unwrap_or_default(),
        game,
    }
}

/// Reads the manifest of the database of a board.
///
/// # Errors
/// [`Stop`] if something is wrong with it, or it has not so many pieces.
pub fn describe_database(
    board: &Board,
    pieces: Option<u8>,
    db: &Path,
) -> Result<Description, Stop> {
    let (pieces, root) = directory::identify(db, board, pieces)?;
    Ok(Description {
        words: database_words(board, pieces, &root.to_string()),
        pieces,
        db_root: root.to_string(),
        is_win: false,
        pairs: pairs(board, pieces),
        questions: Vec::new(),
        positions: 0,
        assumed: 0,
        game: board.name(),
        about: Vec::new(),
    })
}

fn database_words(board: &Board, pieces: u8, root: &str) -> String {
    format!("DATABASE {} pieces={pieces} db-root={root}", board.name())
}

/// What is to be verified of the values of a database.
fn extent(options: &Options, work: Option<&Work>) -> Extent {
    match (&options.trusted, work, options.sample()) {
        (Some(_), ..) => Extent::Pairs(0..0),
        (None, Some(work), _) => Extent::Pairs(work.slices.clone()),
        (None, None, Some(sample)) => Extent::Sample(sample),
        (None, None, None) => Extent::All,
    }
}

fn certificate_verdict(path: &Path, options: &Options) -> Result<Verdict, Stop> {
    options.agree(false)?;
    let progress = Progress::new(options.quiet);
    let certificate = Certificate::read(path, options.level)?;
    let about = certificate.parts.iter().flat_map(|part| &part.about);
    about.for_each(|line| progress.show(&format!("the certificate says: {line}")));
    let board = certificate.game.board();
    let pieces = certificate.claim.pieces;
    let pairs = pairs(board, pieces);
    let root = certificate.claim.database.map(|root| root.to_string());
    if options.trusted.as_ref().is_some_and(|trusted| Some(&trusted.root) != root.as_ref()) {
        return Err(Stop::Error("what is trusted is another database than the claim's".into()));
    }
    let mut work = options.shard.map(|shard| Work::of(shard, board, &pairs, &certificate.sizes()));
    if let Some(work) = work.as_mut().filter(|_| options.trusted.is_some()) {
        work.slices = 0..0;
    }
    let all = work.as_ref().is_none_or(Work::has_positions);
    let extent = extent(options, work.as_ref());
    let check =
        |root| directory::check(options, board, pieces, (Some(root), all), &extent, &progress);
    let database = certificate.claim.database.map(check).transpose()?;

    let sample = options.sample();
    // How many nodes (with the start) and leaves were looked at, and the positions that these leaves state.
    let looked_at: [AtomicU64; 3] = Default::default();
    let Description { words, db_root, questions, positions, assumed, .. } =
        description(&certificate);
    let nodes: usize = questions.iter().map(|(_, nodes, _)| nodes).sum();
    let leaves: usize = questions.iter().map(|(.., leaves)| leaves).sum();
    progress.begin("checking nodes and leaves", positions.saturating_add(nodes as u64));
    for (q, part) in certificate.parts.iter().enumerate() {
        let values = database.as_ref().map(|database| &database.values);
        let is_wanted = |kind: Kind, i: usize| {
            let ranges = work.as_ref().and_then(|work| work.questions.get(q));
            let place = usize::from(kind == Kind::Leaves);
            let name = || format!("{kind:?} {} {i}", part.question as u8);
            let wanted = ranges.is_none_or(|ranges| ranges[place].contains(&i))
                && sample.is_none_or(|sample| sample.has(certificate.root, &name()));
            looked_at[place].fetch_add(wanted.into(), Relaxed);
            let leaf = part.leaves.get(i).filter(|_| wanted && kind == Kind::Leaves);
            looked_at[2].fetch_add(leaf.map_or(0, |leaf| leaf.positions), Relaxed);
            wanted
        };
        Tree { board, database: values, part }.check(&certificate, is_wanted, &progress)?;
    }

    let level = database.as_ref().map_or("none", |_| options.level.word());
    let mut words = format!("{words} db={level} pieces={pieces} db-root={db_root}");
    if let Some(trusted) = &options.trusted {
        words += &format!(" {}", trusted.words);
    }
    let assumed_words = if assumed > 0 { format!(" assumed={assumed}") } else { String::new() };
    let [nodes_seen, leaves_seen, positions_seen] = looked_at.map(AtomicU64::into_inner);
    if let (Some(shard), Some(work)) = (options.shard, &work) {
        let ranges = work_words(work, options.level, &pairs, &questions);
        return Ok(Verdict::Shard(format!(
            "{shard} {words} {ranges} positions={positions_seen}{assumed_words}"
        )));
    }
    if let Some(sample) = sample {
        let (blocks, of) = database.map_or((0, 0), |database| database.sampled);
        return Ok(Verdict::Sampled(format!(
            "{words} blocks={blocks}/{of} nodes={nodes_seen}/{} leaves={leaves_seen}/{} {sample}{assumed_words}",
            nodes + questions.len(),
            leaves,
        )));
    }
    words += &format!(" nodes={nodes} leaves={leaves} positions={positions}");
    Ok(match assumed {
        0 => Verdict::Verified(words),
        _ => Verdict::Conditional(words + &assumed_words),
    })
}

/// The ranges of a shard, each with its end of all after a slash; and the slices whose values were taken for
/// granted to verify other slices.
fn work_words(
    work: &Work,
    level: Level,
    pairs: &[SliceName],
    questions: &[(u8, usize, usize)],
) -> String {
    let (mut nodes, mut leaves) = (Vec::new(), Vec::new());
    for ((question, n, l), [own_nodes, own_leaves]) in questions.iter().zip(&work.questions) {
        let range = |r: &Range<usize>, of| format!("{question}:{}-{}/{of}", r.start, r.end);
        nodes.push(range(own_nodes, n + 1));
        leaves.push(range(own_leaves, *l));
    }
    let Range { start, end } = work.slices;
    let given = match level {
        _ if work.slices.is_empty() => 0,
        Level::Exact => below(pairs, &work.slices),
        Level::Consistent => pairs.len(),
    };
    let all = pairs.len();
    let mut words = format!("slices={start}-{end}/{all} given=0-{given}/{all}");
    for (name, ranges) in [("nodes", nodes), ("leaves", leaves)] {
        if !ranges.is_empty() {
            words += &format!(" {name}={}", ranges.join(","));
        }
    }
    words
}

fn database_verdict(board: &Board, pieces: Option<u8>, options: &Options) -> Result<Verdict, Stop> {
    options.agree(true)?;
    let most = board.squares();
    if pieces.is_some_and(|n| !(2..=most).contains(&u32::from(n))) {
        return Err(Stop::Error(format!("pieces: from 2 to {most} on {}", board.name())));
    }
    let progress = Progress::new(options.quiet);
    let (pieces, _) = directory::identify(&options.db, board, pieces)?;
    let pairs = pairs(board, pieces);
    let work = options.shard.map(|shard| Work::of(shard, board, &pairs, &[]));
    let extent = extent(options, work.as_ref());
    let all = options.sample().is_some();
    let CheckedDatabase { values, root, sampled: (blocks, of) } =
        directory::check(options, board, pieces, (None, all), &extent, &progress)?;
    let level = options.level.word();
    let words = format!("{} db={level}", database_words(board, pieces, &root.to_string()));
    if let (Some(shard), Some(work)) = (options.shard, work) {
        let ranges = work_words(&work, options.level, &pairs, &[]);
        return Ok(Verdict::Shard(format!("{shard} {words} {ranges}")));
    }
    if let Some(sample) = options.sample() {
        return Ok(Verdict::Sampled(format!("{words} blocks={blocks}/{of} {sample}")));
    }
    let (slices, indices) = (values.shapes().len(), values.indices());
    Ok(Verdict::Verified(format!("{words} slices={slices} indices={indices}")))
}
