//! How long a database will take to build, and how large it will be.
//!
//! From the figures of slices that were built, those of slices with more pieces are estimated. Time
//! for an index: the geometric mean over the slices with one piece less, times the square root of
//! what that was wrong by for the number of pieces before. Bytes of a number of pieces: the
//! geometric mean of two estimates that err in opposite directions where the number is odd and
//! where it is even. One takes for each slice the mean of those with one piece less; the other that
//! of those with a piece less on both sides, which have the same balance, corrected by what it was
//! wrong for the number of pieces before. (How good that is: `docs/performance.md`.)

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use certificate_spec::cover::Cover;

use super::error::BuildError;
use super::extend::extend;
use super::residency::{Later, Residency};
use super::session::{BuildSession, both, room_to_solve};
use crate::disk::figures::Figures;
use crate::disk::mapped::file_length;
use crate::disk::store::Store;
use crate::index::cover::at_most;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::stats::placements;
use draughtproof_game::Board;

/// Calibration builds at most so many indices: a few seconds.
const CALIBRATION: u64 = 250_000_000;

/// The forecast for the slices with a number of pieces; measured, not expected, where `known`.
#[derive(Debug, Clone)]
pub struct Forecast {
    /// The number of pieces.
    pub pieces: u8,
    /// Positions with exactly that many.
    pub positions: u64,
    /// Indices, those that stand for no position included.
    pub indices: u64,
    /// Whether they are on disk already; then `bytes` is their size.
    pub known: bool,
    /// Seconds to build them.
    pub seconds: f64,
    /// Bytes on disk; while building, too.
    pub bytes: f64,
    /// Bytes of memory without which they cannot be built, with tables in files.
    pub least_memory: u64,
    /// Bytes on disk of their tables, if they are made for searches.
    pub tables: u64,
    /// Bytes of memory with which nothing has to be read again.
    pub most_memory: u64,
    /// The slices that take longest, with their twins.
    pub largest: Vec<PairForecast>,
}

/// What is expected of a slice and its twin together.
#[derive(Debug, Clone, Copy)]
pub struct PairForecast {
    /// The slice that is first in order.
    pub slice: Slice,
    /// Seconds to build both.
    pub seconds: f64,
    /// Bytes of both on disk.
    pub bytes: f64,
    /// Seconds to read what they follow from, where nothing of it is in memory.
    pub reading: f64,
    /// Bytes of memory without which they cannot be built, with no tables in files.
    pub memory: u64,
}

/// Rates measured on this machine.
pub struct Forecaster {
    board: Board,
    /// Seconds that an index takes to solve, compress and write.
    seconds: HashMap<Slice, f64>,
    /// Bytes that an index takes on disk.
    bytes: HashMap<Slice, f64>,
    /// Seconds to read an index again.
    read: f64,
    /// The slices whose sizes are known.
    known: HashSet<Slice>,
    memory: u64,
}

impl Forecaster {
    /// Builds a small database in a new directory `scratch` to measure this machine, and takes in
    /// what is noted of the database in `store`. `memory` is what a builder may use.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn new(store: &Store, scratch: &std::path::Path, memory: u64) -> Result<Self, BuildError> {
        let board = store.board().clone();
        let indices = |cover: &Cover| -> u64 {
            Slice::all(&board, cover).iter().map(|s| s.indices(&board)).sum()
        };
        let covers = (2..board.squares()).map(Cover::up_to);
        let cover = covers.take_while(|cover| indices(cover) <= CALIBRATION).last();
        let cover = cover.unwrap_or(Cover::up_to(2));
        let small = Store::new(scratch, &board);
        let _lock = small.lock()?;
        extend(&mut BuildSession::new(&small, &cover, memory)?, |_| ())?;
        let start = Instant::now();
        BuildSession::new(&small, &cover, memory)?.load_all(|_| ())?;
        let read = start.elapsed().as_secs_f64() / indices(&cover) as f64;

