//! Solves a slice and its twin, or finds their depths, and writes them.

use super::error::BuildError;
use super::memory::{depth_needs, room_to_solve};
use super::placement::TablePlacement;
use super::session::BuildSession;
use super::stopwatch::Stopwatch;
use crate::depth;
use crate::disk::figures::Figures;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::stats::placements;

impl BuildSession<'_> {
    /// Solves a slice and its twin and writes them.
    pub(crate) fn solve(&mut self, slice: Slice, later: &[Slice]) -> Result<(), BuildError> {
        let start = Stopwatch::start();
        let needs = Builder::needs(slice);
        match self.placement {
            TablePlacement::Memory | TablePlacement::Mapped(_) => {}
            TablePlacement::Spilled { .. } => {
                for &need in &needs {
                    self.bring_to_file(need, &needs, later)?;
                }
            }
            TablePlacement::Shared => self.map_shared(&needs)?,
        }
        self.bring(&needs, room_to_solve(self.board, slice), later)?;
        self.builder.solve(slice);
        let pair = slice.with_twin();
        self.resident.add(&pair);
        let solve_seconds = start.seconds() / pair.len() as f64;
        for &slice in &pair {
            self.save(slice, solve_seconds)?;
            match self.placement {
                TablePlacement::Memory | TablePlacement::Mapped(_) => {}
                TablePlacement::Spilled { .. } => self.spill_solved(slice, &pair, later)?,
                TablePlacement::Shared => self.share_solved(slice)?,
            }
        }
        Ok(())
    }

    /// Solves a listed slice and its twin, of which files are lost, and puts them in their places.
    pub(crate) fn solve_again(&mut self, slice: Slice, later: &[Slice]) -> Result<(), BuildError> {
        self.solve(slice, later)?;
        let records = slice.with_twin().into_iter().filter_map(|slice| self.records.get(&slice));
        records.into_iter().try_for_each(|record| self.store.put_back(record))?;
        Ok(())
    }

    /// Writes a slice, which was solved in this time, and its figures.
    fn save(&self, slice: Slice, solve_seconds: f64) -> Result<(), BuildError> {
        let start = Stopwatch::start();
        let table = self.builder.table(slice);
        let (win, loss) = table.count();
        let bytes = self.store.save_slice(slice, table)?;
        self.store.add_figures(&Figures {
            slice: slice.name(),
            indices: slice.indices(self.board),
            positions: placements(self.board, slice),
            win,
            loss,
            bytes,
            solve_seconds,
            write_seconds: start.seconds(),
        })?;
        Ok(())
    }

    /// Writes the depths of a slice and its twin, which are both finished.
    pub(crate) fn write_depths(&mut self, slice: Slice, later: &[Slice]) -> Result<(), BuildError> {
        self.bring(&depth_needs(slice), depth::memory(self.board, slice), later)?;
        for table in depth::depths(&self.builder, slice) {
            if let Some(record) = self.records.get(&table.slice) {
                depth::save(self.store, record, &table)?;
            }
        }
        Ok(())
    }

    /// Whether the depths of a slice and its twin are stored, for the current values.
    pub(crate) fn has_depths(&self, slice: Slice) -> bool {
        let has = |s: &Slice| self.records.get(s).is_some_and(|r| depth::has_file(self.store, r));
        slice.with_twin().iter().all(has)
    }
}
