//! Why a command failed.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::board::{FenError, MoveError};
use crate::book::BookError;
use crate::certificate::{BrokenProof, EmitError, ReadError};
use crate::cluster::SliceStoreError;
use crate::combine::CombineError;
use crate::egdb::{BuildError, StoreError};
use crate::exchange::ExchangeError;
use crate::farm::FarmError;
use crate::literature::{ContradictionError, LiteratureError};
use crate::lookup::LookupError;
use crate::play::PlayError;
use crate::proof::{LedgerError, SolveError, Stop, Undecided};
use crate::report::FirstMovesError;
use crate::search::StrategyError;
use crate::serve::NoteError;

/// Why a command failed; each kind has an exit status.
#[derive(Debug, Error)]
pub enum Failure {
    /// Bad input.
    #[error("{0}")]
    Input(String),
    /// A FEN.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// Games that cannot be read, of those in a file.
    #[error("{faulty} of {games} games have a fault")]
    Games {
        /// How many have one.
        faulty: usize,
        /// How many there are.
        games: usize,
    },
    /// A game with a fault that is too long to be kept.
    #[error("{0}; the game cannot be kept, and nothing is written")]
    Unkept(String),
    /// Lines that are no positions, among others that were answered.
    #[error("{bad} of {lines} lines are no positions; the others are answered")]
    Lines {
        /// How many are none.
        bad: usize,
        /// How many there are.
        lines: usize,
    },
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
    /// A strategy of the proof; a mistake of the prover.
    #[error("a leaf strategy does not hold: {0}")]
    Strategy(#[from] StrategyError),
    /// Certificates that cannot be joined.
    #[error(transparent)]
    Combine(#[from] CombineError),
    /// A file of published values.
    #[error(transparent)]
    Literature(#[from] LiteratureError),
    /// An opening book.
    #[error(transparent)]
    Book(#[from] BookError),
    /// Exporting, importing or comparing a database.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// Certificates and database do not go together.
    #[error(transparent)]
    Contradiction(#[from] ContradictionError),
    /// Values of another program that are not those of the database.
    #[error("{disagree} of {lines} values are not those of the database")]
    Differences {
        /// How many.
        disagree: u64,
        /// Of how many.
        lines: u64,
    },
    /// A note of what was checked.
    #[error("--note {0}")]
    Note(#[from] NoteError),
    /// Published values that are wrong, if what was compared with them is right.
    #[error("{disagree} of {lines} published values disagree with what is proved")]
    Disagreements {
        /// How many disagree.
        disagree: usize,
        /// Of how many.
        lines: usize,
    },
    /// A question that was not decided.
    #[error("{0}{hint}", hint = if_interrupted(.0))]
    Unsolved(Undecided),
    /// The proof.
    #[error(transparent)]
    Solve(SolveError),
    /// The file of results.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Slices in an object store.
    #[error(transparent)]
    Slices(#[from] SliceStoreError),
    /// The farm.
    #[error(transparent)]
    Farm(#[from] FarmError),
    /// No broker is there.
    #[error("{address}: no broker answers within {} s; is it running there?", patience.as_secs())]
    NoBroker {
        /// Where it should be.
        address: String,
        /// How long it was waited for.
        patience: Duration,
    },
    /// It was interrupted before it could begin.
    #[error("interrupted before there was a broker")]
    Interrupted,
    /// No manager is there.
    #[error("{0}: no manager answers; is one running, with the same --farm?")]
    NoManager(String),
    /// Not enough memory, or threads.
    #[error("{0}")]
    Resource(String),
    /// A file that is written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Standard input or output.
    #[error("standard input or output: {0}")]
    Io(#[from] io::Error),
    /// A failure with what to do about it.
    #[error("{failure}: {advice}")]
    Advised {
        /// The failure.
        failure: Box<Failure>,
        /// What to do, by options that the command has.
        advice: String,
    },
}

impl Failure {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Advised { failure, .. } => failure.status(),
            Failure::Unsolved(_)
            | Failure::Games { .. }
            | Failure::Unkept(_)
            | Failure::Lines { .. }
            | Failure::Solve(SolveError::DoesNotHold { .. })
            | Failure::Combine(CombineError::Missing(_))
            | Failure::Differences { .. }
            | Failure::Interrupted
            | Failure::NoManager(_)
            | Failure::Disagreements { .. } => 1,
            Failure::Combine(CombineError::Broken(_)) => 3,
            Failure::Input(_)
            | Failure::Note(_)
            | Failure::Fen(_)
            | Failure::Move(_)
            | Failure::Combine(_)
            | Failure::Farm(FarmError::Address { .. } | FarmError::Name(_))
            | Failure::Slices(SliceStoreError::Place(_))
            | Failure::Book(BookError::Line { .. })
            | Failure::Exchange(ExchangeError::Line { .. })
            | Failure::Literature(LiteratureError::Line { .. }) => 2,
            _ => 3,
        }
    }

    /// The same with what to do about it, by those of its options that a command has.
    #[must_use]
    pub(super) fn advised(self, has: impl Fn(&str) -> bool) -> Failure {
        let ways: Vec<&str> =
            self.ways().iter().filter(|(option, _)| has(option)).map(|(_, way)| *way).collect();
        let advice = match ways.split_last() {
            None => return self,
            Some((last, [])) => (*last).into(),
            Some((last, [one])) => format!("{one} or {last}"),
            Some((last, ways)) => format!("{}, or {last}", ways.join(", ")),
        };
        Failure::Advised { failure: Box::new(self), advice }
    }

    /// What can be done about it: options, and what to do with each.
    fn ways(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Failure::Build(BuildError::Memory { .. }) => &[
                ("pieces", "take fewer --pieces"),
                ("memory", "allow more --memory"),
                ("partly", "begin --partly"),
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

impl From<LookupError> for Failure {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Store(error) => Failure::Store(error),
            LookupError::Move(error) => Failure::Move(error),
        }
    }
}

impl From<FirstMovesError> for Failure {
    fn from(error: FirstMovesError) -> Self {
        match error {
            FirstMovesError::Broken(error) => Failure::Broken(error),
            FirstMovesError::Move(error) => Failure::Move(error),
        }
    }
}

impl From<PlayError> for Failure {
    fn from(error: PlayError) -> Self {
        match error {
            PlayError::Lookup(error) => error.into(),
            PlayError::Proof(error) => Failure::Broken(error),
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

/// How it goes on after an interruption.
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