        let measured = by_slice(small.figures());
        let (_, records) = store.finished()?;
        let noted = by_slice(store.figures());
        let slow = slowdown(&measured, &noted);
        let mut seconds: HashMap<Slice, f64> =
            noted.iter().map(|(&slice, f)| (slice, slow * time(f) / f.indices as f64)).collect();
        let mut bytes = HashMap::new();
        for (&slice, figures) in &measured {
            seconds.insert(slice, time(figures) / figures.indices as f64);
            bytes.insert(slice, figures.bytes as f64 / figures.indices as f64);
        }
        for record in records {
            let slice = Slice::from(record.name);
            bytes.insert(slice, record.length as f64 / slice.indices(&board) as f64);
        }
        let known = bytes.keys().copied().collect();
        Ok(Forecaster { board, seconds, bytes, read, known, memory })
    }

    /// The forecasts for the slices of a cover, from 2 pieces to its most.
    pub fn forecast(&mut self, cover: &Cover) -> Vec<Forecast> {
        // By what the estimate from balanced slices was wrong for the number of pieces before.
        let mut growth = 1.0;
        // And by what that of the time was.
        let mut pace = 1.0f64;
        let all = Slice::all(&self.board, cover);
        (2..=cover.most_pieces())
            .map(|n| {
                let slices: Vec<Slice> = all.iter().copied().filter(|s| s.pieces() == n).collect();
                let sum = |rate: &dyn Fn(Slice) -> f64| {
                    slices.iter().map(|&s| rate(s) * s.indices(&self.board) as f64).sum::<f64>()
                };
                let one_less = sum(&|s| self.bytes_of(&fewer(s, ONE)));
                let balanced = sum(&|s| self.bytes_of(&fewer(s, ONE_EACH)));
                let expected = (one_less * balanced * growth).sqrt();
                let factor = if one_less > 0.0 { expected / one_less } else { 0.0 };
                let slow = sum(&|s| self.seconds_of(&fewer(s, ONE)));
                let timed = slices.iter().all(|s| self.seconds.contains_key(s));
                for &slice in &slices {
                    let seconds = self.seconds_of(&fewer(slice, ONE)) * pace.sqrt();
                    let bytes = factor * self.bytes_of(&fewer(slice, ONE));
                    self.seconds.entry(slice).or_insert(seconds);
                    self.bytes.entry(slice).or_insert(bytes);
                }
                let forecast = self.add_up(n, &at_most(cover, n), &slices);
                if timed && slow > 0.0 {
                    pace = slices
                        .iter()
                        .map(|s| self.seconds[s] * s.indices(&self.board) as f64)
                        .sum::<f64>()
                        / slow;
                }
                if forecast.known && balanced > 0.0 {
                    growth = forecast.bytes / balanced;
                }
                forecast
            })
            .collect()
    }

    /// What is expected of each slice of a cover of which there are [`Forecaster::forecast`]s, with
    /// its twin: in the order in which they are solved.
    pub fn pairs(&self, cover: &Cover) -> Vec<PairForecast> {
        let pairs = (2..=cover.most_pieces()).flat_map(|n| Builder::pairs(&self.board, cover, n));
        pairs.map(|slice| self.pair(cover, slice)).collect()
    }

    fn pair(&self, cover: &Cover, slice: Slice) -> PairForecast {
        let of = |rates: &HashMap<Slice, f64>| -> f64 {
            both(slice).iter().map(|s| rates[s] * s.indices(&self.board) as f64).sum()
        };
        let empty = Residency::new(&self.board, cover, 0);
        let needs = empty.missing(&Builder::needs(slice));
        let read: u64 = needs.iter().map(|need| need.indices(&self.board)).sum();
        PairForecast {
            slice,
            seconds: of(&self.seconds),
            bytes: of(&self.bytes),
            reading: read as f64 * self.read,
            memory: BuildSession::memory_of(&self.board, cover, slice),
        }
    }

    /// The forecast for the slices with `n` pieces; `cover` is what there will be with them.
    fn add_up(&self, n: u8, cover: &Cover, slices: &[Slice]) -> Forecast {
        let board = &self.board;
        let pairs = Builder::pairs(board, cover, n);
        let mut largest: Vec<_> = pairs.iter().map(|&slice| self.pair(cover, slice)).collect();
        largest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let seconds: f64 = largest.iter().map(|l| l.seconds).sum();
        let bytes = largest.iter().map(|l| l.bytes).sum();
        largest.truncate(5);
        Forecast {
            pieces: n,
            positions: slices.iter().map(|&s| placements(board, s)).sum(),
            indices: slices.iter().map(|s| s.indices(board)).sum(),
            known: slices.iter().all(|slice| self.known.contains(slice)),
            seconds: seconds + self.read_again(n, cover, &pairs),
            bytes,
            least_memory: BuildSession::least_memory_with_files(board, cover),
            tables: slices.iter().map(|s| file_length(s.indices(board))).sum(),
            most_memory: Builder::memory(board, cover),
            largest,
        }
    }

    /// Seconds to read slices again that had to be forgotten for want of memory.
    fn read_again(&self, n: u8, cover: &Cover, pairs: &[Slice]) -> f64 {
        let mut resident = Residency::new(&self.board, cover, self.memory);
        let smaller = Slice::all(&self.board, &at_most(cover, n - 1));
        resident.add(&smaller);
        let mut later = Later::new(pairs);
        let mut indices = 0;
        for &slice in pairs {
            later.next();
            let room = room_to_solve(&self.board, slice);
            // What cannot be built at all is not forecast to be read again.
            let Ok(change) = resident.bring(&Builder::needs(slice), room, later.needs()) else {
                return 0.0;
            };
            indices += change.load.iter().map(|s| s.indices(&self.board)).sum::<u64>();
            resident.add(&both(slice));
        }
        indices as f64 * self.read
    }

    /// Seconds for an index: the geometric mean of those of these slices.
    fn seconds_of(&self, slices: &[Slice]) -> f64 {
        let logarithms =
            slices.iter().filter_map(|s| self.seconds.get(s)).map(|s| s.max(1e-12).ln());
        mean(logarithms).map_or(0.0, f64::exp)
    }

    /// Bytes for an index: the mean of those of these slices.
    fn bytes_of(&self, slices: &[Slice]) -> f64 {
        mean(slices.iter().filter_map(|s| self.bytes.get(s)).copied()).unwrap_or(0.0)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then_some(sum / count)
}

