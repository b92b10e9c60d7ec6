//! A database in memory or in mapped files, as far as there is room.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::files::{Effort, Files, Miss, Place};
use super::table::{Table, Value};
use crate::disk::StoreError;
use crate::index::cover::SideLimits;
use crate::index::slice::{Slice, SliceArray, locate};
use certificate_spec::cover::Cover;
use draughtproof_game::{Board, Position};

/// The tables of slices. A slice without a table has an empty one.
pub struct Tables {
    places: SliceArray,
    tables: Vec<Table>,
}

impl Tables {
    /// Empty tables for the slices of a cover.
    pub fn new(cover: &Cover) -> Self {
        let places = SliceArray::new(cover);
        Tables { places, tables: places.slices().map(|_| Table::new(0)).collect() }
    }

    #[inline]
    pub fn get(&self, slice: Slice) -> &Table {
        &self.tables[self.places.place(slice)]
    }

    /// The table of a slice, for writing.
    pub fn get_mut(&mut self, slice: Slice) -> &mut Table {
        let place = self.places.place(slice);
        &mut self.tables[place]
    }
}

/// A complete database: the values of all positions that its cover admits.
pub struct Values {
    pub(crate) board: Board,
    pub(crate) tables: Tables,
    cover: Cover,
    limits: SideLimits,
    /// The files for slices without a table, and for pages that are damaged.
    files: Option<Box<Files>>,
    /// The action on an error of [`Values::probe`], instead of recording it.
    say: Option<fn(&StoreError)>,
    has_failed: AtomicBool,
    /// The first error of [`Values::probe`].
    failure: Mutex<Option<StoreError>>,
}

impl Values {
    /// The database of `board` with a cover, without any tables.
    pub(crate) fn without_tables(board: &Board, cover: &Cover) -> Self {
        let (tables, limits) = (Tables::new(cover), SideLimits::new(cover));
        let (board, cover) = (board.clone(), cover.clone());
        let (has_failed, failure) = (AtomicBool::new(false), Mutex::default());
        Values { board, tables, cover, limits, files: None, say: None, has_failed, failure }
    }

    /// Adds the files for slices without a table.
    pub(crate) fn with_files(self, files: Files) -> Self {
        Values { files: Some(Box::new(files)), ..self }
    }

    /// Makes searches go on when a file cannot be read or is damaged: its positions are unknown,
    /// and `say` gets the error of each look-up.
    pub fn going_on(self, say: fn(&StoreError)) -> Self {
        Values { say: Some(say), ..self }
    }

    /// Whether a look-up of [`Values::probe`] has failed, which ends the searches over these
    /// values. Never true after [`Values::going_on`].
    #[inline]
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Reports a failed look-up of [`Values::probe`]. A caller of a search asks here before it uses
    /// the result.
    ///
    /// # Errors
    /// The first [`StoreError`] since the last call.
    pub fn failure(&self) -> Result<(), StoreError> {
        if !self.has_failed() {
            return Ok(());
        }
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take().map_or(Ok(()), Err)
    }

