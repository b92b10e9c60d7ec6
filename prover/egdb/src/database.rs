//! A database to look positions up in: the interface for other programs.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use certificate_spec::cover::Cover;
use certificate_spec::slice::{self, Unit};
use certificate_spec::value::Value;
use rayon::prelude::*;

use super::depth::Depths;
use crate::build::error::BuildError;
use crate::build::session::BuildSession;
use crate::codec::decode::{Scratch, SliceDecoder};
use crate::codec::units::unit_count;
use crate::disk::store::{Store, StoreError};
use crate::index::cover::{SideLimits, SliceArray};
use crate::index::slice::{Slice, locate};
use crate::values::cache::{Cache, Groups};
use crate::values::resident::Values;
use draughtproof_game::{Board, Position};

/// How much of a database is held in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// So many bytes of decoded units; others are read when they are needed.
    Cached(u64),
    /// All values, two bits a position, if that takes no more bytes than these. Opening takes as
    /// long as decoding the whole database.
    Resident(u64),
    /// The tables of all values that were made beside the database ([`BuildSession::map`], `prove db
    /// --map`), two bits a position, mapped into memory and shared by all processes. Slices of
    /// which there is none are as with [`Mode::Cached`], with so many bytes. Opening takes a moment.
    Mapped(u64),
}

impl Default for Mode {
    fn default() -> Self {
        Mode::Cached(256 << 20)
    }
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
    board: Board,
    cover: Cover,
    limits: SideLimits,
    values: Access,
    depths: Depths,
}

enum Access {
    Tables(Box<Values>),
    Cached(Box<Files>),
}

/// The files of a database, and what of them has been decoded.
pub(crate) struct Files {
    store: Store,
    /// For each slice, by place.
    slices: Vec<SliceFile>,
    places: SliceArray,
    cache: Cache,
}

struct SliceFile {
    slice: Slice,
    /// The number of its first unit among those of all slices.
    first_unit: usize,
    opened: OnceLock<Opened>,
}

struct Opened {
    path: PathBuf,
    file: File,
    decoder: SliceDecoder,
}

