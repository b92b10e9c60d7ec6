//! Measurements of a build: one line for each slice, in a file beside the database that is no part
//! of it.

use certificate_spec::database::SliceName;

use crate::index::slice::Slice;

/// The measurements of a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The name of the slice.
    pub slice: SliceName,
    /// The number of indices, including those that stand for no position.
    pub indices: u64,
    /// The number of positions.
    pub positions: u64,
    /// The number of wins for the side to move.
    pub win: u64,
    /// The number of losses for the side to move.
    pub loss: u64,
    /// The bytes of the slice's file.
    pub bytes: u64,
    /// The seconds to solve it (half of those of the pair, if it has a twin).
    pub solve_seconds: f64,
    /// The seconds to compress and write it.
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
