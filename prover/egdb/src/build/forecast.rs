//! Forecasts the time of building a database, and its size.
//!
//! From the figures of slices that were built, those of slices with more pieces are estimated.
//!
//! Time: that on a machine which does nothing else (`stopwatch.rs`). The seconds a slice and the
//! seconds an index are fitted to all slices that were built (`Pace`). The growth from one number
//! of pieces to the next is not used: small slices spend most of their time on files, and
//! extrapolation would carry that share on. The time of a number of pieces is divided among its
//! slices by the geometric mean over the slices with one piece less. Tables that have to be read
//! again for want of memory are added.
//!
//! Bytes: the geometric mean of two estimates, which err in opposite directions where the number of
//! pieces is odd and where it is even. One takes for each slice the mean of those with one piece
//! less. The other takes that of those with a piece less on both sides, which have the same
//! balance, corrected by its error for the number of pieces before (`docs/performance.md` says how
//! good that is).

use std::collections::{HashMap, HashSet};

use certificate_spec::cover::Cover;

use super::error::BuildError;
use super::extend::extend;
use super::memory::room_to_solve;
use super::residency::{Later, Residency};
use super::session::BuildSession;
use super::stopwatch::Stopwatch;
use crate::disk::figures::Figures;
use crate::disk::mapped::file_length;
use crate::disk::store::Store;
use crate::index::cover::at_most;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;
use crate::values::stats::placements;
use draughtproof_game::Board;

/// Calibration builds all slices up to a number of pieces for which they have at most this many
/// indices.
const CALIBRATION: u64 = 250_000_000;
/// Calibration also builds the first slices with one piece more, with at most this many indices: it
/// takes a few seconds in all.
const LARGER_CALIBRATION: u64 = 500_000_000;

/// The forecast for the slices with a number of pieces; where `known`, the bytes are measured.
#[derive(Debug, Clone)]
pub struct Forecast {
    /// The number of pieces.
    pub pieces: u8,
    /// The number of positions with exactly this number of pieces.
    pub positions: u64,
    /// The number of indices, including those that stand for no position.
    pub indices: u64,
    /// Whether the slices are on disk already; then `bytes` is their size.
    pub known: bool,
    /// The seconds to build the slices.
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
    /// The slices that take longest to build, with their twins.
    pub largest: Vec<PairForecast>,
}

/// The forecast for a slice and its twin together.
#[derive(Debug, Clone, Copy)]
pub struct PairForecast {
    /// The slice that is first in order.
    pub slice: Slice,
    /// The seconds to build both.
    pub seconds: f64,
    /// The bytes of both on disk.
    pub bytes: f64,
    /// The seconds to read the slices that they follow from, if none of them is in memory.
    pub reading: f64,
    /// The least bytes of memory with which they can be built, without tables in files.
    pub memory: u64,
}

/// Rates that were measured on this machine.
pub struct Forecaster {
    board: Board,
    /// The seconds to solve, compress and write an index, by slice.
    seconds: HashMap<Slice, f64>,
    /// The bytes on disk of an index, by slice.
    bytes: HashMap<Slice, f64>,
    /// The seconds to read an index again.
    read: f64,
    /// The pace of slices of which no time is known.
    pace: Pace,
    /// The seconds to find the depth of an index, if they were measured.
    depth: Option<f64>,
    /// The slices whose sizes are known.
    known: HashSet<Slice>,
    /// The slices that are on disk.
    there: HashSet<Slice>,
    memory: u64,
    /// The bytes of disk for tables that are needed and do not fit into memory.
    files: u64,
}

/// The pace at which slices are built.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pace {
    /// The seconds for a slice of any size.
    slice: f64,
    /// The additional seconds for each index.
    index: f64,
}

impl Pace {
    /// The pace of slices, given as numbers of indices and seconds. The time of an index is that of
    /// the largest slices, which have half of all indices, taken together. The time of a slice is
    /// what the smaller half of the slices took beyond that.
    fn of_slices(mut slices: Vec<(f64, f64)>) -> Pace {
        slices.sort_by(|a, b| b.0.total_cmp(&a.0));
        let all: f64 = slices.iter().map(|&(indices, _)| indices).sum();
        let (mut indices, mut seconds) = (0.0, 0.0);
        for &(more, time) in &slices {
            if 2.0 * indices >= all {
                break;
            }
            indices += more;
            seconds += time;
        }
        let index = if indices > 0.0 { seconds / indices } else { 0.0 };
        let small = &slices[slices.len() / 2..];
        let beyond: f64 = small.iter().map(|&(indices, time)| time - index * indices).sum();
        Pace { slice: (beyond / small.len().max(1) as f64).max(0.0), index }
    }

    /// The seconds for a slice.
    fn of(&self, indices: f64) -> f64 {
        self.slice + self.index * indices
    }
}

