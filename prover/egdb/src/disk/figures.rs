//! Measurements of a build: one line for each slice, in a file beside the database that is no part
//! of it.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use super::StoreError;
use super::store::Store;
use crate::index::slice::Slice;
use certificate_spec::database::SliceName;

/// The measurements of a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    pub slice: SliceName,
    /// The number of indices, including those that stand for no position.
    pub indices: u64,
    pub positions: u64,
    /// The number of wins for the side to move.
    pub win: u64,
    /// The number of losses for the side to move.
    pub loss: u64,
    /// The bytes of the slice's file.
    pub bytes: u64,
    /// The seconds to solve it (half of those of the pair, if it has a twin), without the time in
    /// which other programs had the processors.
    pub solve_seconds: f64,
    /// The seconds to compress and write it, likewise.
    pub write_seconds: f64,
}

impl Figures {
    /// The line without its end: fields separated by tabs.
    pub fn to_line(&self) -> String {
        format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{:.3}\t{:.3}",
            self.slice.file_name(),
            self.indices,
            self.positions,
            self.win,
            self.loss,
            self.bytes,
            self.solve_seconds,
            self.write_seconds
        )
    }

    /// Reads a line; `None` if it is not one, such as the last line of a run that was killed.
    pub fn from_line(line: &str) -> Option<Figures> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[slice, indices, positions, win, loss, bytes, solve, write] = fields.as_slice() else {
            return None;
        };
        Some(Figures {
            slice: Slice::parse(slice)?.name(),
            indices: indices.parse().ok()?,
            positions: positions.parse().ok()?,
            win: win.parse().ok()?,
            loss: loss.parse().ok()?,
            bytes: bytes.parse().ok()?,
            solve_seconds: solve.parse().ok()?,
            write_seconds: write.parse().ok()?,
        })
    }
}

impl Store {
    fn figures_path(&self) -> PathBuf {
        self.directory.with_extension("figures")
    }

    /// Appends the figures of a slice to the file beside the database (under [`Store::lock`] or
    /// [`Store::lock_with_others`]).
    pub fn add_figures(&self, figures: &Figures) -> Result<(), StoreError> {
        let path = self.figures_path();
        let write = || {
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&path)?;
            // On a network file system append mode alone does not keep two lines apart.
            file.lock()?;
            // The line also begins with a newline, since a killed run may have left a part of a
            // line.
            file.write_all(format!("\n{}\n", figures.to_line()).as_bytes())
        };
        write().map_err(StoreError::io(&path))
    }

    /// The noted figures, the last ones of each slice, in no order.
    pub fn figures(&self) -> Vec<Figures> {
        let text = fs::read_to_string(self.figures_path()).unwrap_or_default();
        let all = text.lines().filter_map(Figures::from_line);
        all.map(|f| (f.slice, f)).collect::<HashMap<_, _>>().into_values().collect()
    }
}
