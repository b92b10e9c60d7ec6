//! Tables of finished slices in mapped files, for searches.

use std::io;

use super::BuildError;
use super::session::{BuildSession, TablePlacement};
use crate::disk::StoreError;
use crate::index::slice::Slice;
use crate::limits::address_space;
use crate::values::table::{OutOfMemory, file_length};
use certificate_spec::cover::Cover;
use draughtproof_game::Board;

/// An event of making tables.
#[derive(Debug, Clone, Copy)]
pub enum Making {
    /// Another process makes tables, and this one waits until that is finished.
    Wait,
    /// Tables are about to be made.
    Begin {
        slices: usize,
        indices: u64,
        /// The bytes of the tables' files.
        bytes: u64,
    },
    /// The table of a slice with this number of indices is made.
    Done(u64),
    /// All tables are made.
    End,
}

impl BuildSession<'_> {
    /// Uses the tables of slices that are in files, and makes none. If one cannot be mapped, none is
    /// used.
    pub fn use_tables(&mut self) {
        let mut slices = Slice::all(self.board, &self.cover);
        slices.retain(|slice| self.records.contains_key(slice));
        if self.check_address_space(&slices).is_err() || self.open_tables(&slices, false).is_err() {
            for slice in slices {
                self.builder.forget(slice);
                self.resident.unmap(slice);
            }
        }
    }

    /// Checks that tables take at most half of the addresses that this process may still use.
    fn check_address_space(&self, slices: &[Slice]) -> Result<(), StoreError> {
        let bytes = slices.iter().map(|&slice| self.tables.length(slice)).sum::<u64>();
        if address_space().is_none_or(|left| bytes <= left / 2) {
            return Ok(());
        }
        let source = io::Error::new(io::ErrorKind::OutOfMemory, OutOfMemory { bytes });
        Err(StoreError::Io { path: self.store.tables(), source })
    }

    /// Keeps the tables of slices in mapped files instead of in memory: of the slices of the cover
    /// that the store has, the first in order that take at most `space` bytes together. Makes the
    /// tables that are missing. Tables that are there are used without reading all of them.
    ///
    /// # Errors
    /// [`BuildError`]: among others when the disk has less space than needed; finished tables stay.
    pub fn map(&mut self, space: u64, mut progress: impl FnMut(Making)) -> Result<(), BuildError> {
        let mut all = Slice::all(self.board, &self.cover);
        all.retain(|slice| self.records.contains_key(slice));
        let chosen = first_tables(self.board, all, space);
        self.check_address_space(&chosen)?;
        self.placement = TablePlacement::Mapped(chosen.iter().copied().collect());
        if self.open_tables(&chosen, false)?.is_empty() {
            return Ok(());
        }
        let _lock = self.tables.lock(|| progress(Making::Wait))?;
        // Another process may have made some tables meanwhile. New tables follow from those that
        // are there, so all pages of these are checked.
        let missing = self.open_tables(&chosen, true)?;
        let indices = missing.iter().map(|slice| slice.indices(self.board)).sum();
        let bytes = missing.iter().map(|&slice| self.tables.length(slice)).sum();
        let free = self.store.free_space()?;
        if bytes > free {
            let directory = self.store.tables();
            return Err(BuildError::TableSpace { directory, need: bytes, free });
        }
        progress(Making::Begin { slices: missing.len(), indices, bytes });
        for slice in missing {
            self.bring(&[slice], 0, &[])?;
            progress(Making::Done(slice.indices(self.board)));
        }
        progress(Making::End);
        Ok(())
    }

    /// The bytes of the tables that [`BuildSession::map`] makes within `space` bytes of disk.
    pub fn table_bytes(board: &Board, cover: &Cover, space: u64) -> u64 {
        let chosen = first_tables(board, Slice::all(board, cover), space);
        chosen.iter().map(|slice| file_length(slice.indices(board))).sum()
    }

    /// Removes the files of all tables; returns the freed bytes.
    pub fn remove_tables(&self, wait: impl FnOnce()) -> Result<u64, BuildError> {
        let _lock = self.tables.lock(wait)?;
        Ok(self.tables.remove_all()?)
    }
}

/// The first of these slices whose tables take at most `space` bytes of disk together.
fn first_tables(board: &Board, slices: Vec<Slice>, space: u64) -> Vec<Slice> {
    let mut left = space;
    let fits = |slice: &Slice| {
        let length = file_length(slice.indices(board));
        let fits = length <= left;
        left -= if fits { length } else { 0 };
        fits
    };
    slices.into_iter().take_while(fits).collect()
}
