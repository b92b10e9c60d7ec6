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
mod leaf;
mod numbering;
mod progress;
mod rules;
mod tree;
mod verdict;

pub use database::{Database, Table, Value};
pub use derive::{OutOfMemory, derive};
pub use fen::{parse as parse_fen, write as write_fen};
pub use numbering::Shape;
pub use progress::Progress;
pub use rules::{Board, Game, Position, Side, perft};
pub use verdict::{Finding, Stop, Verdict};

use certificate_spec::nodes::kind;
use directory::{CheckedDatabase, Wanted};
use std::path::{Path, PathBuf};

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

/// How to check.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder of databases.
    pub db: PathBuf,
    /// How well to check values of databases.
    pub level: Level,
    /// The number of threads, or as many as the machine has.
    pub threads: Option<usize>,
    /// Whether to be silent on standard error.
    pub quiet: bool,
}

impl Options {
    /// The level exact, all threads, silent.
    pub fn new(db: impl Into<PathBuf>) -> Options {
        Options { db: db.into(), level: Level::Exact, threads: None, quiet: true }
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
        Ok(pool) => pool.install(check).unwrap_or_else(Verdict::from),
        Err(error) => Verdict::error(format!("cannot start {threads} threads: {error}")),
    }
}

fn certificate_verdict(path: &Path, options: &Options) -> Result<Verdict, Stop> {
    let progress = Progress::new(options.quiet);
    let (text, claim, game, start) = certificate::read_claim(path)?;
    let wins = claim.value.questions().iter().any(|question| question.is_win());
    if wins && claim.pieces > 0 && options.level == Level::Consistent {
        let finding = Finding::new("level", "CLAIM").expected(Level::Exact.word());
        return Err(finding.found(options.level.word()).declined());
    }
    let head = certificate::read_head(path, &text, claim, game, start)?;
    let bytes = head.read_objects(path);
    let parts = head.parts(&bytes)?;
    let board = head.game.board();
    let database = match head.claim.database {
        Some(root) if head.claim.pieces > 0 => {
            let wanted =
                Wanted { pieces: Some(head.claim.pieces), root: Some(root), level: options.level };
            Some(directory::check(&options.db, board, &wanted, &progress)?)
        }
        _ => None,
    };

    let (mut nodes, mut leaves, mut positions, mut assumed) = (0, 0, 0u64, 0);
    for part in &parts {
        nodes += part.nodes.len() as u64;
        leaves += part.leaves.len() as u64;
        assumed += part.nodes.iter().filter(|node| node.kind == kind::ASSUMED).count() as u64;
        // Saturating: these numbers are only claimed until the leaves have been replayed.
        positions =
            part.leaves.iter().fold(positions, |sum, leaf| sum.saturating_add(leaf.positions));
    }
    progress.begin("checking nodes and leaves", positions.saturating_add(nodes));
    for part in &parts {
        let values = database.as_ref().map(|database| &database.values);
        let tree =
            tree::Tree { board, database: values, question: part.question, nodes: &part.nodes };
        tree::check(&tree, part, &head.start, &|units| progress.add(units))?;
    }
    progress.end();

    let initial = head.start == head.game.initial();
    let start = if initial { "initial".into() } else { fen::write(&head.start) };
    let (level, db_root) = match &database {
        Some(database) => (options.level.word(), database.root.to_string()),
        None => ("none", "none".into()),
    };
    let words = format!(
        "{} {} start={start} root={} db={level} pieces={} db-root={db_root} nodes={nodes} leaves={leaves} positions={positions}",
        head.claim.value.word(),
        head.game.name(),
        head.root,
        head.claim.pieces,
    );
    Ok(if assumed == 0 {
        Verdict::Verified(words)
    } else {
        Verdict::Conditional { words, assumed }
    })
}

fn database_verdict(board: &Board, pieces: Option<u8>, options: &Options) -> Result<Verdict, Stop> {
    let progress = Progress::new(options.quiet);
    if let Some(n) = pieces
        && !(2..=board.squares()).contains(&u32::from(n))
    {
        return Err(Stop::Error(format!(
            "pieces: from 2 to {} on {}",
            board.squares(),
            board.name()
        )));
    }
    let wanted = Wanted { pieces, root: None, level: options.level };
    let CheckedDatabase { values, pieces, root } =
        directory::check(&options.db, board, &wanted, &progress)?;
    let slices = values.tables().len();
    let indices: u64 = values.tables().iter().map(|table| table.shape.indices).sum();
    Ok(Verdict::Verified(format!(
        "DATABASE {} pieces={pieces} db-root={root} db={} slices={slices} indices={indices}",
        board.name(),
        options.level.word(),
    )))
}
