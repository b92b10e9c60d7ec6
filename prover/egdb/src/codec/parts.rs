//! The parts of a slice (`SPEC.md` §8.3): the division of its positions, which of them are quiet,
//! and the contexts in which their values are coded.

use crate::index::sets::{rank, sets, squares};
use crate::index::slice::{Slice, turn};
use certificate_spec::slice::{PART_COLUMNS, PART_POSITIONS};
use certificate_spec::value::Value;
use draughtproof_game::Board;

/// For each set of a list, the numbers of other sets of the list.
struct Links {
    first: Vec<u32>,
    links: Vec<u32>,
}

impl Links {
    /// For each set, the sets in which one piece stands a row lower, on a square diagonally next to
    /// its former one.
    fn lower(board: &Board, sets: &[u32]) -> Self {
        let (mut first, mut links) = (vec![0], Vec::new());
        for &set in sets {
            for from in (0..board.squares()).filter(|&s| set >> s & 1 == 1) {
                // Directions 2 and 3 lead down.
                for to in [2, 3].into_iter().filter_map(|d| board.step(from, d)) {
                    if set >> to & 1 == 0 {
                        links.push(rank(set & !(1 << from) | 1 << to) as u32);
                    }
                }
            }
            first.push(links.len() as u32);
        }
        Links { first, links }
    }

    fn of(&self, set: usize) -> &[u32] {
        &self.links[self.first[set] as usize..self.first[set + 1] as usize]
    }
}

/// A jump over a given square.
#[derive(Clone, Copy)]
struct Jump {
    from: u8,
    to: u8,
    /// Whether a man of the mover may make the jump.
    forward: bool,
}

impl Jump {
    fn all_over(board: &Board, over: u8) -> Vec<Jump> {
        // Direction 3 − d is the opposite of d; 0 and 1 lead up.
        let jump = |direction| {
            let (to, from) = (board.step(over, direction)?, board.step(over, 3 - direction)?);
            Some(Jump { from, to, forward: direction < 2 })
        };
        (0..4).filter_map(jump).collect()
    }
}

/// Words with a bit set for each set of squares.
fn all(sets: &[u32]) -> Vec<u64> {
    sets.chunks(64).map(|sets| u64::MAX >> (64 - sets.len())).collect()
}

/// For each square, the sets of squares that contain it, as words with a bit for each set.
fn occupied(sets: &[u32]) -> Vec<[u64; 32]> {
    let with = |sets: &[u32], square: usize| {
        sets.iter().rev().fold(0, |bits, set| bits << 1 | u64::from(set >> square & 1))
    };
    sets.chunks(64).map(|sets| std::array::from_fn(|square| with(sets, square))).collect()
}

/// The data that all parts of a slice share.
pub(crate) struct Parts {
    board: Board,
    slice: Slice,
    men: Vec<u32>,
    enemy_men: Vec<u32>,
    enemy_kings: Vec<u32>,
    lower_men: Links,
    lower_kings: Links,
    /// The bits of all columns, in words.
    all: Vec<u64>,
    /// For each word of a row and each square, the columns with a king on it.
    occupied: Vec<[u64; 32]>,
    /// For each word of bits over the sets of the opponent's kings, if the mover has none, and each
    /// square (as the mover sees it), the sets with a king on it.
    enemy_occupied: Vec<[u64; 32]>,
    /// For each square, the jumps over it.
    jumps: Vec<Vec<Jump>>,
    /// The division of the slice into parts.
    pub(crate) layout: Layout,
}

struct PartBlock {
    /// The number of the block within the part.
    number: u64,
    /// The number of the opponent's set of men.
    enemy_set: usize,
    /// The set of the mover's men.
    men: u32,
    /// The set of the opponent's men, as the opponent sees it.
    enemy_men: u32,
}

/// The source of the values that [`Parts::walk`] visits: an encoder knows them, a decoder decodes
/// them.
pub(crate) trait Symbols {
    /// Sets the index of the position to which bit 0 of the next values refers.
    fn at(&mut self, index: u64);
    /// The value, coded in a context, of the position `bit` indices after the one set by `at`.
    fn next(&mut self, context: usize, bit: u32) -> Value;
}