    #[cold]
    fn fail(&self, error: StoreError) {
        match self.say {
            Some(say) => say(&error),
            None => {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(error);
                self.has_failed.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The database of no positions.
    pub fn empty(board: &Board) -> Self {
        Values::without_tables(board, &Cover::none())
    }

    pub fn board(&self) -> &Board {
        &self.board
    }

    pub fn cover(&self) -> &Cover {
        &self.cover
    }

    #[inline]
    pub fn covers(&self, position: &Position) -> bool {
        self.limits.admit(position.black.count_ones(), position.white.count_ones())
    }

    /// The value for the side to move, or `None` if the database does not cover the position, or
    /// its file cannot be read or is damaged. Then [`Values::failure`] has the error.
    #[inline]
    pub fn probe(&self, position: &Position) -> Option<Value> {
        match self.try_probe(position) {
            Ok(value) => value,
            Err(error) => {
                self.fail(error);
                None
            }
        }
    }

    /// The value for the side to move, or `None` if the database does not cover the position.
    ///
    /// # Errors
    /// [`StoreError`] when a file cannot be read or is damaged.
    #[inline]
    pub fn try_probe(&self, position: &Position) -> Result<Option<Value>, StoreError> {
        match self.find(position, Effort::Decode) {
            Ok(value) => Ok(value),
            Err(Miss::Error(error)) => Err(*error),
            Err(Miss::NotHere) => Ok(None),
        }
    }

    /// Like [`Values::try_probe`], but reads no file: the error is [`Miss::NotHere`] where that
    /// would be needed.
    pub(crate) fn probe_cached(&self, position: &Position) -> Result<Option<Value>, Miss> {
        self.find(position, Effort::None)
    }

    /// The value of a position, with at most this effort.
    #[inline]
    fn find(&self, position: &Position, effort: Effort) -> Result<Option<Value>, Miss> {
        if !self.covers(position) {
            return Ok(None);
        }
        let (slice, index) = locate(&self.board, position);
        match self.tables.get(slice).get(index) {
            Some(value) => Ok(Some(value)),
            None => self.find_in_files(position, (slice, index), effort),
        }
    }

    /// The value of a position that no table has. Files have only the values of quiet positions.
    fn find_in_files(
        &self,
        position: &Position,
        (slice, index): (Slice, u64),
        effort: Effort,
    ) -> Result<Option<Value>, Miss> {
        let Some(files) = &self.files else { return Ok(None) };
        if !self.board.can_capture(position) {
            return files.probe(slice, index, effort);
        }
        let mut successors = Vec::new();
        self.board.successors(position, &mut successors);
        let mut best = Value::Loss;
        let mut unknown = false;
        for after in &successors {
            let value = match after.both_sides() {
                true => self.find(after, effort)?,
                false => Some(Value::Loss),
            };
            match value {
                Some(Value::Loss) => return Ok(Some(Value::Win)),
                Some(Value::Draw) => best = Value::Draw,
                Some(Value::Win) => {}
                None => unknown = true,
            }
        }
        Ok((!unknown).then_some(best))
    }

    /// The values of many positions, in order. The places of 64 positions are computed before the
    /// first of their values is read, so that the processor's waits for memory overlap. Each part
    /// that must be decoded is decoded once, by all threads.
    pub fn probe_batch(&self, positions: &[Position]) -> Result<Vec<Option<Value>>, StoreError> {
        const AT_A_TIME: usize = 64;
        let mut values = Vec::with_capacity(positions.len());
        let mut places = Vec::with_capacity(AT_A_TIME);
        let mut missing = Vec::new();
        for some in positions.chunks(AT_A_TIME) {
            places.clear();
            places.extend(some.iter().map(|p| self.covers(p).then(|| locate(&self.board, p))));
            for (position, place) in some.iter().zip(&places) {
                let Some((slice, index)) = *place else {
                    values.push(None);
                    continue;
                };
                let found = match self.tables.get(slice).get(index) {
                    Some(value) => Ok(Some(value)),
                    None => self.find_in_files(position, (slice, index), Effort::Open),
                };
                values.push(match found {
                    Ok(value) => value,
                    Err(Miss::Error(error)) => return Err(*error),
                    Err(Miss::NotHere) => {
                        missing.push(values.len());
                        None
                    }
                });
            }
        }
        let wanted: Vec<Position> = missing.iter().map(|&i| positions[i]).collect();
        self.prefetch(&wanted)?;
        for i in missing {
            values[i] = self.try_probe(&positions[i])?;
        }
        Ok(values)
    }

    /// Decodes the parts that looking up these positions needs.
    pub fn prefetch(&self, positions: &[Position]) -> Result<(), StoreError> {
        let Some(files) = &self.files else { return Ok(()) };
        let mut wanted = Vec::new();
        for position in positions {
            self.add_places(files, position, &mut wanted)?;
        }
        files.prefetch(wanted)
    }

    /// Adds the places of the values that must be decoded for a position.
    fn add_places(
        &self,
        files: &Files,
        position: &Position,
        out: &mut Vec<Place>,
    ) -> Result<(), StoreError> {
        if !self.covers(position) {
            return Ok(());
        }
        let (slice, index) = locate(&self.board, position);
        if self.tables.get(slice).get(index).is_some() {
            return Ok(());
        }
        if !self.board.can_capture(position) {
            out.extend(files.missing(slice, index)?);
            return Ok(());
        }
        let mut successors = Vec::new();
        self.board.successors(position, &mut successors);
        successors.iter().try_for_each(|after| self.add_places(files, after, out))
    }

    /// The values of a slice that is covered.
    pub fn table(&self, slice: Slice) -> &Table {
        self.tables.get(slice)
    }
}
