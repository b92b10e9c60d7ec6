//! A board as bits, in a layout in which every step is one of two fixed shifts.
//!
//! Number all cells of a board that is W columns wide row by row, W odd and greater than the real
//! number of columns C. Dark cells then have odd numbers n, and bit (n − 1) / 2 stands for cell n.
//! A step down and left is n + W − 1, so bit + H with H = (W − 1) / 2, and a step down and right is
//! bit + H + 1, in any row. A step that leaves the board at the side lands on a column that does
//! not exist, and `mask` removes it. The order of squares is the order of bits, and turning the
//! board by half a turn reverses the bits.

/// A board of R × C squares, without pieces. Building one takes time, so it is built once and
/// borrowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    rows: u8,
    columns: u8,
    squares: u8,
    /// H, the shift of one diagonal step; that of the other diagonal is H + 1.
    pub(super) half: u32,
    /// The bits of all squares.
    pub(super) mask: u64,
    /// The bits of row R − 1 and of row 0, on which men of Black and of White are crowned.
    pub(super) crown: [u64; 2],
    /// The bit number of each square (from 0).
    bit: [u8; 32],
    /// The square (from 0) at each bit number.
    square: [u8; 64],
    /// The neighbours of each square by the four diagonal steps, those to row + 1 first.
    steps: [[Option<u8>; 4]; 32],
    row: [u8; 32],
    /// For each i less than `shifts`, the bits whose number is larger by i than that of their
    /// square.
    shifted: [u64; 16],
    shifts: usize,
}

impl Board {
    /// A board, if `rows` and `columns` are within the rules (`SPEC.md` §1).
    pub fn new(rows: u8, columns: u8) -> Option<Self> {
        if !(3..=8).contains(&rows) || !(2..=8).contains(&columns) || (rows + columns) % 2 == 1 {
            return None;
        }
        let r = i32::from(rows);
        let c = i32::from(columns);
        let wide = c + 1 + c % 2;
        let bit_at = |row: i32, col: i32| (row * wide + col - 1) / 2;
        let is_dark = |row: i32, col: i32| {
            (0..r).contains(&row) && (0..c).contains(&col) && (row + col) % 2 == 1
        };
        let mut board = Board {
            rows,
            columns,
            squares: 0,
            half: (wide as u32 - 1) / 2,
            mask: 0,
            crown: [0; 2],
            bit: [0; 32],
            square: [0; 64],
            steps: [[None; 4]; 32],
            row: [0; 32],
            shifted: [0; 16],
            shifts: 0,
        };
        let cells = (0..r).flat_map(|row| (0..c).map(move |col| (row, col)));
        for (row, col) in cells.clone().filter(|&(row, col)| is_dark(row, col)) {
            let bit = bit_at(row, col);
            let n = board.squares;
            board.mask |= 1 << bit;
            if row == r - 1 {
                board.crown[0] |= 1 << bit;
            }
            if row == 0 {
                board.crown[1] |= 1 << bit;
            }
            board.bit[usize::from(n)] = bit as u8;
            board.square[bit as usize] = n;
            board.row[usize::from(n)] = row as u8;
            let shift = bit as usize - usize::from(n);
            board.shifted[shift] |= 1 << bit;
            board.shifts = shift + 1;
            board.squares += 1;
        }
        for (row, col) in cells.filter(|&(row, col)| is_dark(row, col)) {
            let from = board.square[bit_at(row, col) as usize];
            for (i, (dr, dc)) in [(1, -1), (1, 1), (-1, -1), (-1, 1)].into_iter().enumerate() {
                if is_dark(row + dr, col + dc) {
                    let to = board.square[bit_at(row + dr, col + dc) as usize];
                    board.steps[usize::from(from)][i] = Some(to);
                }
            }
        }
        Some(board)
    }

    /// The number of rows, R.
    pub fn rows(&self) -> u8 {
        self.rows
    }

    /// The number of columns, C.
    pub fn columns(&self) -> u8 {
        self.columns
    }

    /// S, the number of dark squares.
    pub fn squares(&self) -> u8 {
        self.squares
    }

    /// The number of squares on which a man of Black can stand: all but those of row R − 1. White
    /// has an equal number; as a side sees its own men, they are the squares 0 … M − 1.
    pub fn man_squares(&self) -> u8 {
        self.squares - self.crown[0].count_ones() as u8
    }

    /// The row of a square (both from 0).
    pub fn row(&self, square: u8) -> u8 {
        self.row[usize::from(square)]
    }

    /// The number of squares in a row (from 0).
    pub fn squares_in_row(&self, row: u8) -> u8 {
        self.row[..usize::from(self.squares)].iter().filter(|&&r| r == row).count() as u8
    }

    /// The square diagonally next to `square` in direction 0…3 (row + 1 for 0 and 1, row − 1 for 2
    /// and 3; column − 1 for even directions), squares from 0.
    pub fn step(&self, square: u8, direction: usize) -> Option<u8> {
        self.steps[usize::from(square)][direction]
    }

    /// The number of bits from a square to its neighbour a row down and to the left; the neighbour
    /// to the right is one bit further.
    pub fn shift(&self) -> u32 {
        self.half
    }

    /// The bit of a square (from 0) in a [`super::Position`].
    pub fn bit(&self, square: u8) -> u64 {
        1 << self.bit[usize::from(square)]
    }

    /// The squares (from 0) of a bit set, ascending.
    pub fn squares_of(&self, mut bits: u64) -> impl Iterator<Item = u8> {
        std::iter::from_fn(move || {
            let at = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (at < 64).then(|| self.square[at as usize])
        })
    }

    /// A bit set as a mask with bit n for square n (from 0).
    pub fn to_dense(&self, bits: u64) -> u32 {
        let parts = self.shifted[..self.shifts].iter().enumerate();
        parts.fold(0, |dense, (i, part)| dense | ((bits & part) >> i) as u32)
    }

    /// A mask with bit n for square n (from 0) as a bit set.
    pub fn from_dense(&self, mut dense: u32) -> u64 {
        let mut bits = 0;
        while dense != 0 {
            bits |= self.bit(dense.trailing_zeros() as u8);
            dense &= dense - 1;
        }
        bits
    }

    /// The bit set `bits`, turned by half a turn.
    pub fn turn(&self, bits: u64) -> u64 {
        bits.reverse_bits() >> (63 - self.bit[0] - self.bit[usize::from(self.squares) - 1])
    }

    /// The name of the board, `RxC`.
    pub fn name(&self) -> String {
        format!("{}x{}", self.rows, self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::Board;

    #[test]
    fn dense_masks_on_all_boards() {
        let all = (0..=9).flat_map(|rows| (0..=9).map(move |columns| (rows, columns)));
        let boards: Vec<_> = all.filter_map(|(r, c)| Board::new(r, c)).collect();
        assert_eq!(boards.len(), 21);
        for board in boards {
            let mask = u32::MAX >> (32 - board.squares());
            assert_eq!(board.to_dense(board.from_dense(mask)), mask, "{}", board.name());
            for square in 0..board.squares() {
                assert_eq!(board.to_dense(board.bit(square)), 1 << square, "{}", board.name());
            }
        }
    }
}
