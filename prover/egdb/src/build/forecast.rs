//! Forecasts the time of building a database, and its size.
//!
//! Both follow from the figures of 8x8 with at most 8 pieces (`docs/results/slices-8x8.tsv`): what
//! a slice takes, and an index, by number of pieces. Times are scaled by the time of a small
//! database on this machine, if other programs leave it alone.

use std::collections::HashMap;
use std::path::Path;

use super::BuildError;
use super::extend::extend;
use super::session::{BuildSession, Stopwatch};
use crate::disk::store::Store;
use crate::index::cover::at_most;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::stats::placements;
use crate::values::table::file_length;
use certificate_spec::cover::Cover;
use draughtproof_game::Board;

/// Most indices of the small database that is built for a measurement.
const MEASURED: u64 = 200_000_000;
/// Seconds and bytes of a slice without indices.
const SLICE: (f64, f64) = (1.25e-3, 250.0);
/// Seconds and bytes of an index, by number of pieces from 2; the last also for more pieces.
const INDEX: [(f64, f64); 7] = [
    (0.0, 0.0),
    (0.0, 0.0),
    (21e-9, 0.0200),
    (12.8e-9, 0.0067),
    (8.8e-9, 0.0091),
    (12.0e-9, 0.0058),
    (11.9e-9, 0.0175),
];

/// The forecast for the slices with a number of pieces; where `known`, the bytes are measured.
#[derive(Debug, Clone)]
pub struct Forecast {
    pub pieces: u8,
    /// The number of positions with exactly this number of pieces.
    pub positions: u64,
    /// The number of indices, including those that stand for no position.
    pub indices: u64,
    /// Whether the slices are on disk already; then `bytes` is their size.
    pub known: bool,
    pub seconds: f64,
    /// The seconds to find and store their depths, if [`Forecaster::measure_depths`] was called.
    pub depth_seconds: Option<f64>,
    /// The bytes that the slices take on disk, also while they are built.
    pub bytes: f64,
    /// The least bytes of memory with which they can be built, with tables in files.
    pub least_memory: u64,
    /// The bytes that their tables take on disk, if they are made for searches.
    pub tables: u64,
    /// The bytes of memory with which no slice has to be read again.
    pub most_memory: u64,
}

/// Rates that were measured on this machine.
pub struct Forecaster {
    board: Board,
    memory: u64,
    /// The time on this machine, divided by the one of the table.
    pace: f64,
    /// The seconds to find the depth of an index, if they were measured.
    depth: Option<f64>,
    /// The sizes of the slices on disk.
    known: HashMap<Slice, f64>,
}

impl Forecaster {
    /// Builds a small database in a new directory `scratch` to measure this machine, with at most
    /// `memory` bytes, and reads the sizes of the slices in `store`.
    pub fn new(store: &Store, scratch: &Path, memory: u64) -> Result<Self, BuildError> {
        let board = store.board().clone();
        let (small, cover) = (Store::new(scratch, &board), small_cover(&board));
        let _lock = small.lock()?;
        let start = Stopwatch::start();
        extend(&mut BuildSession::new(&small, &cover, memory)?, |_| ())?;
        let expected: f64 = Slice::all(&board, &cover).iter().map(|s| by_table(&board, *s).0).sum();
        let pace = start.seconds() / expected;
        let records = store.finished()?.1.into_iter();
        let known = records.map(|r| (Slice::from(r.name), r.length as f64)).collect();
        Ok(Forecaster { board, memory, pace, depth: None, known })
    }

    /// Measures how long depths take, on the small database that [`Forecaster::new`] has built in
    /// `scratch`: those of a third of its slices with the most pieces.
    pub fn measure_depths(&mut self, scratch: &Path) -> Result<(), BuildError> {
        let (store, cover) = (Store::new(scratch, &self.board), small_cover(&self.board));
        let _lock = store.lock()?;
        let mut session = BuildSession::new(&store, &cover, self.memory)?;
        let start = Stopwatch::start();
        let mut indices = 0;
        let pairs = Builder::pairs(&self.board, &cover, cover.most_pieces());
        for pair in pairs.into_iter().step_by(3) {
            session.write_depths(pair, &[])?;
            indices += pair.with_twin().iter().map(|s| s.indices(&self.board)).sum::<u64>();
        }
        self.depth = Some(start.seconds() / indices.max(1) as f64);
        Ok(())
    }

    /// The forecasts for the slices of a cover, from 2 pieces to its most.
    pub fn forecast(&self, cover: &Cover) -> Vec<Forecast> {
        let all = Slice::all(&self.board, cover);
        let slices = |n| all.iter().copied().filter(move |slice| slice.pieces() == n);
        (2..=cover.most_pieces())
            .map(|n| self.forecast_for(n, &at_most(cover, n), &slices(n).collect::<Vec<_>>()))
            .collect()
    }

    /// The forecast for the slices with `n` pieces; `cover` is the cover of the database with them.
    fn forecast_for(&self, n: u8, cover: &Cover, slices: &[Slice]) -> Forecast {
        let board = &self.board;
        let indices: u64 = slices.iter().map(|slice| slice.indices(board)).sum();
        let bytes = |s: &Slice| self.known.get(s).copied().unwrap_or_else(|| by_table(board, *s).1);
        Forecast {
            pieces: n,
            positions: slices.iter().map(|&s| placements(board, s)).sum(),
            indices,
            known: slices.iter().all(|slice| self.known.contains_key(slice)),
            seconds: self.pace * slices.iter().map(|s| by_table(board, *s).0).sum::<f64>(),
            depth_seconds: self.depth.map(|pace| pace * indices as f64),
            bytes: slices.iter().map(bytes).sum(),
            least_memory: BuildSession::least_memory_with_files(board, cover),
            tables: slices.iter().map(|s| file_length(s.indices(board))).sum(),
            most_memory: Builder::memory(board, cover),
        }
    }
}

/// The largest cover by number of pieces that is built in a few seconds.
fn small_cover(board: &Board) -> Cover {
    let indices = |n| Slice::all(board, &Cover::up_to(n)).iter().map(|s| s.indices(board)).sum();
    let fits = |n: &u8| -> bool {
        let all: u64 = indices(*n);
        all <= MEASURED
    };
    Cover::up_to((2..board.squares()).take_while(fits).last().unwrap_or(2))
}

/// The seconds and bytes of a slice, by the table.
fn by_table(board: &Board, slice: Slice) -> (f64, f64) {
    let (seconds, bytes) = INDEX[usize::from(slice.pieces() - 2).min(INDEX.len() - 1)];
    let indices = slice.indices(board) as f64;
    (SLICE.0 + seconds * indices, SLICE.1 + bytes * indices)
}
