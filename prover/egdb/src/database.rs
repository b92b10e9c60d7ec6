//! A database to look positions up in: the interface for other programs.

use std::path::Path;

use certificate_spec::cover::Cover;
use certificate_spec::value::Value;

use super::depth::Depths;
use crate::build::error::BuildError;
use crate::build::session::BuildSession;
use crate::disk::store::{Store, StoreError};
use crate::values::files::Miss;
use crate::values::resident::Values;
use draughtproof_game::{Board, Position};

/// How much of a database is held in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// So many bytes of decoded values, and 8 bytes for each 4096 indices of the database; others
    /// are read when they are needed.
    Cached(u64),
    /// All values, two bits a position, if that takes no more bytes than these. Opening takes as
    /// long as decoding the whole database.
    Resident(u64),
    /// The tables of all values that were made beside the database ([`BuildSession::map`], `prove
    /// db --map`), two bits a position, mapped into memory and shared by all processes. Slices of
    /// which there is none are as with [`Mode::Cached`], with so many bytes. Opening takes a
    /// moment.
    Mapped(u64),
}

impl Default for Mode {
    fn default() -> Self {
        Mode::Cached(256 << 20)
    }
}

/// What is known of a position without reading a file ([`Database::probe_cached`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cached {
    /// Its value.
    Value(Value),
    /// As where [`Database::probe`] has none.
    Unknown,
    /// A file would have to be read.
    NotCached,
}

/// A database on disk, opened for look-ups by any number of threads.
///
/// ```no_run
/// use draughtproof_egdb::{Database, Mode, Value};
/// use draughtproof_game::Board;
/// let board = Board::new(8, 8).unwrap();
/// let database = Database::open("egdb", &board, Mode::default())?;
/// let position = board.read_fen("W:W31,10:B3,1").unwrap();
/// assert_eq!(database.probe(&position)?, Some(Value::Win));
/// # Ok::<(), draughtproof_egdb::BuildError>(())
/// ```
///
/// A value is for the side to move, with a capture pending or not; never a guess: a position whose
/// slice is not there has none, and a damaged file is an error.
pub struct Database {
    values: Values,
    depths: Depths,
}

impl Database {
    /// Opens the database of `board` in the directory `root`, with the cover that it has.
    ///
    /// Files are read when they are needed, the checksum of each unit verified then; or all of them
    /// now ([`Mode::Resident`]), with their digests.
    ///
    /// # Errors
    /// [`BuildError`]: no database there, or a damaged one; too little memory to have it resident.
    pub fn open(root: impl AsRef<Path>, board: &Board, mode: Mode) -> Result<Self, BuildError> {
        let store = Store::new(root.as_ref(), board);
        let cover = store.manifest()?.cover;
        let values = match mode {
            Mode::Resident(memory) => {
                BuildSession::new(&store, &cover, memory)?.load_all(|_| ())?
            }
            Mode::Mapped(memory) => {
                let mut session = BuildSession::new(&store, &cover, u64::MAX)?;
                session.use_tables()?;
                session.into_values(memory)
            }
            Mode::Cached(memory) => {
                BuildSession::new(&store, &cover, u64::MAX)?.into_values(memory)
            }
        };
        Ok(Database { values, depths: Depths::open(root, board)? })
    }

    /// The board.
    pub fn board(&self) -> &Board {
        self.values.board()
    }

    /// Which positions are covered.
    pub fn cover(&self) -> &Cover {
        self.values.cover()
    }

    /// Whether a position is covered. (Its value is unknown all the same where a file is missing.)
    pub fn covers(&self, position: &Position) -> bool {
        self.values.covers(position)
    }

    /// The value for the side to move; `None` where it is not known: a position that the
    /// cover does not admit, or a slice whose file is not there.
    ///
    /// # Errors
    /// [`StoreError`] when a file cannot be read or is damaged, naming the file and the unit.
    pub fn probe(&self, position: &Position) -> Result<Option<Value>, StoreError> {
        self.values.try_probe(position)
    }

    /// The value for the side to move as far as it is in memory, for a search that cannot wait for
    /// a disk: no file is read and nothing decoded. (Mapped pages that the system has not in memory
    /// are read by it all the same.)
    ///
    /// # Errors
    /// As for [`Database::probe`].
    pub fn probe_cached(&self, position: &Position) -> Result<Cached, StoreError> {
        match self.values.probe_cached(position) {
            Ok(Some(value)) => Ok(Cached::Value(value)),
            Ok(None) => Ok(Cached::Unknown),
            Err(Miss::NotHere) => Ok(Cached::NotCached),
            Err(Miss::Error(error)) => Err(*error),
        }
    }

    /// The depth of a win or loss: the plies until the next capture, crowning or move of a man that
    /// keeps the value, that move included, when the winner hurries and the loser delays; 0 for a
    /// loss without a move. `None` for a draw, where [`Database::probe`] knows no value, and where
    /// no depths are stored (`prove db --depth`).
    ///
    /// # Errors
    /// As for [`Database::probe`]; [`StoreError::Depth`] when a depth file belongs to other values.
    pub fn depth(&self, position: &Position) -> Result<Option<u32>, StoreError> {
        match self.probe(position)? {
            Some(value) => self.depths.depth(position, value),
            None => Ok(None),
        }
    }

    /// The values of many positions, in order. What must be decoded is decoded once, by all
    /// threads; that is how to look up many positions that were not looked up before.
    ///
    /// # Errors
    /// As for [`Database::probe`].
    pub fn probe_batch(&self, positions: &[Position]) -> Result<Vec<Option<Value>>, StoreError> {
        self.values.probe_batch(positions)
    }

    /// Decodes what looking up these positions needs.
    ///
    /// # Errors
    /// As for [`Database::probe`].
    pub fn prefetch(&self, positions: &[Position]) -> Result<(), StoreError> {
        self.values.prefetch(positions)
    }
}
