//! The division of a slice's positions into parts (`SPEC.md` §8.3).

use crate::index::slice::Slice;
use certificate_spec::slice::{PART_COLUMNS, PART_POSITIONS};
use draughtproof_game::Board;

/// The greatest size of a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// The most positions, unless a single row of columns has more.
    positions: u64,
    /// The most columns; a multiple of 64, or all columns.
    columns: u64,
}

impl Cut {
    /// The parts of slice files.
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

/// The positions of a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    /// The numbers of the first block, row and column.
    pub(crate) first: [u64; 3],
    pub(crate) blocks: u64,
    /// The number of rows of each block.
    pub(crate) rows: u64,
    /// The number of columns of each row.
    pub(crate) columns: u64,
    /// The number of positions.
    pub(crate) len: u64,
    /// Only rows that begin before this place are decoded, since a look-up of a single value needs
    /// no more.
    pub(crate) end: u64,
}

/// Positions of a part whose indices are consecutive as well.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// The place of the first position in the part.
    pub(crate) place: u64,
    /// The index of the first position.
    pub(crate) index: u64,
    /// The number of positions.
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

    /// The number of parts.
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

    /// The span of a part.
    pub(crate) fn span(&self, number: u64) -> Span {
        let Layout { all, part, counts } = *self;
        let line = number / counts[2];
        let at = [line / counts[1], line % counts[1], number % counts[2]];
        let first: [u64; 3] = std::array::from_fn(|i| at[i] * part[i]);
        let [blocks, rows, columns] = std::array::from_fn(|i| part[i].min(all[i] - first[i]));
        let len = blocks * rows * columns;
        Span { first, blocks, rows, columns, len, end: len }
    }

    /// The index of the first position of a row of a part.
    #[inline]
    pub(crate) fn index(&self, span: Span, block: u64, row: u64) -> u64 {
        let [_, rows, columns] = self.all;
        ((span.first[0] + block) * rows + span.first[1] + row) * columns + span.first[2]
    }

    /// The index of the first position of a part.
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
    pub(super) fn reset(&mut self, len: u64) {
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
