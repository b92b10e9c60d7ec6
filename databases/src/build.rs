//! Building a database: slice by slice, and within a slice block by block.
//!
//! A move leads to fewer pieces, to fewer men, to men further on, or (a king move) to the twin of
//! the block. So slices are solved by pieces, then men, together with their twins, and blocks by
//! falling *advancement*, the sum of the rows of all men seen from their own ends. Blocks of equal
//! advancement do not depend on each other and are solved in parallel.

use rayon::prelude::*;

use super::block::Shared;
use super::matrix::PARALLEL_WORDS;
use super::resident::{Database, Tables};
use super::sets::{KingSets, sets};
use super::slice::{Slice, turn};
use super::solve::{Solved, Solver};
use super::table::Table;
use crate::board::Board;

/// Blocks that are solved one after the other: so many sets of the enemy's men.
const UNIT: usize = 64;

/// Groups the sets of `men` men by the sum of their rows.
fn by_advancement(board: &Board, men: u8) -> Vec<Vec<u32>> {
    let mut groups = Vec::new();
    for set in sets(board.man_squares(), men) {
        let rows = (0..32).filter(|s| set >> s & 1 == 1).map(|s| usize::from(board.row(s)));
        let sum = rows.sum();
        if groups.len() <= sum {
            groups.resize(sum + 1, Vec::new());
        }
        groups[sum].push(set);
    }
    groups
}

/// Builds databases, from fewer pieces to more.
pub struct Builder {
    database: Database,
    kings: Vec<KingSets>,
}

impl Builder {
    /// Goes on from a finished database (which may be empty) up to `pieces` pieces.
    pub fn new(from: Database, pieces: u8) -> Self {
        let board = from.board.clone();
        let mut tables = Tables::new(pieces.max(from.pieces));
        let mut from = from;
        for slice in Slice::all(&board, from.pieces) {
            std::mem::swap(tables.get_mut(slice), from.tables.get_mut(slice));
        }
        // One side has at most all pieces but one.
        let kings = (0..pieces.max(1)).map(|k| KingSets::new(&board, k)).collect();
        Builder { database: Database { board, pieces: from.pieces, tables }, kings }
    }

    /// The bytes that building up to `pieces` pieces needs at the most: all tables, what is known of
    /// the sets of kings, and the working memory of the largest pair of blocks and the finished blocks
    /// of one advancement.
    pub fn memory(board: &Board, pieces: u8) -> u64 {
        let slices = Slice::all(board, pieces);
        let table = |s: &Slice| s.indices(board) / 4 + 64;
        let tables: u64 = slices.iter().map(table).sum();
        let block = |s: &Slice| {
            let (rows, columns) = s.block_size(board);
            // Three planes of fixed values, and the values and their transpose in two planes each.
            rows.max(64) * columns.max(64) * 7 / 8
        };
        let work = slices.iter().map(|s| 4 * block(s) + 2 * table(s)).max().unwrap_or(0);
        let kings = (0..pieces).map(|k| KingSets::memory(board, k)).sum::<u64>();
        tables + kings + work + (16 << 20)
    }

    /// The slices still to be solved for `pieces` pieces, each followed by its twin unless it is
    /// its own.
    pub fn pairs(board: &Board, pieces: u8) -> Vec<Slice> {
        let of_size =
            |s: &Slice| s.pieces() == pieces && s.name().order() <= s.twin().name().order();
        Slice::all(board, pieces).into_iter().filter(of_size).collect()
    }

    /// Solves a slice and its twin. All slices before them in order must be solved.
    pub fn solve(&mut self, slice: Slice) {
        let board = self.database.board.clone();
        for slice in [slice, slice.twin()] {
            *self.database.tables.get_mut(slice) = Table::new(slice.indices(&board));
        }
        let mine = by_advancement(&board, slice.men);
        let theirs = by_advancement(&board, slice.enemy_men);
        for advancement in (0..mine.len() + theirs.len() - 1).rev() {
            let units: Vec<(u32, &[u32])> = mine
                .iter()
                .enumerate()
                .filter(|&(m, _)| m <= advancement && advancement - m < theirs.len())
                .flat_map(|(m, group)| group.iter().map(move |&set| (m, set)))
                .flat_map(|(m, set)| {
                    // In parts, for slices in which the mover has few men or none.
                    theirs[advancement - m].chunks(UNIT).map(move |part| (set, part))
                })
                .collect();
            for solved in self.solve_units(slice, &units) {
                for &(slice, index, bits, word) in &solved.blocks {
                    let table = self.database.tables.get_mut(slice);
                    table.write(index, bits, &solved.win[word..], &solved.loss[word..]);
                }
            }
        }
    }

    /// Solves blocks of equal advancement: each set of the mover's men with a list of the enemy's.
    fn solve_units(&self, slice: Slice, units: &[(u32, &[u32])]) -> Vec<Solved> {
        let board = &self.database.board;
        let shared = Shared { board, kings: &self.kings, tables: &self.database.tables };
        let symmetric = slice == slice.twin();
        let solve = |solver: &mut Solver, out: &mut Solved, &(men, enemies): &(u32, &[u32])| {
            for &enemy_men in enemies {
                let overlap = men & turn(board, enemy_men) != 0;
                if !overlap && (!symmetric || men <= enemy_men) {
                    solver.solve(&shared, slice, men, enemy_men, out);
                }
            }
        };
        let (rows, columns) = slice.block_size(board);
        if rows * columns > 64 * PARALLEL_WORDS as u64 {
            // Large blocks are spread over threads themselves, one block at a time.
            let (mut solver, mut out) = (Solver::default(), Solved::default());
            units.iter().for_each(|unit| solve(&mut solver, &mut out, unit));
            return vec![out];
        }
        let chunk = units.len().div_ceil(8 * rayon::current_num_threads()).max(1);
        units
            .par_chunks(chunk)
            .map(|units| {
                let (mut solver, mut out) = (Solver::default(), Solved::default());
                units.iter().for_each(|unit| solve(&mut solver, &mut out, unit));
                out
            })
            .collect()
    }

    /// The tables as far as they are solved.
    pub fn table(&self, slice: Slice) -> &Table {
        self.database.tables.get(slice)
    }

    /// Says that all slices with `pieces` pieces are solved.
    pub fn complete(&mut self, pieces: u8) {
        self.database.pieces = pieces;
    }

    /// The database, as far as it is complete.
    pub fn finish(self) -> Database {
        self.database
    }
}
