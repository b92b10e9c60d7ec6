//! The tables that `check-verified` reads, of a database that may be wrong: the values of quiet
//! positions are those of its files, and the values of captures follow from them.

use crate::prelude::*;
use std::io;

use certificate_spec::value::Value;
use draughtproof_egdb::locate;

use crate::mutants::base::Files;

/// The number of bytes before the values.
const HEAD: usize = 4096;

/// Writes the tables of all slices that can be decoded, in place of earlier ones.
///
/// # Panics
/// If files cannot be written.
pub(super) fn write(board: &Board, files: &Files, directory: &Path) {
    let folder = directory.join(format!("{}.tables", board.name()));
    match fs::remove_dir_all(&folder) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => panic!("{}: {e}", folder.display()),
        _ => fs::create_dir_all(&folder).expect("a directory"),
    }
    let prefix = format!("egdb/{}/", board.name());
    let mut slices: Vec<(SliceName, &[u8])> = Vec::new();
    for (path, bytes) in files {
        slices.extend(path.strip_prefix(&prefix).and_then(name_of).map(|name| (name, &**bytes)));
    }
    // Captures lead to slices with fewer pieces, which come first in this order.
    slices.sort_by_key(|(name, _)| name.order());
    let mut tables: HashMap<Slice, Table> = HashMap::new();
    for (name, bytes) in slices {
        let slice = Slice::from(name);
        let Ok(mut table) = decode_slice(board, slice, bytes) else { continue };
        add_captures(board, slice, &mut table, &tables);
        let mut bytes = vec![0; HEAD];
        for index in (0..table.indices()).step_by(64) {
            let (win, loss) = table.word(index);
            bytes.extend([win, loss].map(u64::to_le_bytes).concat());
        }
        fs::write(folder.join(format!("{}.table", name.file_name())), bytes).expect("a file");
        tables.insert(slice, table);
    }
}

/// The name of the slice whose file has this name.
fn name_of(file: &str) -> Option<SliceName> {
    let numbers: Vec<u8> = file.split('-').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let name = SliceName(numbers.try_into().ok()?);
    (name.file_name() == file && name.pieces() <= 8).then_some(name)
}

/// Adds the values of positions in which the side to move can capture.
fn add_captures(board: &Board, slice: Slice, table: &mut Table, tables: &HashMap<Slice, Table>) {
    let value = |after: &_| {
        let (slice, index) = locate(board, after);
        tables.get(&slice).map_or(Value::Draw, |table| table.value(index))
    };
    let mut next = Vec::new();
    for index in 0..table.indices() {
        let position = position_at(board, slice, index);
        let Some(position) = position.filter(|p| board.can_capture(p)) else { continue };
        board.successors(&position, &mut next);
        let values = next.iter().map(|y| if y.both_sides() { value(y) } else { Value::Loss });
        let values: Vec<Value> = values.collect();
        let best = if values.contains(&Value::Loss) {
            Value::Win
        } else if values.contains(&Value::Draw) {
            Value::Draw
        } else {
            Value::Loss
        };
        table.set(index, best);
    }
}
