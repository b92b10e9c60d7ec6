//! Builds a database: slice by slice, and within a slice block by block.
//!
//! A move leads to fewer pieces, to fewer men, to men further on, or (a king move) to the twin of
//! the block. So slices are solved by pieces, then men, together with their twins, and blocks by
//! falling *advancement*, the sum of the rows of all men seen from their own ends. Blocks of equal
//! advancement do not depend on each other and are solved in parallel.

use certificate_spec::cover::Cover;
use rayon::prelude::*;

use super::block::{Block, Shared};
use super::matrix::PARALLEL_WORDS;
use super::pair::{Solved, SolvedBlock, Solver};
use crate::index::cover::most_a_side;
use crate::index::sets::{KingSets, LazyKingSets, sets};
use crate::index::slice::{Slice, turn};
use crate::values::files::ones;
use crate::values::resident::Values;
use crate::values::table::Table;
use draughtproof_game::Board;

/// The bytes of values that are in memory twice while a slice is restored.
const PART: u64 = 64 << 20;
/// The most blocks of a task of one thread: sets of the enemy's men with one set of the mover's.
pub(crate) const BLOCKS_PER_TASK: usize = 64;
/// The number of tasks for each thread, so that no thread waits long for the last one.
const TASKS: usize = 8;

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

/// The sizes of the groups of [`by_advancement`].
fn count_by_advancement(board: &Board, men: u8) -> Vec<u64> {
    let most = usize::from(men) * usize::from(board.rows());
    // For each number of men and sum of rows, the number of sets of the squares so far.
    let mut counts = vec![vec![0; most + 1]; usize::from(men) + 1];
    counts[0][0] = 1;
    for row in (0..board.man_squares()).map(|square| usize::from(board.row(square))) {
        for k in (1..counts.len()).rev() {
            for sum in row..=most {
                counts[k][sum] += counts[k - 1][sum - row];
            }
        }
    }
    counts.swap_remove(usize::from(men))
}

/// Builds databases, from fewer pieces to more. Slices may be in memory or not: the caller must
/// ensure that those that a step [`Builder::needs`] are.
pub struct Builder {
    database: Values,
    kings: LazyKingSets,
}

impl Builder {
    /// A builder of the database with a cover, without any values.
    pub fn new(board: &Board, cover: &Cover) -> Self {
        let kings = LazyKingSets::new(board);
        Builder { database: Values::without_tables(board, cover), kings }
    }

    /// The bytes that all tables of a cover take, with the other memory of building them.
    pub fn memory(board: &Board, cover: &Cover) -> u64 {
        let slices = Slice::all(board, cover);
        let work = slices.iter().map(|&s| Self::work(board, s)).max().unwrap_or(0);
        let tables: u64 = slices.iter().map(|&s| Self::table_memory(board, s)).sum();
        tables + work + Self::base_memory(board, cover)
    }

    /// The bytes that a slice's table takes.
    pub fn table_memory(board: &Board, slice: Slice) -> u64 {
        slice.indices(board) / 4 + 64
    }

    /// The bytes that a builder takes independently of the slices in memory.
    pub fn base_memory(board: &Board, cover: &Cover) -> u64 {
        (0..=most_a_side(cover)).map(|k| KingSets::memory(board, k)).sum::<u64>() + (16 << 20)
    }

    /// The bytes that solving a slice takes besides the tables: a pair of blocks for each thread,
    /// the finished blocks of the largest advancement, and the slice's file.
    pub fn work(board: &Board, slice: Slice) -> u64 {
        let (rows, columns) = slice.block_size(board);
        // Three planes of fixed values, and two planes each of the values and of their transpose.
        let block = rows.max(64) * columns.max(64) * 7 / 8;
        let (mine, theirs) =
            (count_by_advancement(board, slice.men), count_by_advancement(board, slice.enemy_men));
        let mut blocks = vec![0; mine.len() + theirs.len()];
        for (i, m) in mine.iter().enumerate() {
            theirs.iter().enumerate().for_each(|(j, t)| blocks[i + j] += m * t);
        }
        let finished = blocks.iter().max().unwrap_or(&0) * rows * columns / 2;
        let threads = rayon::current_num_threads() as u64;
        threads * block + finished + PART + Self::table_memory(board, slice) / 4
    }

    /// The slices that a capture leads to, all with fewer pieces.
    pub fn captures(slice: Slice) -> Vec<Slice> {
        let crowned = slice.men.checked_sub(1).map(|men| (men, slice.kings + 1));
        let movers = [Some((slice.men, slice.kings)), crowned];
        let left = (0..=slice.enemy_men)
            .flat_map(|men| (0..=slice.enemy_kings).map(move |kings| (men, kings)))
            .filter(|&left| left != (0, 0) && left != (slice.enemy_men, slice.enemy_kings));
        left.flat_map(|(men, kings)| {
            let after = move |(own_men, own_kings)| Slice::new(men, kings, own_men, own_kings);
            movers.into_iter().flatten().map(after)
        })
        .collect()
    }

