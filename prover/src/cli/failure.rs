//! The reasons why a command fails, with their exit statuses.

use std::io;
use std::path::{Path, PathBuf};
#[cfg(feature = "farm")]
use std::time::Duration;

#[cfg(feature = "farm")]
use draughtproof_farm::{FarmError, SliceStoreError};
use draughtproof_play::book::BookError;
use draughtproof_play::lookup::LookupError;
use draughtproof_proof::certificate::{BrokenProof, EmitError, ReadError};
use draughtproof_proof::combine::CombineError;
use draughtproof_proof::expand::ExpandError;
use draughtproof_proof::proof::{LedgerError, SolveError, Stop, Undecided};
use draughtproof_proof::report::FirstMovesError;
use draughtproof_proof::search::StrategyError;
#[cfg(feature = "serve")]
use draughtproof_serve::NoteError;
use thiserror::Error;

use crate::board::{FenError, MoveError};
use crate::egdb::atomic::{is_about_space, parent};
use crate::egdb::exchange::ExchangeError;
use crate::egdb::numbers::counted;
use crate::egdb::{BuildError, OutOfMemory, StoreError};

/// The reason why a command failed; each kind has an exit status.
#[derive(Debug, Error)]
pub enum Failure {
    #[error("{0}")]
    Input(String),
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error("{faulty} of {} with a fault", counted(*games, "game"))]
    Games { faulty: usize, games: usize },
    #[error("{unread} of {} cannot be read", counted(*files, "file"))]
    Unread { unread: usize, files: usize },
    #[error("{0}; the game cannot be kept, and nothing is written")]
    Unkept(String),
    #[error("{bad} of {} without a position; the others are answered", counted(*lines, "line"))]
    Lines { bad: usize, lines: usize },
    #[error(transparent)]
    Move(#[from] MoveError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Emit(#[from] EmitError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Broken(#[from] BrokenProof),
    #[error(transparent)]
    FirstMoves(#[from] FirstMovesError),
    #[error(transparent)]
    LookUp(#[from] LookupError),
    #[error(transparent)]
    Expand(#[from] ExpandError),
    #[error("a leaf strategy does not hold: {0}")]
    Strategy(#[from] StrategyError),
    #[error(transparent)]
    Combine(#[from] CombineError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    #[error("{disagree} of {lines} values are not those of the database")]
    Differences { disagree: u64, lines: u64 },
    #[cfg(feature = "serve")]
    #[error("--note {0}")]
    Note(#[from] NoteError),
    #[error("{0}{hint}", hint = if_interrupted(.0))]
    Unsolved(Undecided),
    #[error(transparent)]
    Solve(SolveError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[cfg(feature = "farm")]
    #[error(transparent)]
    Slices(#[from] SliceStoreError),
    #[cfg(feature = "farm")]
    #[error(transparent)]
    Farm(#[from] FarmError),
    #[cfg(feature = "farm")]
    #[error("{address}: no broker answers within {} s; is it running there?", patience.as_secs())]
    NoBroker { address: String, patience: Duration },
    #[cfg(feature = "farm")]
    #[error("interrupted before there was a broker")]
    Interrupted,
    #[cfg(feature = "farm")]
    #[error("{0}: no manager answers; is one running, with the same --farm?")]
    NoManager(String),
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    #[error("{0}")]
    Resource(String),
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("standard input or output: {0}")]
    Io(#[from] io::Error),
    #[error(
        "no space left on {}: make room there and start the same command again, which goes on from \
         what is finished ({failure})", directory.display()
    )]
    Full { directory: PathBuf, failure: Box<Failure> },
    #[error("{failure}: {advice}")]
    Advised { failure: Box<Failure>, advice: String },
}

impl Failure {
    /// The failure of a command or option that needs a feature which this program was built
    /// without.
    #[cfg(not(all(feature = "farm", feature = "serve")))]
    pub(super) fn left_out(what: &str, feature: &str) -> Self {
        Failure::Input(format!(
            "{what}: expected a program with the feature {feature}, found one without it; `cargo \
             build --release --features full` builds one with all features"
        ))
    }

    /// The failure of a file or directory that cannot be read or written.
    pub(super) fn file(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Failure::File { path: path.into(), source }
    }

    /// This failure together with advice on what to do.
    pub(super) fn with_advice(self, advice: &str) -> Self {
        Failure::Advised { failure: Box::new(self), advice: advice.into() }
    }

    /// The exit status of the process.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Advised { failure, .. } | Failure::Full { failure, .. } => failure.status(),
            Failure::Unsolved(_)
            | Failure::Games { .. }
            | Failure::Unkept(_)
            | Failure::Lines { .. }
            | Failure::Solve(SolveError::DoesNotHold { .. })
            | Failure::Combine(CombineError::Missing(_))
            | Failure::Differences { .. } => 1,
            #[cfg(feature = "farm")]
            Failure::Interrupted | Failure::NoManager(_) => 1,
            Failure::Combine(CombineError::Broken(_)) => 3,
            Failure::Input(_)
            | Failure::Fen(_)
            | Failure::Move(_)
            | Failure::Combine(_)
            | Failure::Book(BookError::Line { .. })
            | Failure::Exchange(ExchangeError::Line { .. }) => 2,
            #[cfg(feature = "farm")]
            Failure::Farm(FarmError::Address { .. } | FarmError::Name(_)) => 2,
            #[cfg(feature = "farm")]
            Failure::Farm(FarmError::Objects(place))
            | Failure::Slices(SliceStoreError::Place(place))
                if place.is_usage =>
            {
                2
            }
            #[cfg(feature = "serve")]
            Failure::Note(_) => 2,
            _ => 3,
        }
    }

    /// Adds advice to a failure, using only options that the command has, as `has` says.
    #[must_use]
    pub(super) fn advised(self, has: impl Fn(&str) -> bool) -> Failure {
        if let Some((path, error)) = self.of_system()
            && is_about_space(error)
        {
            let directory = parent(path).to_path_buf();
            return Failure::Full { directory, failure: Box::new(self) };
        }
        let ways: Vec<&str> =
            self.ways().iter().filter(|(option, _)| has(option)).map(|(_, way)| *way).collect();
        let advice = match ways.split_last() {
            None => return self,
            Some((last, [])) => (*last).into(),
            Some((last, [one])) => format!("{one} or {last}"),
            Some((last, ways)) => format!("{}, or {last}", ways.join(", ")),
        };
        self.with_advice(&advice)
    }

    /// The error of the operating system that the failure is, and its file or directory.
    fn of_system(&self) -> Option<(&Path, &io::Error)> {
        match self {
            Failure::File { path, source }
            | Failure::Store(StoreError::Io { path, source })
            | Failure::Build(BuildError::Store(StoreError::Io { path, source }))
            | Failure::Emit(EmitError::Io { path, source })
            | Failure::Ledger(LedgerError::Io { path, source }) => Some((path, source)),
            _ => None,
        }
    }

    /// The options that can help against a failure, and the advice that goes with each.
    fn ways(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Failure::Build(BuildError::Memory { .. }) => &[
                ("pieces", "take fewer --pieces"),
                ("memory", "allow more --memory"),
                ("partly", "begin --partly"),
            ],
            Failure::Memory(_) => &[
                ("leaf-table", "use a smaller --leaf-table"),
                ("hash", "use a smaller --hash"),
                ("threads", "use fewer --threads"),
                ("memory", "allow less --memory"),
            ],
            Failure::Build(BuildError::LeftOut { .. }) => {
                &[("memory", "run it again with more --memory")]
            }
            Failure::Build(BuildError::TableSpace { .. }) => {
                &[("map-space", "use a smaller --map-space"), ("values", "use --values cached")]
            }
            Failure::Unsolved(Undecided { stop: Stop::Budget | Stop::Decided, .. }) => {
                &[("max-nodes", "allow more --max-nodes"), ("pieces", "use more --pieces")]
            }
            _ => &[],
        }
    }
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Undecided(undecided) => Failure::Unsolved(undecided),
            error => Failure::Solve(error),
        }
    }
}

/// Describes how to go on after an interruption.
fn if_interrupted(undecided: &Undecided) -> &'static str {
    match undecided {
        Undecided { stop: Stop::Interrupted, is_kept: true, .. } => {
            ": the same command goes on from what is kept"
        }
        Undecided { stop: Stop::Interrupted, .. } => {
            ": nothing of it is kept, as its search had gone on for less than 10 s; the same command \
             begins it again"
        }
        _ => "",
    }
}
