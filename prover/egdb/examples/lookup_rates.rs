//! Prints how many positions one thread looks up a second in a database on disk:
//!
//! ```sh
//! cargo run --release -p draughtproof-egdb --example lookup_rates -- egdb 8x8 6
//! ```
//!
//! The last argument is the number of pieces up to which positions are drawn: spread evenly over
//! the indices by a fixed pseudo-random sequence (Knuth's MMIX). All slices have been opened before
//! the clock starts, and the files are in the system's cache.

use std::error::Error;
use std::time::Instant;

use draughtproof_egdb::{Cover, Database, Mode, Slice, position_at};
use draughtproof_game::{Board, Game, Position};

/// The number of positions that are looked up before any part is decoded; below it, that of
/// look-ups when all parts are.
const COLD: usize = 50_000;
const WARM: usize = 1 << 20;

/// Looks all positions up, one by one and in batches.
fn rates(what: &str, database: &Database, some: &[Position]) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    for position in some {
        database.probe(position)?;
    }
    report(&format!("{what}, one by one"), some.len(), start);
    let start = Instant::now();
    for batch in some.chunks(1000) {
        database.probe_batch(batch)?;
    }
    report(&format!("{what}, batches of 1000"), some.len(), start);
    Ok(())
}

/// Positions of a cover, and one position of each slice.
fn positions(board: &Board, cover: &Cover, count: usize) -> (Vec<Position>, Vec<Position>) {
    let slices: Vec<Slice> =
        Slice::all(board, cover).into_iter().filter(|s| s.exists(board, cover)).collect();
    let sums = slices.iter().scan(0, |sum, slice| {
        *sum += slice.indices(board);
        Some(*sum)
    });
    let sums: Vec<u64> = sums.collect();
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 16
    };
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let index = random() % sums[sums.len() - 1];
        let at = sums.partition_point(|&sum| sum <= index);
        let before = if at == 0 { 0 } else { sums[at - 1] };
        found.extend(position_at(board, slices[at], index - before));
    }
    let one = |&slice: &Slice| (0..slice.indices(board)).find_map(|i| position_at(board, slice, i));
    (found, slices.iter().filter_map(one).collect())
}

fn report(what: &str, count: usize, start: Instant) {
    let rate = count as f64 / start.elapsed().as_secs_f64();
    println!("{what:<40}{rate:>12.0} look-ups/s");
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(directory), Some(game), Some(pieces)) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: lookup_rates DIRECTORY RxC PIECES".into());
    };
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let board = game.parse::<Game>()?.board;
    let (some, one_each) = positions(&board, &Cover::up_to(pieces.parse()?), WARM);
    let open = || -> Result<Database, Box<dyn Error>> {
        let database = Database::open(&directory, &board, Mode::Cached(8 << 30))?;
        database.prefetch(&one_each)?;
        Ok(database)
    };
    // The first database reads the files.
    open()?.prefetch(&some)?;

    let database = open()?;
    let start = Instant::now();
    for position in &some[..COLD] {
        database.probe(position)?;
    }
    report("nothing decoded yet, one by one", COLD, start);

    for size in [COLD, WARM] {
        let database = open()?;
        let start = Instant::now();
        database.probe_batch(&some[..size])?;
        report(&format!("nothing decoded yet, a batch of {size}"), size, start);
    }

    let database = open()?;
    database.prefetch(&some)?;
    rates("all in the cache", &database, &some)?;
    drop(database);

    // The tables that `prove db map` has made; checksums are verified the first time.
    let start = Instant::now();
    let database = Database::open(&directory, &board, Mode::Mapped(1 << 30))?;
    database.probe(&some[0])?;
    println!("opened with mapped tables, one look-up {:>15.3} s", start.elapsed().as_secs_f64());
    rates("mapped, for the first time", &database, &some)?;
    rates("mapped, again", &database, &some)?;
    Ok(())
}
