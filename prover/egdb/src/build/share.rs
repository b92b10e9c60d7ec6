//! Tables in mapped files that processes share which build other slices of a database.

use std::fs;

use super::error::BuildError;
use super::placement::TablePlacement;
use super::session::BuildSession;
use crate::disk::error::StoreError;
use crate::index::slice::Slice;

impl BuildSession<'_> {
    /// Takes the tables that a build needs from files, as far as other processes have left them
    /// there, and leaves the tables there that it solves: reading a slice again takes much of the
    /// time of solving one.
    ///
    /// # Errors
    /// [`BuildError`]: the folder cannot be made.
    pub fn share_tables(&mut self) -> Result<(), BuildError> {
        let directory = self.store.tables();
        fs::create_dir_all(&directory)
            .map_err(|source| StoreError::Io { path: directory, source })?;
        self.placement = TablePlacement::Shared;
        Ok(())
    }

    /// Maps the tables that are in files and undamaged.
    pub(super) fn map_shared(&mut self, needs: &[Slice]) -> Result<(), BuildError> {
        // The key of a table stands for all slices that it follows from, so those of captures come
        // first.
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