impl Parts {
    pub(crate) fn new(board: &Board, slice: Slice, cut: Cut) -> Self {
        let column_sets: Vec<u32> = sets(board.squares(), slice.kings).collect();
        let enemy_men: Vec<u32> = sets(board.man_squares(), slice.enemy_men).collect();
        let enemy_kings: Vec<u32> = sets(board.squares(), slice.enemy_kings).collect();
        Parts {
            board: board.clone(),
            slice,
            men: sets(board.man_squares(), slice.men).collect(),
            lower_men: Links::lower(board, &enemy_men),
            lower_kings: Links::lower(board, &enemy_kings),
            enemy_occupied: match slice.kings {
                0 => occupied(&enemy_kings.iter().map(|&k| turn(board, k)).collect::<Vec<_>>()),
                _ => Vec::new(),
            },
            enemy_men,
            enemy_kings,
            all: all(&column_sets),
            occupied: occupied(&column_sets),
            jumps: (0..board.squares()).map(|over| Jump::all_over(board, over)).collect(),
            layout: Layout::new(board, slice, cut),
        }
    }

    /// The blocks of a part that have positions: those in which no two men share a square.
    fn blocks(&self, span: Span) -> impl Iterator<Item = PartBlock> {
        let enemies = self.enemy_men.len() as u64;
        (0..span.blocks).filter_map(move |number| {
            let block = span.first[0] + number;
            let enemy_set = (block % enemies) as usize;
            let men = self.men[(block / enemies) as usize];
            let enemy_men = self.enemy_men[enemy_set];
            let block = PartBlock { number, enemy_set, men, enemy_men };
            (men & turn(&self.board, enemy_men) == 0).then_some(block)
        })
    }

    /// Finds the quiet positions of a part.
    pub(crate) fn quiet(&self, span: Span, out: &mut Quiet) {
        out.reset(span.len);
        let (mut jumps, mut of_men) = (Vec::new(), Vec::new());
        let words = self.words(span);
        for PartBlock { number: i, men, enemy_men, .. } in self.blocks(span) {
            if self.slice.kings == 0 {
                let men = (men, turn(&self.board, enemy_men));
                self.quiet_men(span, i, men, &mut of_men, out);
                continue;
            }
            let foes = turn(&self.board, enemy_men);
            for row in 0..span.rows {
                let at = ((i * span.rows + row) * span.columns) as usize;
                if at as u64 >= span.end {
                    return;
                }
                let kings = turn(&self.board, self.enemy_kings[(span.first[1] + row) as usize]);
                if kings & (men | foes) != 0 {
                    continue;
                }
                let (enemies, stands) = (foes | kings, men | foes | kings);
                self.find_jumps(men, enemies, &mut jumps);
                let planes = self.all[words.clone()].iter().zip(&self.occupied[words.clone()]);
                for (w, (&all, occupied)) in planes.enumerate() {
                    let occupied = |square: u8| occupied[usize::from(square & 31)];
                    let mut bits = squares(stands).fold(all, |bits, s| bits & !occupied(s));
                    for jump in &jumps {
                        // A man stands on the square in all columns, a king in some of them.
                        let from = if men >> jump.from & 1 == 1 { !0 } else { occupied(jump.from) };
                        bits &= !from | occupied(jump.to);
                    }
                    out.write(at + 64 * w, bits);
                }
            }
        }
    }

    /// The range of words of the sets of the mover's kings in a part.
    fn words(&self, span: Span) -> std::ops::Range<usize> {
        // The columns of a part begin at a multiple of 64.
        let first = (span.first[2] / 64) as usize;
        first..first + span.columns.div_ceil(64) as usize
    }

