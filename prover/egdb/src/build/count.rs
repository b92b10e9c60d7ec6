//! Counts the values of finished slices.

use super::error::BuildError;
use super::session::BuildSession;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::files::count_quiet;
use crate::values::stats::{Counts, placements};

impl BuildSession<'_> {
    /// Counts the values of a finished slice.
    pub fn count(&mut self, slice: Slice) -> Result<Counts, BuildError> {
        self.bring(&[slice], 0, &[])?;
        let (win, loss) = self.builder.table(slice).count();
        Ok(Counts { positions: placements(self.board, slice), win, loss })
    }

    /// Counts the values of a finished slice that need not be in memory itself: those of quiet
    /// positions from its file, part by part, and the others by playing their captures. Takes
    /// longer than [`BuildSession::count`] where many slices are counted.
    pub fn count_by_parts(&mut self, slice: Slice) -> Result<Counts, BuildError> {
        if self.resident.has(slice) {
            return self.count(slice);
        }
        self.bring(&Builder::captures(slice), Builder::count_memory(self.board, slice), &[])?;
        let Some([win, loss]) = count_quiet(self.store, slice)? else { return self.count(slice) };
        let [captures_win, captures_lose] = self.builder.count_captures(slice);
        let positions = placements(self.board, slice);
        Ok(Counts { positions, win: win + captures_win, loss: loss + captures_lose })
    }
}
