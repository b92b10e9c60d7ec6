//! Tables that a build needs in mapped files, where they do not fit into memory.

use std::{fs, io};

use super::BuildError;
use super::session::{BuildSession, TablePlacement};
use crate::disk::StoreError;
use crate::disk::store::Lock;
use crate::index::slice::Slice;
use crate::limits::address_space;
use crate::solve::builder::Builder;
use crate::values::table::{OutOfMemory, Table, file_length};
use certificate_spec::cover::Cover;
use draughtproof_game::Board;

impl BuildSession<'_> {
    /// Makes a build keep the finished slices that it needs in mapped files, within `spill_budget`
    /// bytes of disk, instead of in memory. A table for which no space is left replaces those that
    /// are needed again last; a table that finds no space stays in memory.
    ///
    /// # Errors
    /// [`BuildError`]: among others when files of finished slices cannot be read.
    pub fn spill_tables(
        &mut self,
        spill_budget: u64,
        wait: impl FnOnce(),
    ) -> Result<Lock, BuildError> {
        self.placement = TablePlacement::Spilled { spill_budget };
        // Slices that an earlier run has finished are not in the MANIFEST yet.
        for slice in Slice::all(self.board, &self.cover) {
            if !self.records.contains_key(&slice) && self.store.has_slice(slice) {
                self.add_table(slice)?;
            }
        }
        Ok(self.tables.lock(wait)?)
    }

    /// Brings the table of a finished slice into a mapped file, if it is not in memory.
    pub(super) fn bring_to_file(
        &mut self,
        slice: Slice,
        needs: &[Slice],
        later: &[Slice],
    ) -> Result<(), BuildError> {
        if self.resident.has(slice) {
            return Ok(());
        }
        if let Some(table) = self.tables.open(slice)?.filter(Table::is_right) {
            self.put_mapped(slice, table);
            return Ok(());
        }
        // Captures lead to fewer pieces, so this recursion ends.
        for capture in Builder::captures(slice) {
            self.bring_to_file(capture, needs, later)?;
        }
        self.bring(&[slice], 0, later)?;
        self.move_to_file_within(slice, needs, later)
    }

    /// Moves the table of a slice that was just solved with the others of `pair` to a file if it is
    /// needed again, or else drops it.
    pub(super) fn spill_solved(
        &mut self,
        slice: Slice,
        pair: &[Slice],
        later: &[Slice],
    ) -> Result<(), BuildError> {
        self.add_table(slice)?;
        if later.contains(&slice) {
            return self.move_to_file_within(slice, pair, later);
        }
        self.builder.forget(slice);
        self.resident.remove(slice);
        Ok(())
    }

    /// Moves a table to a file, if there is room for it.
    fn move_to_file_within(
        &mut self,
        slice: Slice,
        needs: &[Slice],
        later: &[Slice],
    ) -> Result<(), BuildError> {
        let TablePlacement::Spilled { spill_budget } = self.placement else { return Ok(()) };
        if self.make_room(self.tables.length(slice), needs, later, spill_budget)? {
            self.move_to_file(slice)?;
        }
        Ok(())
    }

    /// Removes tables that are not in `kept` until `bytes` more find room, those that are needed
    /// again last first. All tables share `space` bytes, also those that an earlier run has left.
    /// Returns whether the bytes find room.
    fn make_room(
        &mut self,
        bytes: u64,
        kept: &[Slice],
        later: &[Slice],
        space: u64,
    ) -> Result<bool, BuildError> {
        let there = self.tables.there();
        let mut used: u64 = there.iter().map(|&s| self.tables.length(s)).sum();
        let mut others: Vec<Slice> = there.into_iter().filter(|s| !kept.contains(s)).collect();
        let next_use = |s: &Slice| later.iter().position(|l| l == s).unwrap_or(usize::MAX);
        others.sort_by_key(|s| (next_use(s), s.name().order()));
        while used + bytes > space {
            let Some(other) = others.pop() else { return Ok(false) };
            self.tables.remove(other)?;
            if self.resident.is_mapped(other) {
                self.builder.forget(other);
                self.resident.unmap(other);
            }
            used -= self.tables.length(other);
        }
        Ok(true)
    }

    /// Takes the tables that a build needs from files, as far as other processes have left them
    /// there, and leaves the tables there that it solves: reading a slice again takes much of the
    /// time of solving one.
    ///
    /// # Errors
    /// [`BuildError`]: the folder cannot be made.
    pub fn share_tables(&mut self) -> Result<(), BuildError> {
        let directory = self.store.tables();
        fs::create_dir_all(&directory).map_err(StoreError::io(directory))?;
        self.placement = TablePlacement::Shared;
        Ok(())
    }

    /// Maps the tables that are in files and undamaged.
    pub(super) fn map_shared(&mut self, needs: &[Slice]) -> Result<(), BuildError> {
        // The key of a table stands for all slices that it follows from, so the slices that captures
        // lead to come first.
        for slice in self.resident.missing(needs) {
            if !self.tables.knows(slice) {
                self.add_table(slice)?;
            }
        }
        let missing = needs.iter().copied().filter(|&need| !self.resident.has(need));
        let missing: Vec<Slice> = missing.collect();
        self.open_tables(&missing, true)?;
        Ok(())
    }

    /// Leaves the table of a slice that was just solved to other processes.
    pub(super) fn share_solved(&mut self, slice: Slice) -> Result<(), BuildError> {
        self.add_table(slice)?;
        self.tables.write(slice, self.builder.table(slice))?;
        Ok(())
    }
}

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
    /// Uses the tables of slices that are in files, and makes none. If one cannot be mapped, none
    /// is used.
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
    /// tables that are missing, and removes others if all would take more than `space`. Tables that
    /// are there are used without reading all of them.
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
        self.make_room(bytes, &chosen, &[], space)?;
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
