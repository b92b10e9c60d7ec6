//! Bit matrices: the values of a block, with win and loss bits of a row side by side.

use crate::values::table::table;
use rayon::prelude::*;

/// The number of words beyond which a matrix is worth spreading over threads.
pub const PARALLEL_WORDS: usize = 1 << 15;
/// The words of a line of the cache.
pub const LINE: usize = 8;

/// A matrix with a win bit and a loss bit in each place.
#[derive(Debug, Default, Clone)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Matrix {
    /// Makes this an empty matrix of the given size; its allocation is reused.
    pub fn reset(&mut self, rows: usize, columns: usize) {
        (self.rows, self.columns, self.words) = (rows, columns, columns.div_ceil(64));
        self.bits.clear();
        let length = rows * self.stride();
        if length > self.bits.capacity() {
            self.bits = table(length, || 0);
        }
        self.bits.resize(length, 0);
    }

    /// The number of words of a row: its win words, then its loss words.
    pub fn stride(&self) -> usize {
        2 * self.words
    }

    /// The words of all rows.
    pub fn bits_mut(&mut self) -> &mut [u64] {
        &mut self.bits
    }

    /// The win words and the loss words of a row.
    pub fn row(&self, row: usize) -> (&[u64], &[u64]) {
        self.bits[row * self.stride()..][..self.stride()].split_at(self.words)
    }

    /// Whether the matrix has enough words to be worth several threads.
    pub fn is_large(&self) -> bool {
        self.bits.len() > PARALLEL_WORDS
    }

    /// Writes the transpose into `out`, which must have the right size. Only rows in `changed` may
    /// differ from those in `out`; `out_changed` is set for the rows of `out` that change.
    pub fn transpose_into(&self, changed: &[bool], out: &mut Matrix, out_changed: &mut [bool]) {
        let touched: Vec<bool> = changed.chunks(64).map(|tile| tile.contains(&true)).collect();
        let (stride, out_words) = (out.stride(), out.words);
        // Tiles whose rows have their lines of the cache in common are transposed together.
        let transpose = |(strip, (rows, flags)): (usize, (&mut [u64], &mut [bool]))| {
            flags.fill(false);
            for (i, _) in touched.iter().enumerate().filter(|(_, touched)| **touched) {
                for plane in 0..2 {
                    let tiles = rows.chunks_mut(64 * stride).zip(flags.chunks_mut(64));
                    for (tile, (rows, flags)) in tiles.enumerate() {
                        self.transpose_tile(i, LINE * strip + tile, plane, |row, word| {
                            let place = &mut rows[row * stride + plane * out_words + i];
                            flags[row] |= *place != word;
                            *place = word;
                        });
                    }
                }
            }
        };
        let height = 64 * LINE;
        let words = height * stride;
        if out.is_large() {
            let strips = out.bits.par_chunks_mut(words).zip(out_changed.par_chunks_mut(height));
            strips.enumerate().for_each(transpose);
        } else {
            let strips = out.bits.chunks_mut(words).zip(out_changed.chunks_mut(height));
            strips.enumerate().for_each(transpose);
        }
    }

    /// Passes to `put` the rows of the transpose of the tile of 64 × 64 places at row 64 i, column
    /// 64 j.
    fn transpose_tile(&self, i: usize, j: usize, plane: usize, mut put: impl FnMut(usize, u64)) {
        let height = (self.rows - 64 * i).min(64);
        let width = (self.columns - 64 * j).min(64);
        let at = 64 * i * self.stride() + plane * self.words + j;
        let word = |r: usize| self.bits[at + r * self.stride()];
        if width <= 4 || height <= 4 {
            for c in 0..width {
                put(c, (0..height).fold(0, |bits, r| bits | (word(r) >> c & 1) << r));
            }
            return;
        }
        let mut tile = [0; 64];
        (0..height).for_each(|r| tile[r] = word(r));
        transpose_64(&mut tile);
        (0..width).for_each(|c| put(c, tile[c]));
    }

    /// Appends all rows, without gaps between them, to `out`; returns the number of bits.
    pub fn pack(&self, win: &mut Vec<u64>, loss: &mut Vec<u64>) -> usize {
        let len = self.rows * self.columns;
        for (plane, out) in [win, loss].into_iter().enumerate() {
            let (mut acc, mut filled) = (0u64, 0);
            for row in 0..self.rows {
                let mut left = self.columns;
                let words = &self.bits[row * self.stride() + plane * self.words..][..self.words];
                for &word in words {
                    let n = left.min(64);
                    acc |= word << filled;
                    if filled + n >= 64 {
                        out.push(acc);
                        acc = if filled == 0 { 0 } else { word >> (64 - filled) };
                    }
                    filled = (filled + n) % 64;
                    left -= n;
                }
            }
            if filled != 0 {
                out.push(acc);
            }
        }
        len
    }
}

/// Transposes a matrix of 64 × 64 bits (Warren, *Hacker's Delight*, §7-3, for 64 rows and bits
/// numbered from the lowest).
fn transpose_64(rows: &mut [u64; 64]) {
    swap::<32>(rows);
    swap::<16>(rows);
    swap::<8>(rows);
    swap::<4>(rows);
    swap::<2>(rows);
    swap::<1>(rows);
}

/// Swaps the upper right and the lower left quarter of each square of twice this width. The width
/// is a constant so that the compiler does it for several rows at once.
#[inline(always)]
fn swap<const WIDTH: usize>(rows: &mut [u64; 64]) {
    let mask = u64::MAX / ((1 << WIDTH) + 1);
    for square in rows.chunks_exact_mut(2 * WIDTH) {
        let (upper, lower) = square.split_at_mut(WIDTH);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let swap = (*upper >> WIDTH ^ *lower) & mask;
            *upper ^= swap << WIDTH;
            *lower ^= swap;
        }
    }
}