    /// Finds the quiet positions of a block whose mover has no kings: rows of one position, 64 at a
    /// time. `foes` is the set of the opponent's men as the mover sees it.
    fn quiet_men(
        &self,
        span: Span,
        block: u64,
        (men, foes): (u32, u32),
        jumps: &mut Vec<(u8, u8)>,
        out: &mut Quiet,
    ) {
        let jumps_of = |from: u8| {
            let over = move |direction| self.board.step(from, direction);
            let jump = move |direction| {
                Some((over(direction)?, self.board.step(over(direction)?, direction)?))
            };
            (0..2).filter_map(jump)
        };
        let possible = |&(over, to): &(u8, u8)| men >> over & 1 == 0 && (men | foes) >> to & 1 == 0;
        jumps.clear();
        jumps.extend(squares(men).flat_map(jumps_of).filter(possible));
        // The rows of a part begin at a multiple of 64, or are all rows of its blocks.
        let first = span.first[1] as usize / 64;
        for (w, occupied) in self.enemy_occupied.iter().enumerate().skip(first) {
            let at = 64 * (w - first) as u64;
            if at >= span.rows || block * span.rows + at >= span.end {
                break;
            }
            let occupied = |square: u8| occupied[usize::from(square & 31)];
            let left = (span.rows - at).min(64);
            let all = u64::MAX >> (64 - left);
            let mut bits = squares(men | foes).fold(all, |bits, s| bits & !occupied(s));
            for &(over, to) in &*jumps {
                let over = if foes >> over & 1 == 1 { !0 } else { occupied(over) };
                bits &= !over | occupied(to);
            }
            out.write((block * span.rows + at) as usize, bits);
        }
    }

    /// The jumps that the mover can make if it has a king on each square without a man and no king
    /// where the jump ends; `men` are its men, and `enemies` all pieces of the opponent.
    fn find_jumps(&self, men: u32, enemies: u32, out: &mut Vec<Jump>) {
        out.clear();
        for over in squares(enemies) {
            let jumps = self.jumps[usize::from(over)].iter();
            out.extend(jumps.filter(|jump| {
                let is_man = men >> jump.from & 1 == 1;
                (men | enemies) >> jump.to & 1 == 0
                    && enemies >> jump.from & 1 == 0
                    && (jump.forward || !is_man)
            }));
        }
    }

    /// Visits the quiet positions of a part in order, and asks `symbols` for the value of each.
    pub(crate) fn walk(
        &self,
        span: Span,
        quiet: &Quiet,
        planes: &mut Planes,
        values: &mut impl Symbols,
    ) {
        planes.reset(span.len);
        let (mut p, mut q) = (1usize, 1usize);
        let block_len = span.rows * span.columns;
        let words = self.words(span).len();
        let (mut lower, mut neighbours) = (Vec::new(), Vec::new());
        for PartBlock { number: i, enemy_set: enemy, .. } in self.blocks(span) {
            // Blocks of this part with an equal set of the mover's men, and one of the enemy's men
            // a row lower.
            let lower_blocks = self.lower_men.of(enemy).iter().filter_map(|&lower| {
                (i + u64::from(lower)).checked_sub(enemy as u64).map(|block| block * block_len)
            });
            lower.clear();
            lower.extend(lower_blocks);
            for row in 0..span.rows {
                let here = i * block_len + row * span.columns;
                if here >= span.end {
                    return;
                }
                if span.columns <= 64 && quiet.read(here as usize, span.columns) == 0 {
                    continue;
                }
                neighbours.clear();
                neighbours.extend(lower.iter().map(|block| block + row * span.columns));
                for &lower in self.lower_kings.of((span.first[1] + row) as usize) {
                    if let Some(row) = u64::from(lower).checked_sub(span.first[1]) {
                        neighbours.push(i * block_len + row * span.columns);
                    }
                }
                let index = self.layout.index(span, i, row);
                for w in 0..words {
                    let at = here as usize + 64 * w;
                    let mut left = quiet.read(at, span.columns - 64 * w as u64);
                    if left == 0 {
                        continue;
                    }
                    let counts = count(planes, &neighbours, 64 * w);
                    values.at(index + 64 * w as u64);
                    let mut words = [0; 3];
                    while left != 0 {
                        let bit = left.trailing_zeros();
                        left &= left - 1;
                        let of = |plane: usize| {
                            (counts[plane][0] >> bit & 1 | (counts[plane][1] >> bit & 1) << 1)
                                as usize
                        };
                        let context = (((of(2) * 4 + of(1)) * 4 + of(0)) * 3 + p) * 3 + q;
                        let value = values.next(context, bit);
                        words[value as usize] |= 1 << bit;
                        (p, q) = (value as usize, p);
                    }
                    planes.write(at, words);
                }
            }
        }
    }
}

