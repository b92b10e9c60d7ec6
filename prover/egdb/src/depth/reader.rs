//! Looks depths up in files.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use certificate_spec::database::SliceRecord;
use certificate_spec::value::Value;

use super::file::DepthFile;
use crate::disk::error::StoreError;
use crate::disk::store::Store;
use crate::index::slice::{Slice, locate, position_at};
use draughtproof_game::{Board, Position};

/// The number of decoded units that are kept. Each has at most 64 KiB or 128 KiB, except where rows
/// are very long.
const KEPT: usize = 64;

struct DecodedUnit {
    slice: Slice,
    /// The number of the unit in the slice.
    unit: u64,
    depths: Arc<Vec<u8>>,
}

/// The depths beside a database on disk, opened for look-ups by any number of threads. Files are
/// read when they are needed.
pub struct Depths {
    store: Store,
    records: HashMap<Slice, SliceRecord>,
    files: Mutex<HashMap<Slice, Option<Arc<DepthFile>>>>,
    /// The kept units, the one used last in front.
    units: Mutex<Vec<DecodedUnit>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Depths {
    /// Opens the depths beside the database of `board` in the directory `root`. There need not be
    /// any.
    ///
    /// # Errors
    /// [`StoreError`]: the MANIFEST of the database cannot be read.
    pub fn open(root: impl AsRef<Path>, board: &Board) -> Result<Self, StoreError> {
        let store = Store::new(root.as_ref(), board);
        let records = store.manifest()?.slices.into_iter().map(|r| (r.name.into(), r)).collect();
        Ok(Depths { store, records, files: Mutex::default(), units: Mutex::default() })
    }

    /// The depth in plies of a position with this value, which must be that of the database. `None`
    /// for a draw, for a side without pieces, and where there is no depth file.
    ///
    /// # Errors
    /// [`StoreError::Depth`] with the path of a file that is damaged or belongs to other values;
    /// [`StoreError::Io`].
    pub fn depth(&self, position: &Position, value: Value) -> Result<Option<u32>, StoreError> {
        if value == Value::Draw || !position.both_sides() {
            return Ok(None);
        }
        let (slice, index) = locate(self.store.board(), position);
        let Some(file) = self.file(slice)? else { return Ok(None) };
        if self.store.board().can_capture(position) {
            return Ok(Some(1));
        }
        let (unit, place) = file.place(index);
        let depths = self.unit(slice, &file, unit)?;
        Ok(Some(file.at(&depths, place).into()))
    }

    /// The longest depth of a slice in plies; `None` where there is no depth file.
    pub fn longest(&self, slice: Slice) -> Result<Option<u32>, StoreError> {
        Ok(self.file(slice)?.map(|file| file.longest.into()))
    }

    /// A position of a slice, Black to move, without a capture, that has its longest depth; `None`
    /// where there is no depth file, or no win and loss. It is the first in the order of indices.
    pub fn longest_position(&self, slice: Slice) -> Result<Option<Position>, StoreError> {
        // If the longest depth is 0, positions that are no wins or losses have a 0 as well.
        let Some(file) = self.file(slice)?.filter(|file| file.longest > 0) else { return Ok(None) };
        let board = self.store.board();
        for unit in 0..file.count() {
            let depths = file.unit(unit)?;
            let (first, len) = file.span(unit);
            // A position that is no win or loss repeats the depth before it, so the first one found
            // is a win or loss.
            let longest = (0..len).find(|&place| file.at(&depths, place) == file.longest);
            let position = longest.and_then(|place| position_at(board, slice, first + place));
            if position.is_some() {
                return Ok(position);
            }
        }
        Ok(None)
    }

    fn file(&self, slice: Slice) -> Result<Option<Arc<DepthFile>>, StoreError> {
        let Some(record) = self.records.get(&slice) else { return Ok(None) };
        if let Some(file) = lock(&self.files).get(&slice) {
            return Ok(file.clone());
        }
        let file = DepthFile::open(&self.store, record)?.map(Arc::new);
        Ok(lock(&self.files).entry(slice).or_insert(file).clone())
    }

    fn unit(&self, slice: Slice, file: &DepthFile, unit: u64) -> Result<Arc<Vec<u8>>, StoreError> {
        let mut units = lock(&self.units);
        let known = units.iter().position(|kept| (kept.slice, kept.unit) == (slice, unit));
        if let Some(known) = known {
            units[..=known].rotate_right(1);
            return Ok(units[0].depths.clone());
        }
        // Other threads may look up meanwhile.
        drop(units);
        let depths = Arc::new(file.unit(unit)?);
        let mut units = lock(&self.units);
        units.truncate(KEPT - 1);
        units.insert(0, DecodedUnit { slice, unit, depths: depths.clone() });
        Ok(depths)
    }
}