/// Seconds from nothing to the file.
fn time(figures: &Figures) -> f64 {
    figures.solve_seconds + figures.write_seconds
}

fn by_slice(figures: Vec<Figures>) -> HashMap<Slice, Figures> {
    figures.into_iter().map(|f| (Slice::from(f.slice), f)).collect()
}

/// How much longer the same slices took here and now than is noted; 1 if none are noted.
fn slowdown(measured: &HashMap<Slice, Figures>, noted: &HashMap<Slice, Figures>) -> f64 {
    let common = measured.iter().filter_map(|(slice, here)| Some((here, noted.get(slice)?)));
    let (here, there) =
        common.fold((0.0, 0.0), |(h, t), (here, there)| (h + time(here), t + time(there)));
    if there > 0.0 && here > 0.0 { here / there } else { 1.0 }
}

/// Ways to take pieces away, as places in (a, b, c, d): one, or one of each side.
const ONE: &[&[usize]] = &[&[0], &[1], &[2], &[3]];
const ONE_EACH: &[&[usize]] = &[&[0, 2], &[0, 3], &[1, 2], &[1, 3]];

/// The slices with pieces taken away in each of these ways.
fn fewer(slice: Slice, ways: &[&[usize]]) -> Vec<Slice> {
    let without = |way: &&[usize]| {
        let mut counts = slice.name().0;
        for &place in *way {
            counts[place] = counts[place].checked_sub(1)?;
        }
        let [a, b, c, d] = counts;
        (a + b > 0 && c + d > 0).then(|| Slice::new(a, b, c, d))
    };
    ways.iter().filter_map(without).collect()
}