/// For each value, the number of neighbours of each of 64 positions that have it, up to 3, in two
/// bits.
fn count(planes: &Planes, neighbours: &[u64], offset: usize) -> [[u64; 2]; 3] {
    let mut counts = [[0; 2]; 3];
    for &neighbour in neighbours {
        let words = planes.read(neighbour as usize + offset);
        for (count, word) in counts.iter_mut().zip(words) {
            let [ones, twos] = *count;
            *count = [(ones ^ word) | (ones & twos), twos | (ones & word)];
        }
    }
    counts
}

/// The greatest size of a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// The most positions, unless a single row of columns has more.
    positions: u64,
    /// The most columns; a multiple of 64, or all columns.
    columns: u64,
}

impl Cut {
    pub(crate) const PARTS: Cut = Cut { positions: PART_POSITIONS, columns: PART_COLUMNS };
    /// Parts of consecutive indices: the units of depth files.
    pub(crate) const WHOLE_ROWS: Cut = Cut { positions: 65536, columns: u64::MAX };
}

/// The division of a slice into parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The numbers of blocks of the slice, of rows of a block, and of columns of a row, which are
    /// sets of the mover's kings.
    all: [u64; 3],
    /// The numbers of blocks, rows and columns of a part; the last parts may have fewer.
    part: [u64; 3],
    /// The numbers of parts in each of these directions.
    counts: [u64; 3],
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    /// The numbers of the first block, row and column.
    pub(crate) first: [u64; 3],
    pub(crate) blocks: u64,
    /// The number of rows of each block.
    pub(crate) rows: u64,
    /// The number of columns of each row.
    pub(crate) columns: u64,
    pub(crate) len: u64,
    /// Only rows that begin before this place are decoded, since a look-up of a single value needs
    /// no more.
    pub(crate) end: u64,
}

/// Positions of a part whose indices are consecutive as well.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) place: u64,
    pub(crate) index: u64,
    pub(crate) len: u64,
}

impl Layout {
    pub(crate) fn new(board: &Board, slice: Slice, cut: Cut) -> Self {
        let (rows, columns) = slice.block_size(board);
        let all = [slice.blocks(board), rows, columns];
        let part_columns = columns.min(cut.columns);
        let part_rows = (cut.positions / part_columns).clamp(1, rows);
        let part_blocks = (cut.positions / (part_columns * part_rows)).max(1);
        let part = [part_blocks, part_rows, part_columns];
        Layout { all, part, counts: std::array::from_fn(|i| all[i].div_ceil(part[i])) }
    }

    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().product()
    }

    /// The number of the part that an index is in, and its place in the part.
    #[inline]
    pub(crate) fn locate(&self, index: u64) -> (u64, u64) {
        let Layout { all, part, counts } = *self;
        let (line, column) = (index / all[2], index % all[2]);
        let at = [line / all[1], line % all[1], column];
        let number: [u64; 3] = std::array::from_fn(|i| at[i] / part[i]);
        let first: [u64; 3] = std::array::from_fn(|i| number[i] * part[i]);
        let rows = part[1].min(all[1] - first[1]);
        let columns = part[2].min(all[2] - first[2]);
        let place = ((at[0] - first[0]) * rows + at[1] - first[1]) * columns + at[2] - first[2];
        ((number[0] * counts[1] + number[1]) * counts[2] + number[2], place)
    }

    pub(crate) fn span(&self, number: u64) -> Span {
        let Layout { all, part, counts } = *self;
        let line = number / counts[2];
        let at = [line / counts[1], line % counts[1], number % counts[2]];
        let first: [u64; 3] = std::array::from_fn(|i| at[i] * part[i]);
        let [blocks, rows, columns] = std::array::from_fn(|i| part[i].min(all[i] - first[i]));
        let len = blocks * rows * columns;
        Span { first, blocks, rows, columns, len, end: len }
    }

    #[inline]
    pub(crate) fn index(&self, span: Span, block: u64, row: u64) -> u64 {
        let [_, rows, columns] = self.all;
        ((span.first[0] + block) * rows + span.first[1] + row) * columns + span.first[2]
    }

    pub(crate) fn first_index(&self, span: Span) -> u64 {
        self.index(span, 0, 0)
    }

    /// The runs of a part, in order.
    pub(crate) fn runs(&self, span: Span) -> impl Iterator<Item = Run> + use<> {
        let (first, columns) = (self.first_index(span), self.all[2]);
        // A part has rows of one block, or all rows of its blocks; so its rows follow each other.
        let len = if span.columns == columns { span.len } else { span.columns };
        (0..span.len / len).map(move |run| Run {
            place: run * len,
            index: first + run * columns,
            len,
        })
    }
}

