//! Options and errors that subcommands share.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use certificate_spec::database::DatabaseManifest;
use clap::{Args, ValueEnum};
use thiserror::Error;

use crate::board::{Board, FenError, Game, MoveError, Position};
use crate::egdb::{
    BuildError, BuildSession, Database, Depths, Mode, Slice, Store, StoreError, Values,
};
use crate::emit::{BrokenProof, EmitError, ReadError};
use crate::ensure::{load, load_finished};
use crate::progress::Progress;
use crate::proof::{ProofError, ResultsError};
use crate::search::Search;

/// Why a command failed; each kind has an exit status.
#[derive(Debug, Error)]
pub enum Failure {
    /// The question has another answer, or none was found in time.
    #[error("{0}")]
    Undecided(String),
    /// Bad input.
    #[error("{0}")]
    Input(String),
    /// A FEN.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Building it.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The certificate.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// A certificate that was read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A certificate that was read and proves nothing.
    #[error(transparent)]
    Broken(#[from] BrokenProof),
    /// The proof.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// The file of results.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// Not enough memory, or threads.
    #[error("{0}")]
    Resource(String),
    /// A file that is written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard input or output.
    #[error("standard input or output: {0}")]
    Io(#[from] io::Error),
}

impl Failure {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Undecided(_) => 1,
            Failure::Input(_) | Failure::Fen(_) | Failure::Move(_) => 2,
            _ => 3,
        }
    }
}

/// Which game.
#[derive(Args, Debug)]
pub(super) struct GameOption {
    /// The game: RxC or RxC/k
    #[arg(long, value_name = "GAME", default_value = "6x6")]
    pub(super) game: Game,
}

/// What is to be proved.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimOption {
    /// The exact value, whatever it is
    Value,
    /// Black does not lose
    BlackNotLost,
    /// White does not lose
    WhiteNotLost,
}

/// Where databases are.
#[derive(Args, Debug)]
pub(super) struct DatabaseOption {
    /// Directory of the databases; that of the board RxC is DIR/RxC
    #[arg(long, value_name = "DIR", default_value = "egdb")]
    pub(super) db: PathBuf,
}

/// A database that is there.
#[derive(Args, Debug)]
pub(super) struct StoredOptions {
    #[command(flatten)]
    pub(super) game: GameOption,
    #[command(flatten)]
    db: DatabaseOption,
    /// Use the database with at most N pieces [default: all that are there]
    #[arg(long, value_name = "N")]
    pub(super) pieces: Option<u8>,
}

impl StoredOptions {
    pub(super) fn board(&self) -> &Board {
        &self.game.game.board
    }

    /// The depths beside the database, if there are any.
    pub(super) fn depths(&self) -> Result<Depths, Failure> {
        Ok(Depths::open(&self.db.db, self.board())?)
    }

    /// Where the database is.
    pub(super) fn store(&self) -> Store {
        Store::new(&self.db.db, self.board())
    }

    /// Its MANIFEST, for as many pieces as are wanted.
    pub(super) fn manifest(&self, store: &Store) -> Result<DatabaseManifest, StoreError> {
        match self.pieces {
            Some(pieces) => store.manifest_of(pieces),
            None => store.manifest(),
        }
    }

    /// Has all of it in memory.
    pub(super) fn load(&self, machine: &MachineOptions) -> Result<Values, Failure> {
        let store = self.store();
        let pieces = self.manifest(&store)?.pieces;
        BuildSession::check_memory(self.board(), pieces, machine.memory())?;
        Ok(load_finished(&store, pieces, machine.memory(), &machine.progress())?)
    }

    /// Has all of it in memory; none, if none is wanted or there.
    pub(super) fn load_if_there(&self, machine: &MachineOptions) -> Result<Values, Failure> {
        let loaded = match self.pieces {
            Some(0) => None,
            Some(_) => Some(self.load(machine)?),
            None => match self.load(machine) {
                Err(Failure::Store(StoreError::Missing { .. })) => None,
                loaded => Some(loaded?),
            },
        };
        Ok(loaded.unwrap_or_else(|| {
            machine.progress().say("no database is used".into());
            Values::empty(self.board())
        }))
    }

    /// Opens it for look-ups of positions with at most so many pieces.
    pub(super) fn open(&self) -> Result<(Database, u8), Failure> {
        let most = self.manifest(&self.store())?.pieces;
        Ok((Database::open(&self.db.db, self.board(), Mode::default())?, most))
    }
}

/// What the machine may be used for.
#[derive(Args, Debug)]
pub(super) struct MachineOptions {
    /// Threads [default: one for each core]. The result does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Memory to use at the most, such as 512MiB or 4GiB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// No progress on standard error
    #[arg(long, short)]
    quiet: bool,
}

/// Which database, and with what.
#[derive(Args, Debug)]
pub(super) struct BuildOptions {
    #[command(flatten)]
    game: GameOption,
    /// All positions with at most N pieces
    #[arg(long, value_name = "N")]
    pub(super) pieces: u8,
    #[command(flatten)]
    db: DatabaseOption,
    #[command(flatten)]
    pub(super) machine: MachineOptions,
}

impl BuildOptions {
    /// Sets the number of threads; where the database is or will be.
    pub(super) fn start(&self) -> Result<Store, Failure> {
        let board = &self.game.game.board;
        check_pieces(board, self.pieces)?;
        self.machine.start()?;
        Ok(Store::new(&self.db.db, board))
    }
}