impl Database {
    /// Opens the database of `board` in the directory `root`, with the cover that it has.
    ///
    /// Files are read when they are needed ([`Mode::Cached`]), the checksum of each part verified
    /// then; or all of them now ([`Mode::Resident`]), with their digests.
    ///
    /// # Errors
    /// [`BuildError`]: no database there, or a damaged one; too little memory to have it resident.
    pub fn open(root: impl AsRef<Path>, board: &Board, mode: Mode) -> Result<Self, BuildError> {
        let store = Store::new(root.as_ref(), board);
        let cover = store.manifest()?.cover;
        let values = match mode {
            Mode::Resident(memory) => {
                let values = BuildSession::new(&store, &cover, memory)?.load_all(|_| ())?;
                Access::Tables(Box::new(values))
            }
            Mode::Mapped(memory) => {
                let mut session = BuildSession::new(&store, &cover, u64::MAX)?;
                session.use_tables()?;
                Access::Tables(Box::new(session.into_values(memory)))
            }
            Mode::Cached(memory) => Access::Cached(Box::new(Files::new(store, &cover, memory))),
        };
        let depths = Depths::open(root, board)?;
        let limits = SideLimits::new(&cover);
        Ok(Database { board: board.clone(), cover, limits, values, depths })
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Which positions are covered.
    pub fn cover(&self) -> &Cover {
        &self.cover
    }

    /// Whether a position is covered. (Its value is unknown all the same where a file is missing.)
    pub fn covers(&self, position: &Position) -> bool {
        self.limits.admit(position.black.count_ones(), position.white.count_ones())
    }

    /// The value for the side to move; `None` where it is not known: a position that the
    /// cover does not admit, or a slice whose file is not there.
    ///
    /// # Errors
    /// [`StoreError`] when a file cannot be read or is damaged, naming the file and the unit.
    pub fn probe(&self, position: &Position) -> Result<Option<Value>, StoreError> {
        if !self.covers(position) {
            return Ok(None);
        }
        match &self.values {
            Access::Tables(values) => values.try_probe(position),
            Access::Cached(files) => files.probe(&self.board, position),
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

    /// The values of many positions, in order. Units that must be read are decoded once each, by
    /// all threads; that is how to look up many positions that were not looked up before.
    ///
    /// # Errors
    /// As for [`Database::probe`].
    pub fn probe_batch(&self, positions: &[Position]) -> Result<Vec<Option<Value>>, StoreError> {
        if let Access::Tables(values) = &self.values {
            return values.probe_batch(positions);
        }
        self.prefetch(positions)?;
        positions.iter().map(|position| self.probe(position)).collect()
    }

    /// Reads what looking up these positions needs.
    ///
    /// # Errors
    /// As for [`Database::probe`].
    pub fn prefetch(&self, positions: &[Position]) -> Result<(), StoreError> {
        let Access::Cached(files) = &self.values else { return Ok(()) };
        let mut wanted = Vec::new();
        for position in positions {
            if self.covers(position) {
                files.units_for(&self.board, position, &mut wanted)?;
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted.into_par_iter().try_for_each_init(Scratch::default, |scratch, (place, unit)| {
            let file = &files.slices[place];
            match file.opened.get() {
                Some(opened) => files.read(file, opened, unit, 0, scratch).map(|_| ()),
                None => Ok(()),
            }
        })
    }
}

impl Files {
    pub(crate) fn new(store: Store, cover: &Cover, memory: u64) -> Self {
        let places = SliceArray::new(cover);
        let mut first_unit = 0;
        let slices = places.slices().map(|slice| {
            let file = SliceFile { slice, first_unit, opened: OnceLock::new() };
            if slice.exists(store.board(), cover) {
                first_unit += unit_count(store.board(), slice) as usize;
            }
            file
        });
        let slices = slices.collect();
        Files { store, slices, places, cache: Cache::new(first_unit, memory) }
    }

    /// A slice's file, opened; `None` if there is none.
    fn open<'a>(&self, file: &'a SliceFile) -> Result<Option<&'a Opened>, StoreError> {
        if let Some(opened) = file.opened.get() {
            return Ok(Some(opened));
        }
        let path = self.store.slice_path(file.slice);
        let io_error = |source| StoreError::Io { path: path.clone(), source };
        let handle = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(io_error)?,
        };
        let length = handle.metadata().map_err(io_error)?.len();
        let mut head = vec![0; length.min(slice::START as u64) as usize];
        handle.read_exact_at(&mut head, 0).map_err(io_error)?;
        let wire = |source| self.store.wire(&path, source);
        let whole = slice::head_length(&head).map_err(wire)?.min(length);
        head.resize(whole as usize, 0);
        handle.read_exact_at(&mut head, 0).map_err(io_error)?;
        let decoder =
            SliceDecoder::new(self.store.board(), file.slice, &head, length).map_err(wire)?;
        Ok(Some(file.opened.get_or_init(|| Opened { path, file: handle, decoder })))
    }

    pub(crate) fn probe(
        &self,
        board: &Board,
        position: &Position,
    ) -> Result<Option<Value>, StoreError> {
        if board.can_capture(position) {
            return self.probe_captures(board, position);
        }
        let (slice, index) = locate(board, position);
        let file = &self.slices[self.places.place(slice)];
        let Some(opened) = self.open(file)? else { return Ok(None) };
        let unit = opened.decoder.units().unit_of(index);
        if let Unit::Constant(value) = opened.decoder.unit(unit) {
            return Ok(Some(value));
        }
        let place = index - opened.decoder.units().span(unit).index;
        match self.cache.get(file.first_unit + unit as usize, place) {
            Some(value) => Ok(Some(value)),
            None => self.read(file, opened, unit, place, &mut Scratch::default()).map(Some),
        }
    }

    /// The value of a position with a capture. Unknown if that of some successor is and no other
    /// wins.
    fn probe_captures(
        &self,
        board: &Board,
        position: &Position,
    ) -> Result<Option<Value>, StoreError> {
        let mut successors = Vec::new();
        board.successors(position, &mut successors);
        let (mut best, mut unknown) = (Value::Loss, false);
        for after in &successors {
            let value =
                if after.both_sides() { self.probe(board, after)? } else { Some(Value::Loss) };
            match value {
                Some(Value::Loss) => return Ok(Some(Value::Win)),
                Some(Value::Draw) => best = Value::Draw,
                Some(Value::Win) => {}
                None => unknown = true,
            }
        }
        Ok((!unknown).then_some(best))
    }

    /// Reads and decodes a unit, keeps it, and returns the value at one of its places.
    fn read(
        &self,
        file: &SliceFile,
        opened: &Opened,
        unit: u64,
        place: u64,
        scratch: &mut Scratch,
    ) -> Result<Value, StoreError> {
        let mut payload = Vec::new();
        if let Unit::Coded { offset, length } = opened.decoder.unit(unit) {
            payload.resize(length as usize, 0);
            let read = opened.file.read_exact_at(&mut payload, offset);
            read.map_err(|source| StoreError::Io { path: opened.path.clone(), source })?;
        }
        if !opened.decoder.decode(unit, &payload, scratch) {
            return Err(self.store.damaged(&opened.path, unit));
        }
        let groups: Groups = scratch.win.iter().zip(&scratch.loss).map(|(&w, &l)| [w, l]).collect();
        Ok(self.cache.insert(file.first_unit + unit as usize, groups, place))
    }

    /// Adds the units that must be read for a position: (place of the slice, unit).
    fn units_for(
        &self,
        board: &Board,
        position: &Position,
        out: &mut Vec<(usize, u64)>,
    ) -> Result<(), StoreError> {
        if board.can_capture(position) {
            let mut successors = Vec::new();
            board.successors(position, &mut successors);
            let both = successors.iter().filter(|after| after.both_sides());
            return both.into_iter().try_for_each(|after| self.units_for(board, after, out));
        }
        let (slice, index) = locate(board, position);
        let place = self.places.place(slice);
        if let Some(opened) = self.open(&self.slices[place])? {
            let unit = opened.decoder.units().unit_of(index);
            let known = matches!(opened.decoder.unit(unit), Unit::Constant(_));
            if !known && !self.cache.contains(self.slices[place].first_unit + unit as usize) {
                out.push((place, unit));
            }
        }
        Ok(())
    }
}
