//! From a directory to a database in memory: what is there is read and verified, what is missing is
//! built and written.

use certificate_spec::database::SliceRecord;

use crate::board::Board;
use crate::egdb::{Builder, Database, Slice, Store, StoreError};
use crate::progress::Progress;

/// The database of `board` with exactly `pieces` pieces, from `store` as far as it goes. What has to
/// be built is written to `store`, a number of pieces at a time.
///
/// # Errors
/// [`StoreError`] when the store cannot be read or written, or holds something else.
pub fn ensure(
    store: &Store,
    board: &Board,
    pieces: u8,
    progress: &Progress,
) -> Result<Database, StoreError> {
    let there = || match store.manifest() {
        Ok(manifest) => Ok((manifest.pieces, manifest.slices)),
        Err(StoreError::Missing { .. }) => Ok((0, Vec::new())),
        Err(error) => Err(error),
    };
    if there()?.0 >= pieces {
        progress.say(format!("database {} with {pieces} pieces: verifying", board.name()));
        return store.load(pieces);
    }
    let _lock = store.lock()?;
    // Another process may have built something until now.
    let (there, mut records) = there()?;
    let from = if there == 0 { Database::empty(board) } else { store.load(there)? };
    let mut builder = Builder::new(from, pieces);
    for n in there.max(1) + 1..=pieces {
        let slices: Vec<Slice> =
            Slice::all(board, n).into_iter().filter(|s| s.pieces() == n).collect();
        let work = slices.iter().map(|s| s.indices(board)).sum();
        let bar =
            progress.start(format!("database {} with {n} pieces", board.name()), work, "positions");
        for slice in Builder::pairs(board, n) {
            builder.solve(slice);
            let both = if slice == slice.twin() { 1 } else { 2 };
            bar.add(both * slice.indices(board));
        }
        let saved: Result<Vec<SliceRecord>, _> =
            slices.iter().map(|&s| store.save_slice(s, builder.table(s))).collect();
        records.extend(saved?);
        store.save_manifest(n, records.clone())?;
        builder.complete(n);
        bar.finish();
    }
    Ok(builder.finish())
}

/// The number of pieces that a database has by default: the most that take at most 25 MiB on disk
/// (a few seconds to build), but fewer than `start` has, so that there is something left to search;
/// at least 2.
pub fn default_pieces(board: &Board, start: u32) -> u8 {
    let bytes = |n| Slice::all(board, n).iter().map(|s| s.indices(board) / 4).sum::<u64>();
    let fits = |n: &u8| u32::from(*n) < start && bytes(*n) <= 25 << 20;
    (2..=board.squares()).take_while(fits).last().unwrap_or(2)
}
