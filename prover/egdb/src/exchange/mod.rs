//! Exchanges databases with other machines and programs: directories with checksums and sizes, and
//! values of other programs.

use crate::disk::StoreError;
use crate::values::resident::Values;
use crate::values::table::Value;
use certificate_spec::text::without_mark;
use draughtproof_game::Position;
pub use export::{Exported, export, import};
use std::io;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use thiserror::Error;

mod export;

/// The reason why a database was not exported, imported or compared.
#[derive(Debug, Error)]
pub enum ExchangeError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{path}: expected no directory or an empty one; name another, or remove it")]
    NotEmpty { path: PathBuf },
    #[error("{path}: a database is here already; remove it or name another --db to import one")]
    AlreadyHere { path: PathBuf },
    #[error("{path}: expected {expected}, found {found}; copy it again")]
    Mismatch { path: PathBuf, expected: String, found: String },
    #[error("{path}, line {line}: expected {expected}, found {found:?}")]
    Line { path: PathBuf, line: usize, expected: String, found: String },
}

impl ExchangeError {
    fn io(path: &Path) -> impl Fn(io::Error) -> ExchangeError {
        move |source| ExchangeError::Io { path: path.into(), source }
    }
}

/// The number of positions that are looked up together.
const AT_A_TIME: usize = 1 << 16;

/// The number of lines of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compared {
    /// The number of lines whose value is the value in the database.
    pub agree: u64,
    /// The number of lines whose value is another one.
    pub disagree: u64,
    /// The number of lines whose position the database does not cover.
    pub unknown: u64,
}

/// A line whose value differs from the value in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The line, from 1.
    pub line: usize,
    /// The position as it is written in the line.
    pub fen: String,
    /// The value in the line, for the side to move.
    pub found: Value,
    /// The value in the database, for the side to move.
    pub database: Value,
}

struct Line {
    number: usize,
    fen: String,
    position: Position,
    value: Value,
}

/// Compares a file of lines `FEN<TAB>value` (`win`, `draw`, `loss` or their first letters, for the
/// side to move) with a database, and calls `show` with each line that differs, in order. Further
/// columns, empty lines, those that begin with `#`, and a first line `fen<TAB>value` are skipped.
/// The memory does not grow with the file. `path` is the name of the file in errors.
///
/// # Errors
/// [`ExchangeError`] if a line does not have this form, or the file cannot be read. An error that
/// `show` returns ends the comparison.
pub fn compare_values<E: From<ExchangeError>>(
    values: &Values,
    path: &Path,
    file: impl BufRead,
    mut show: impl FnMut(&Difference) -> Result<(), E>,
) -> Result<Compared, E> {
    let (mut compared, mut some) = (Compared::default(), Vec::with_capacity(AT_A_TIME));
    for (n, text) in file.lines().enumerate() {
        let text = text.map_err(ExchangeError::io(path))?;
        let text = if n == 0 { without_mark(&text) } else { &text };
        some.extend(read_line(values, path, n + 1, text)?);
        if some.len() == AT_A_TIME {
            compare_some(values, &some, &mut compared, &mut show)?;
            some.clear();
        }
    }
    compare_some(values, &some, &mut compared, &mut show)?;
    Ok(compared)
}

fn compare_some<E: From<ExchangeError>>(
    values: &Values,
    some: &[Line],
    compared: &mut Compared,
    show: &mut impl FnMut(&Difference) -> Result<(), E>,
) -> Result<(), E> {
    let positions: Vec<Position> = some.iter().map(|line| line.position).collect();
    let known = values.probe_batch(&positions).map_err(ExchangeError::from)?;
    for (line, database) in some.iter().zip(known) {
        let Line { number, fen, value: found, .. } = line;
        match database {
            None => compared.unknown += 1,
            Some(value) if value == *found => compared.agree += 1,
            Some(database) => {
                compared.disagree += 1;
                let difference =
                    Difference { line: *number, fen: fen.clone(), found: *found, database };
                show(&difference)?;
            }
        }
    }
    Ok(())
}

/// Reads a line; `None` if it has no position.
fn read_line(
    values: &Values,
    path: &Path,
    number: usize,
    text: &str,
) -> Result<Option<Line>, ExchangeError> {
    let text = text.trim_end();
    let mut columns = text.split('\t');
    let (fen, value) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
    if text.is_empty() || text.starts_with('#') || number == 1 && (fen, value) == ("fen", "value") {
        return Ok(None);
    }
    let error = |expected: String, found: &str| ExchangeError::Line {
        path: path.into(),
        line: number,
        expected,
        found: found.into(),
    };
    let position = values.board().read_fen(fen);
    let position = position.map_err(|e| error(format!("a FEN ({e})"), fen))?;
    let value = match value {
        "win" | "w" | "W" => Value::Win,
        "draw" | "d" | "D" => Value::Draw,
        "loss" | "l" | "L" => Value::Loss,
        other => return Err(error("a tab and win, draw or loss".into(), other)),
    };
    Ok(Some(Line { number, fen: fen.into(), position, value }))
}
