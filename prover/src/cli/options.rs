//! Options that say which game, claim and database a command is about.

use std::path::PathBuf;

use certificate_spec::database::DatabaseManifest;
use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::machine::MachineOptions;
use crate::board::{Board, Game};
use crate::egdb::{BuildSession, Database, Depths, Mode, Store, StoreError, Values};
use crate::prepare_database::{load, load_finished, most_pieces};
use crate::proof::Asked;

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

impl From<ClaimOption> for Asked {
    fn from(claim: ClaimOption) -> Self {
        match claim {
            ClaimOption::Value => Asked::Value,
            ClaimOption::BlackNotLost => Asked::BlackNotLost,
            ClaimOption::WhiteNotLost => Asked::WhiteNotLost,
        }
    }
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

/// Makes sure that a database of this board can have so many pieces.
pub(super) fn check_pieces(board: &Board, pieces: u8) -> Result<(), Failure> {
    let most = most_pieces(board);
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