impl Forecaster {
    /// Builds a small database in a new directory `scratch` to measure this machine, and reads the
    /// figures noted for the database in `store`. `memory` is the number of bytes that a builder
    /// may use, and `files` the bytes of disk for tables that do not fit into it.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn new(
        store: &Store,
        scratch: &std::path::Path,
        memory: u64,
        files: u64,
    ) -> Result<Self, BuildError> {
        let board = store.board().clone();
        let small = Store::new(scratch, &board);
        let read = calibrate(&small, memory)?;
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
        let pairs: Vec<(f64, f64)> = seconds
            .iter()
            .map(|(slice, rate)| {
                let indices = slice.indices(&board) as f64;
                (indices, rate * indices)
            })
            .collect();
        let pace = Pace::of_slices(pairs);
        let there = records.iter().map(|record| Slice::from(record.name)).collect();
        for record in records {
            let slice = Slice::from(record.name);
            bytes.insert(slice, record.length as f64 / slice.indices(&board) as f64);
        }
        let known = bytes.keys().copied().collect();
        Ok(Forecaster {
            board,
            seconds,
            bytes,
            read,
            pace,
            depth: None,
            known,
            there,
            memory,
            files,
        })
    }

    /// Measures how long depths take, on the small database that [`Forecaster::new`] has built in
    /// `scratch`: those of a third of its slices with the most pieces.
    ///
    /// # Errors
    /// [`BuildError`]
    pub fn measure_depths(&mut self, scratch: &std::path::Path) -> Result<(), BuildError> {
        let store = Store::new(scratch, &self.board);
        let cover = store.manifest()?.cover;
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
    pub fn forecast(&mut self, cover: &Cover) -> Vec<Forecast> {
        // The error of the estimate from balanced slices for the number of pieces before.
        let mut growth = 1.0;
        let in_files = BuildSession::least_memory(&self.board, cover) > self.memory;
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
                self.estimate_times(&slices);
                for &slice in &slices {
                    let bytes = factor * self.bytes_of(&fewer(slice, ONE));
                    self.bytes.entry(slice).or_insert(bytes);
                }
                let forecast = self.add_up(n, &at_most(cover, n), &slices, in_files);
                if forecast.known && balanced > 0.0 {
                    growth = forecast.bytes / balanced;
                }
                forecast
            })
            .collect()
    }

    /// Estimates the times of those slices with a number of pieces whose time is not known.
    fn estimate_times(&mut self, slices: &[Slice]) {
        let unknown = slices.iter().copied().filter(|slice| !self.seconds.contains_key(slice));
        let shares: Vec<(Slice, f64, f64)> = unknown
            .map(|slice| {
                let indices = slice.indices(&self.board) as f64;
                (slice, indices, self.seconds_of(&fewer(slice, ONE)) * indices)
            })
            .collect();
        let expected: f64 = shares.iter().map(|&(_, indices, _)| self.pace.of(indices)).sum();
        let all: f64 = shares.iter().map(|&(.., share)| share).sum();
        for (slice, indices, share) in shares {
            let seconds = if all > 0.0 { expected * share / all } else { self.pace.of(indices) };
            self.seconds.insert(slice, seconds / indices.max(1.0));
        }
    }

    /// The forecast for each slice of a cover, with its twin, in the order in which they are
    /// solved. [`Forecaster::forecast`] must have been called for the cover.
    pub fn pairs(&self, cover: &Cover) -> Vec<PairForecast> {
        let pairs = (2..=cover.most_pieces()).flat_map(|n| Builder::pairs(&self.board, cover, n));
        pairs.map(|slice| self.pair(cover, slice)).collect()
    }

    fn pair(&self, cover: &Cover, slice: Slice) -> PairForecast {
        let of = |rates: &HashMap<Slice, f64>| -> f64 {
            slice.with_twin().iter().map(|s| rates[s] * s.indices(&self.board) as f64).sum()
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

    /// The forecast for the slices with `n` pieces; `cover` is the cover of the database with them.
    fn add_up(&self, n: u8, cover: &Cover, slices: &[Slice], in_files: bool) -> Forecast {
        let board = &self.board;
        let pairs = Builder::pairs(board, cover, n);
        let mut largest: Vec<_> = pairs.iter().map(|&slice| self.pair(cover, slice)).collect();
        largest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let seconds: f64 = largest.iter().map(|l| l.seconds).sum();
        let bytes = largest.iter().map(|l| l.bytes).sum();
        let indices: u64 = slices.iter().map(|s| s.indices(board)).sum();
        largest.truncate(5);
        Forecast {
            pieces: n,
            positions: slices.iter().map(|&s| placements(board, s)).sum(),
            indices,
            depth_seconds: self.depth.map(|pace| pace * indices as f64),
            known: slices.iter().all(|slice| self.known.contains(slice)),
            seconds: seconds + self.read_again(n, cover, &pairs, in_files),
            bytes,
            least_memory: BuildSession::least_memory_with_files(board, cover),
            tables: slices.iter().map(|s| file_length(s.indices(board))).sum(),
            most_memory: Builder::memory(board, cover),
            largest,
        }
    }

    /// The seconds to read slices again that had to be dropped for want of memory, or of disk where
    /// tables are in files.
    fn read_again(&self, n: u8, cover: &Cover, pairs: &[Slice], in_files: bool) -> f64 {
        let space = if in_files { self.files } else { self.memory };
        let mut resident = Residency::new(&self.board, cover, space);
        let smaller = Slice::all(&self.board, &at_most(cover, n - 1));
        // A builder with tables in files has no tables of the slices that it finds on disk.
        let made = smaller.into_iter().filter(|slice| !in_files || !self.there.contains(slice));
        resident.add(&made.collect::<Vec<_>>());
        let mut later = Later::new(pairs);
        let mut indices = 0;
        for &slice in pairs {
            later.next();
            let needs = Builder::needs(slice);
            let room = if in_files { 0 } else { room_to_solve(&self.board, slice) };
            let load = match resident.bring(&needs, room, later.needs()) {
                Ok(change) => change.load,
                // All of these slices are read each time.
                Err(_) if in_files => resident.missing(&needs),
                // The forecast for slices that cannot be built includes no reading.
                Err(_) => return 0.0,
            };
            indices += load.iter().map(|s| s.indices(&self.board)).sum::<u64>();
            resident.add(&slice.with_twin());
        }
        indices as f64 * self.read
    }

    /// The seconds for an index: the geometric mean over these slices.
    fn seconds_of(&self, slices: &[Slice]) -> f64 {
        let logarithms =
            slices.iter().filter_map(|s| self.seconds.get(s)).map(|s| s.max(1e-12).ln());
        mean(logarithms).map_or(0.0, f64::exp)
    }

    /// The bytes for an index: the mean over these slices.
    fn bytes_of(&self, slices: &[Slice]) -> f64 {
        mean(slices.iter().filter_map(|s| self.bytes.get(s)).copied()).unwrap_or(0.0)
    }
}

/// Builds a small database in an empty store; returns the seconds to read an index.
fn calibrate(store: &Store, memory: u64) -> Result<f64, BuildError> {
    let board = store.board();
    let sum = |slices: &[Slice]| -> u64 { slices.iter().map(|s| s.indices(board)).sum() };
    let fits = |n: &u8| sum(&Slice::all(board, &Cover::up_to(*n))) <= CALIBRATION;
    let pieces = (2..board.squares()).take_while(fits).last().unwrap_or(2);
    let cover = Cover::up_to(pieces);
    let _lock = store.lock()?;
    extend(&mut BuildSession::new(store, &cover, memory)?, |_| ())?;
    let larger = Cover::up_to(board.squares().min(pieces + 1));
    let mut session = BuildSession::new(store, &larger, memory)?;
    let (slices, start) = (Slice::all(board, &cover), Stopwatch::start());
    session.load(&slices)?;
    let read = start.seconds() / sum(&slices) as f64;
    // In small slices files and allocations take much of the time, in large ones nearly none.
    let mut left = LARGER_CALIBRATION;
    for pair in Builder::pairs(board, &larger, pieces + 1) {
        let indices = sum(&pair.with_twin());
        if indices > left {
            break;
        }
        match session.solve(pair, &[]) {
            Ok(()) => left -= indices,
            // If the memory does not suffice, the measurements so far are used.
            Err(BuildError::Memory { .. }) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then_some(sum / count)
}

/// The seconds to solve a slice and write its file.
fn time(figures: &Figures) -> f64 {
    figures.solve_seconds + figures.write_seconds
}

fn by_slice(figures: Vec<Figures>) -> HashMap<Slice, Figures> {
    figures.into_iter().map(|f| (Slice::from(f.slice), f)).collect()
}

/// The ratio of the times measured now to those noted for the same slices; 1 if none are noted.
fn slowdown(measured: &HashMap<Slice, Figures>, noted: &HashMap<Slice, Figures>) -> f64 {
    let common = measured.iter().filter_map(|(slice, here)| Some((here, noted.get(slice)?)));
    let (here, there) =
        common.fold((0.0, 0.0), |(h, t), (here, there)| (h + time(here), t + time(there)));
    if there > 0.0 && here > 0.0 { here / there } else { 1.0 }
}

/// Ways to take pieces away, as places in (a, b, c, d): one piece, or one of each side.
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

#[cfg(test)]
mod tests {
    use super::Pace;

    #[test]
    fn the_time_of_a_slice_is_no_time_of_its_indices() {
        // A slice takes 1.5 ms and an index 7 ns, and one slice has an interruption of half a
        // second.
        let mut slices = [1e2, 1e3, 1e4, 2e4, 1e6, 3e6, 1e8, 2e8].map(|x| (x, 1.5e-3 + 7e-9 * x));
        slices[5].1 += 0.5;
        let Pace { slice, index } = Pace::of_slices(slices.to_vec());
        assert!((1.4e-3..1.6e-3).contains(&slice), "{slice}");
        assert!((6.9e-9..7.1e-9).contains(&index), "{index}");
        // The pace of one slice, and of none.
        let pace = |slices: &[(f64, f64)]| Pace::of_slices(slices.to_vec());
        assert_eq!(pace(&[(1e6, 0.01)]), Pace { slice: 0.0, index: 1e-8 });
        assert_eq!(pace(&[]), Pace { slice: 0.0, index: 0.0 });
    }
}