    /// The finished slices that solving a slice and its twin looks at, in order.
    pub fn needs(slice: Slice) -> Vec<Slice> {
        let crowned = |s: Slice| {
            let men = s.men.checked_sub(1)?;
            Some(Slice::new(s.enemy_men, s.enemy_kings, men, s.kings + 1))
        };
        let both = [slice, slice.twin()];
        let mut all: Vec<Slice> = both.into_iter().flat_map(Self::captures).collect();
        all.extend(both.into_iter().filter_map(crowned));
        all.sort_by_key(|s| s.name().order());
        all.dedup();
        all
    }

    /// The finished slices that have to be read to solve a slice and its twin, in order: those that
    /// solving looks at, and those that their captures lead to, for the values of their positions
    /// with a capture.
    pub fn reads(slice: Slice) -> Vec<Slice> {
        let mut found: Vec<Slice> = Vec::new();
        let mut todo = Self::needs(slice);
        while let Some(slice) = todo.pop() {
            if !found.contains(&slice) {
                found.push(slice);
                todo.extend(Self::captures(slice));
            }
        }
        found.sort_by_key(|s| s.name().order());
        found
    }

    /// The slices of a cover with `pieces` pieces, in order; one of each pair of twins, which are
    /// solved together.
    pub fn pairs(board: &Board, cover: &Cover, pieces: u8) -> Vec<Slice> {
        let of_size =
            |s: &Slice| s.pieces() == pieces && s.name().order() <= s.twin().name().order();
        Slice::all(board, cover).into_iter().filter(of_size).collect()
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
            let fits =
                |&(m, _): &(usize, &Vec<u32>)| m <= advancement && advancement - m < theirs.len();
            let groups = || mine.iter().enumerate().filter(fits);
            let blocks: usize =
                groups().map(|(m, group)| group.len() * theirs[advancement - m].len()).sum();
            // The tasks are smaller for slices in which the mover has few men or none.
            let part = blocks.div_ceil(TASKS * rayon::current_num_threads());
            let part = part.clamp(1, BLOCKS_PER_TASK);
            let tasks: Vec<(u32, &[u32])> = groups()
                .flat_map(|(m, group)| group.iter().map(move |&set| (m, set)))
                .flat_map(|(m, set)| {
                    theirs[advancement - m].chunks(part).map(move |part| (set, part))
                })
                .collect();
            let solved = self.solve_tasks(slice, &tasks);
            self.write(&solved);
        }
    }

    fn write(&mut self, solved: &[Solved]) {
        for solved in solved {
            for &SolvedBlock { slice, first_index, bits, first_word } in &solved.blocks {
                let table = self.database.tables.get_mut(slice);
                let (win, loss) = (&solved.win[first_word..], &solved.loss[first_word..]);
                table.write(first_index, bits, win, loss);
            }
        }
    }

    /// Restores a slice from the values of its quiet positions. The slices that its captures lead
    /// to ([`Builder::captures`]) must be in memory.
    pub fn restore(&mut self, slice: Slice, quiet: Table) {
        *self.database.tables.get_mut(slice) = quiet;
        let board = self.database.board.clone();
        let men: Vec<u32> = sets(board.man_squares(), slice.men).collect();
        let enemy_men: Vec<u32> = sets(board.man_squares(), slice.enemy_men).collect();
        let (rows, columns) = slice.block_size(&board);
        let is_large = rows * columns > 64 * PARALLEL_WORDS as u64;
        let blocks: Vec<(u32, &[u32])> = men
            .iter()
            .flat_map(|&men| enemy_men.chunks(BLOCKS_PER_TASK).map(move |part| (men, part)))
            .collect();
        // The blocks are restored in groups, so that only a small part is in memory twice.
        let bytes = BLOCKS_PER_TASK as u64 * rows * columns / 4 + 1;
        for part in blocks.chunks((PART / bytes).clamp(1, 1024) as usize) {
            let shared = self.shared();
            let play = |out: &mut Solved, solver: &mut Solver, &(men, enemies): &(u32, &[u32])| {
                for &enemy_men in enemies.iter().filter(|&&e| men & turn(&board, e) == 0) {
                    solver.solve_captures(&Block::new(&shared, slice, men, enemy_men), out);
                }
            };
            let solved = if is_large {
                // The rows of a large block are spread over the threads, so blocks come one by one.
                let mut out = Solved::default();
                part.iter().for_each(|unit| play(&mut out, &mut Solver::default(), unit));
                vec![out]
            } else {
                let chunks = part.par_chunks(part.len().div_ceil(8 * rayon::current_num_threads()));
                let solve = |chunk: &[(u32, &[u32])]| {
                    let (mut solver, mut out) = (Solver::default(), Solved::default());
                    chunk.iter().for_each(|unit| play(&mut out, &mut solver, unit));
                    out
                };
                chunks.map(solve).collect()
            };
            self.write(&solved);
        }
    }

    /// The numbers of wins and losses among the positions of a slice in which there is a capture.
    /// The slices that captures lead to must be in memory; the slice itself need not be.
    pub(crate) fn count_captures(&self, slice: Slice) -> [u64; 2] {
        let shared = self.shared();
        let board = shared.board;
        let men: Vec<u32> = sets(board.man_squares(), slice.men).collect();
        let enemy_men: Vec<u32> = sets(board.man_squares(), slice.enemy_men).collect();
        let (rows, columns) = slice.block_size(board);
        let count = |(solver, out): &mut (Solver, Solved), men: u32, enemies: &[u32]| {
            let mut counts = [0; 2];
            for &enemy_men in enemies.iter().filter(|&&e| men & turn(board, e) == 0) {
                solver.solve_captures(&Block::new(&shared, slice, men, enemy_men), out);
                counts = [counts[0] + ones(&out.win), counts[1] + ones(&out.loss)];
                out.clear();
            }
            counts
        };
        let add = |[a, b]: [u64; 2], [c, d]: [u64; 2]| [a + c, b + d];
        if rows * columns > 64 * PARALLEL_WORDS as u64 {
            // The rows of a large block are spread over the threads, so blocks come one by one.
            let mut memory = Default::default();
            return men.iter().map(|&m| count(&mut memory, m, &enemy_men)).fold([0; 2], add);
        }
        let tasks: Vec<(u32, &[u32])> = men
            .iter()
            .flat_map(|&men| enemy_men.chunks(BLOCKS_PER_TASK).map(move |some| (men, some)))
            .collect();
        let tasks = tasks.par_iter();
        let counts =
            tasks.map_init(Default::default, |memory, (men, some)| count(memory, *men, some));
        counts.reduce(|| [0; 2], add)
    }

    /// The bytes that [`Builder::count_captures`] takes besides the tables: for each thread the
    /// planes of a block and a second copy of its values.
    pub(crate) fn count_memory(board: &Board, slice: Slice) -> u64 {
        let (rows, columns) = slice.block_size(board);
        let block = rows.max(64) * columns.max(64) * 9 / 8;
        rayon::current_num_threads() as u64 * block + (1 << 20)
    }

    /// Puts a finished table in place.
    pub(crate) fn put(&mut self, slice: Slice, table: Table) {
        *self.database.tables.get_mut(slice) = table;
    }

    /// Drops the values of a slice.
    pub fn forget(&mut self, slice: Slice) {
        *self.database.tables.get_mut(slice) = Table::new(0);
    }

    /// Whether the values of a slice are in memory.
    pub fn has(&self, slice: Slice) -> bool {
        self.database.tables.get(slice).indices() > 0
    }

    /// The data that blocks share.
    pub(crate) fn shared(&self) -> Shared<'_> {
        let Values { board, tables, .. } = &self.database;
        Shared { board, kings: &self.kings, tables }
    }

    /// Solves blocks of equal advancement: each set of the mover's men with a list of the enemy's
    /// sets.
    fn solve_tasks(&self, slice: Slice, tasks: &[(u32, &[u32])]) -> Vec<Solved> {
        let shared = self.shared();
        let board = shared.board;
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
        let threads = rayon::current_num_threads();
        if rows * columns > 64 * PARALLEL_WORDS as u64 && tasks.len() < 2 * threads {
            // A few large blocks are each spread over threads, one block at a time.
            let (mut solver, mut out) = (Solver::default(), Solved::default());
            tasks.iter().for_each(|task| solve(&mut solver, &mut out, task));
            return vec![out];
        }
        let chunk = tasks.len().div_ceil(TASKS * threads).max(1);
        tasks
            .par_chunks(chunk)
            .map(|tasks| {
                let (mut solver, mut out) = (Solver::default(), Solved::default());
                tasks.iter().for_each(|task| solve(&mut solver, &mut out, task));
                out
            })
            .collect()
    }

    /// The table of a slice, as far as it is solved.
    pub fn table(&self, slice: Slice) -> &Table {
        self.database.tables.get(slice)
    }

    /// The built database. All slices of its cover must be in memory.
    pub fn finish(self) -> Values {
        self.database
    }
}

#[cfg(test)]
mod tests {
    use super::{by_advancement, count_by_advancement};
    use draughtproof_game::Board;

    #[test]
    fn groups_are_counted_without_being_made() {
        for (rows, columns) in [(8, 8), (6, 6), (5, 5), (3, 7), (8, 2)] {
            let board = Board::new(rows, columns).expect("a board");
            for men in 0..=4.min(board.man_squares()) {
                let mut sizes: Vec<u64> =
                    by_advancement(&board, men).iter().map(|group| group.len() as u64).collect();
                let counts = count_by_advancement(&board, men);
                sizes.resize(counts.len(), 0);
                assert_eq!(counts, sizes, "{} with {men} men", board.name());
            }
        }
    }
}
