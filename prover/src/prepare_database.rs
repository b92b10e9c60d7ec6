//! From a directory to a database: what is there is verified, what is missing is built and written.

use crate::board::Board;
use crate::egdb::{BuildError, BuildSession, Event, Slice, Store, Values, extend, extend_depths};
use crate::progress::Progress;

/// Makes sure that `store` has the database with `pieces` pieces, using at most `memory` bytes.
/// `partly`: where that is too little for some slices, begins with the others.
///
/// # Errors [`BuildError`]: among others when a file is not what the MANIFEST says, or memory or
/// disk are too small.
pub fn prepare(
    store: &Store,
    pieces: u8,
    memory: u64,
    partly: bool,
    progress: &Progress,
) -> Result<(), BuildError> {
    let name = store.board().name();
    let verify = |there: u8| {
        if there > 0 {
            progress.say(format!("database {name} with {there} pieces: verifying"));
            store.verify(there)?;
        }
        Ok::<(), BuildError>(())
    };
    let (there, _) = store.finished()?;
    if there >= pieces {
        return verify(pieces);
    }
    if !partly {
        BuildSession::check_memory(store.board(), pieces, memory)?;
    }
    let _lock = store.lock()?;
    // Another process may have built something until now.
    verify(store.finished()?.0)?;
    let what = |pieces| format!("database {name} with {pieces} pieces");
    extend(&mut BuildSession::new(store, pieces, memory)?, show(progress, what))
}

/// Makes sure that `store`, which has the values, has the depths of positions with at most `pieces`
/// pieces, using at most `memory` bytes.
///
/// # Errors
/// [`BuildError`]: among others when another process is building, or memory is too small.
pub fn prepare_depths(
    store: &Store,
    pieces: u8,
    memory: u64,
    progress: &Progress,
) -> Result<(), BuildError> {
    let _lock = store.lock()?;
    let name = store.board().name();
    let what = |pieces| format!("depths of {name} with {pieces} pieces");
    extend_depths(&mut BuildSession::new(store, pieces, memory)?, show(progress, what))
}

/// Shows the events of building something, which has a name for each number of pieces.
fn show(progress: &Progress, what: impl Fn(u8) -> String) -> impl FnMut(Event) {
    let mut bar = None;
    move |event| match event {
        Event::Begin { pieces, indices, finished } => {
            bar = Some(progress.start(what(pieces), indices - finished, "positions"));
        }
        Event::Done(indices) => bar.iter().for_each(|bar| bar.add(indices)),
        Event::End => bar.take().into_iter().for_each(crate::progress::Bar::finish),
    }
}

/// Like [`prepare`], and all values in memory.
///
/// # Errors
/// As for [`prepare`].
pub fn load(
    store: &Store,
    pieces: u8,
    memory: u64,
    progress: &Progress,
) -> Result<Values, BuildError> {
    prepare(store, pieces, memory, false, progress)?;
    load_finished(store, pieces, memory, progress)
}

/// Has all values of a database that is there in memory.
///
/// # Errors
/// [`BuildError`]: when a file is not what the MANIFEST says, or memory is too small.
pub fn load_finished(
    store: &Store,
    pieces: u8,
    memory: u64,
    progress: &Progress,
) -> Result<Values, BuildError> {
    let board = store.board();
    let indices = Slice::all(board, pieces).iter().map(|slice| slice.indices(board)).sum();
    let what = format!("loading database {} with {pieces} pieces", board.name());
    let bar = progress.start(what, indices, "positions");
    let values = BuildSession::new(store, pieces, memory)?.load_all(|indices| bar.add(indices))?;
    bar.finish();
    Ok(values)
}

/// The number of pieces that a database has by default: the most that take at most 25 MiB in memory
/// (a few seconds to build), but fewer than `start` has, so that there is something left to search;
/// at least 2.
pub fn default_pieces(board: &Board, start: u32) -> u8 {
    let bytes = |n| Slice::all(board, n).iter().map(|s| s.indices(board) / 4).sum::<u64>();
    let fits = |n: &u8| u32::from(*n) < start && bytes(*n) <= 25 << 20;
    (2..=board.squares()).take_while(fits).last().unwrap_or(2)
}

/// The most pieces that a database of a board can have: beyond that its positions cannot even be
/// counted in 64 bits.
pub fn most_pieces(board: &Board) -> u8 {
    let indices = |pieces| -> u128 {
        let of = |slice: &Slice| {
            let (rows, columns) = slice.block_size(board);
            u128::from(slice.blocks(board)) * u128::from(rows) * u128::from(columns)
        };
        Slice::all(board, pieces).iter().map(of).sum()
    };
    let most = (3..=board.squares()).find(|&n| indices(n) > i64::MAX as u128);
    most.map_or(board.squares(), |n| n - 1)
}
