//! What was seen while a database was built: a line a slice, beside the database and no part of it.

use certificate_spec::database::SliceName;

/// The figures of a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Which slice.
    pub slice: SliceName,
    /// Indices, those that stand for no position included.
    pub indices: u64,
    /// Positions.
    pub positions: u64,
    /// Of them wins for the side to move.
    pub win: u64,
    /// Of them losses.
    pub loss: u64,
    /// Bytes of its file.
    pub bytes: u64,
    /// Seconds to solve it (half of those of the pair, if it has a twin).
    pub solve_seconds: f64,
    /// Seconds to compress and write it.
    pub write_seconds: f64,
}

impl Figures {
    /// A line without its end: fields separated by tabs.
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

    /// Reads a line; `None` if it is not one, such as the last one of a run that was killed.
    pub fn from_line(line: &str) -> Option<Figures> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[slice, indices, positions, win, loss, bytes, solve, write] = fields.as_slice() else {
            return None;
        };
        let counts: Vec<u8> = slice.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(Figures {
            slice: SliceName(counts.try_into().ok()?),
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