/// Win, draw and loss bits of quiet positions; a position without any of them is not known to be
/// quiet.
#[derive(Debug, Default)]
pub(crate) struct Planes {
    groups: Vec<[u64; 3]>,
}

impl Planes {
    pub(crate) fn reset(&mut self, len: u64) {
        self.groups.clear();
        // One group more than needed, so that a word can be read at any place.
        self.groups.resize(len as usize / 64 + 2, [0; 3]);
    }

    /// The bits of 64 places from `at` on.
    #[inline]
    pub(super) fn read(&self, at: usize) -> [u64; 3] {
        let (low, high) = (&self.groups[at / 64], &self.groups[at / 64 + 1]);
        let shift = at % 64;
        if shift == 0 {
            return *low;
        }
        std::array::from_fn(|plane| low[plane] >> shift | high[plane] << (64 - shift))
    }

    #[inline]
    pub(super) fn write(&mut self, at: usize, words: [u64; 3]) {
        let shift = at % 64;
        for (plane, word) in words.into_iter().enumerate() {
            self.groups[at / 64][plane] |= word << shift;
            if shift != 0 {
                self.groups[at / 64 + 1][plane] |= word >> (64 - shift);
            }
        }
    }

    /// The win and loss words from the first place on.
    pub(crate) fn wins_and_losses(&self) -> impl Iterator<Item = (u64, u64)> {
        self.groups.iter().map(|group| (group[2], group[0]))
    }
}

/// At most 64 packed bits from `at` on, fewer at the end of a row; there must be a word behind
/// them.
#[inline]
pub(super) fn read(words: &[u64], at: usize, len: u64) -> u64 {
    let shift = at % 64;
    let word = words[at / 64] >> shift;
    let word = if shift == 0 { word } else { word | words[at / 64 + 1] << (64 - shift) };
    if len < 64 { word & ((1 << len) - 1) } else { word }
}

/// Packed bits, one for each position of a part: whether it is quiet.
#[derive(Debug, Default)]
pub(crate) struct Quiet {
    words: Vec<u64>,
}

impl Quiet {
    fn reset(&mut self, len: u64) {
        self.words.clear();
        // One word more than needed, so that a word can be read at any place.
        self.words.resize(len as usize / 64 + 2, 0);
    }

    /// Like [`read`], of these bits.
    #[inline]
    pub(super) fn read(&self, at: usize, len: u64) -> u64 {
        read(&self.words, at, len)
    }

    pub(super) fn write(&mut self, at: usize, word: u64) {
        let shift = at % 64;
        self.words[at / 64] |= word << shift;
        if shift != 0 {
            self.words[at / 64 + 1] |= word >> (64 - shift);
        }
    }

    /// The bits of all places, 64 in a word.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }
}