/// The tables of searches.
#[derive(Args, Debug)]
pub(super) struct TableOption {
    /// Memory of the table of a search, such as 512MiB or 4GiB, and half as much again while it grows. When
    /// it is full the search goes on and forgets what took the least work
    #[arg(long = "leaf-table", value_name = "SIZE", default_value = "1GiB", value_parser = parse_size)]
    pub(super) bytes: u64,
}

impl TableOption {
    /// Whether so many tables, of searches of so many nodes, are within the memory that may be used.
    pub(super) fn check(&self, nodes: u64, tables: u64, memory: u64) -> Result<(), Failure> {
        let each = self.bytes.min(Search::most_bytes(nodes));
        let needed = (each + each / 2).saturating_mul(tables);
        if needed <= memory {
            return Ok(());
        }
        let mib = |bytes: u64| bytes >> 20;
        Err(Failure::Resource(format!(
            "{tables} searches with tables of {} MiB need {} MiB; expected at most {} MiB: use a smaller \
             --leaf-table, fewer --threads or more --memory",
            mib(each),
            mib(needed),
            mib(memory)
        )))
    }
}

/// Output for people or for programs.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Aligned columns
    Text,
    /// Columns separated by tabs
    Tsv,
    /// One JSON object a line
    Json,
}

/// Output for people, at a terminal or in a browser, or for programs.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageFormat {
    /// Aligned columns
    Text,
    /// Columns separated by tabs
    Tsv,
    /// One JSON object a line
    Json,
    /// A page for a browser, with bars
    Html,
}

fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err("expected a number and B, KiB, MiB, GiB or TiB".into()),
    };
    let number: u64 = number.parse().map_err(|_| "expected a number first".to_string())?;
    number.checked_mul(1 << shift).ok_or_else(|| "too large".into())
}

/// A number of bytes for people.
pub(super) fn bytes(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if value < 10.0 && unit > 0 { 1 } else { 0 };
    format!("{value:.digits$} {}", units[unit])
}

impl MachineOptions {
    pub(super) fn progress(&self) -> Progress {
        Progress::new(self.quiet)
    }

    /// Sets the number of threads of this process.
    pub(super) fn start(&self) -> Result<(), Failure> {
        if self.threads == Some(0) {
            return Err(Failure::Input("--threads: expected at least 1, found 0".into()));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0));
        pool.build_global().map_err(|e| Failure::Resource(format!("cannot start threads: {e}")))
    }

    /// The number of workers of a proof.
    pub(super) fn workers(&self) -> usize {
        rayon::current_num_threads()
    }

    /// Bytes that may be used.
    pub(super) fn memory(&self) -> u64 {
        self.memory.or_else(free_memory).unwrap_or(4 << 30)
    }
}

/// Three quarters of the memory that the system says is available.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024 / 4 * 3)
}

/// A number of pieces that a database of this board can have.
pub(super) fn check_pieces(board: &Board, pieces: u8) -> Result<(), Failure> {
    // Beyond that the positions cannot even be counted in 64 bits.
    let indices = |pieces| -> u128 {
        let of = |slice: &Slice| {
            let (rows, columns) = slice.block_size(board);
            u128::from(slice.blocks(board)) * u128::from(rows) * u128::from(columns)
        };
        Slice::all(board, pieces).iter().map(of).sum()
    };
    let most = (3..=board.squares()).find(|&n| indices(n) > i64::MAX as u128);
    let most = most.map_or(board.squares(), |n| n - 1);
    if (2..=most).contains(&pieces) {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "--pieces: expected 2 to {most} on {}, found {pieces}",
        board.name()
    )))
}

/// Builds or reads a database.
pub(super) fn database(
    machine: &MachineOptions,
    db: &DatabaseOption,
    board: &Board,
    pieces: u8,
) -> Result<Values, Failure> {
    Ok(load(&Store::new(&db.db, board), pieces, machine.memory(), &machine.progress())?)
}

/// Handles each FEN of the command line or, if there are none, each line of standard input.
pub(super) fn each_fen(
    board: &Board,
    fens: &[String],
    mut answer: impl FnMut(&Position) -> Result<String, Failure>,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut one = |fen: &str| {
        let position = board.read_fen(fen)?;
        writeln!(out, "{fen}\t{}", answer(&position)?)?;
        // One answer at a time, for a program that waits for it.
        out.flush()?;
        Ok::<(), Failure>(())
    };
    if !fens.is_empty() {
        return fens.iter().try_for_each(|fen| one(fen));
    }
    for (i, line) in io::stdin().lock().lines().enumerate() {
        let line = line?;
        let at_line = |e: Failure| match e {
            Failure::Fen(e) => Failure::Input(format!("standard input, line {}: {e}", i + 1)),
            other => other,
        };
        if !line.trim().is_empty() {
            one(line.trim()).map_err(at_line)?;
        }
    }
    Ok(())
}

/// What a claim with so many Assumed nodes is worth, to be added to it.
pub(super) fn if_assumed(nodes: usize) -> String {
    match nodes {
        0 => String::new(),
        1 => ", if 1 assumed node holds".into(),
        n => format!(", if {n} assumed nodes hold"),
    }
}
