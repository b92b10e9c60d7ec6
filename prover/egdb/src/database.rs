//! A database to look positions up in: the interface for other programs.

use std::path::Path;

use super::depth::Depths;
use crate::build::BuildError;
use crate::build::session::BuildSession;
use crate::disk::StoreError;
use crate::disk::store::Store;
use crate::values::files::Miss;
use crate::values::resident::Values;
use certificate_spec::cover::Cover;
use certificate_spec::value::Value;
use draughtproof_game::{Board, Position};

/// The place of a database's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// At most this many bytes of decoded values, and 8 bytes for each 4096 indices of the
    /// database; other values are read when they are needed.
    Cached(u64),
    /// All values, two bits a position, if that takes at most this many bytes. Opening takes as
    /// long as decoding the whole database.
    Resident(u64),
    /// The tables of all values that were made beside the database ([`BuildSession::map`], `prove
    /// db map`), two bits a position, mapped into memory and shared by all processes. Slices
    /// without a table are as with [`Mode::Cached`], with this many bytes. Opening takes a moment.
    Mapped(u64),
}

impl Default for Mode {
    fn default() -> Self {
        Mode::Cached(256 << 20)
    }
}

/// The result of a look-up that reads no file ([`Database::probe_cached`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cached {
    Value(Value),
    /// The database has no value, as where [`Database::probe`] returns `None`.
    Unknown,
    /// The value is in a file that would have to be read.
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
/// A value is for the side to move, whether a capture is pending or not. It is never a guess: a
/// position whose slice is missing has none, and a damaged file is an error.
pub struct Database {
    pub(crate) values: Values,
    pub(crate) depths: Depths,
}

impl Database {
    /// Opens the database of `board` in the directory `root`, with the cover that it has.
    ///
    /// Files are read when they are needed, and the checksum of each unit is verified then; with
    /// [`Mode::Resident`] all files are read at once, and their digests are verified.
    ///
    /// # Errors
    /// [`BuildError`]: the database is missing or damaged, or the memory is too small to hold it.
    pub fn open(root: impl AsRef<Path>, board: &Board, mode: Mode) -> Result<Self, BuildError> {
        let store = Store::new(root.as_ref(), board);
        let cover = store.manifest()?.cover;
        let values = match mode {
            Mode::Resident(memory) => {
                BuildSession::new(&store, &cover, memory)?.load_all(|_| ())?
            }
            Mode::Mapped(memory) => {
                let mut session = BuildSession::new(&store, &cover, u64::MAX)?;
                session.use_tables();
                session.into_values(memory)
            }
            Mode::Cached(memory) => {
                BuildSession::new(&store, &cover, u64::MAX)?.into_values(memory)
            }
        };
        Ok(Database { values, depths: Depths::open(root, board)? })
    }

    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The depths beside the values, as far as they are stored.
    pub fn depths(&self) -> &Depths {
        &self.depths
    }

    pub fn board(&self) -> &Board {
        self.values.board()
    }

    pub fn cover(&self) -> &Cover {
        self.values.cover()
    }

    /// Whether the cover includes a position. (If a file is missing, its value is still unknown.)
    pub fn covers(&self, position: &Position) -> bool {
        self.values.covers(position)
    }

    /// The value for the side to move; `None` where it is not known: for a position that the cover
    /// does not admit, or of a slice whose file is missing.
    ///
    /// # Errors
    /// [`StoreError`] when a file cannot be read or is damaged, naming the file and the unit.
    pub fn probe(&self, position: &Position) -> Result<Option<Value>, StoreError> {
        self.values.try_probe(position)
    }

    /// The value for the side to move if it is in memory, for a search that cannot wait for a disk:
    /// no file is read and nothing is decoded. (The system itself reads mapped pages that are not
    /// in memory.)
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

    /// The values of many positions, in order. Each part that must be decoded is decoded once, by
    /// all threads, so this is how to look up many positions for the first time.
    pub fn probe_batch(&self, positions: &[Position]) -> Result<Vec<Option<Value>>, StoreError> {
        self.values.probe_batch(positions)
    }

    /// Decodes the parts that looking up these positions needs.
    pub fn prefetch(&self, positions: &[Position]) -> Result<(), StoreError> {
        self.values.prefetch(positions)
    }
}
