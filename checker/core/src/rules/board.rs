//! The rules of the game: `SPEC.md` §1, and nothing else. Everything that `check` believes about
//! moves stands in this file, so it is written square by square and direction by direction.
//!
//! Trusts: nothing. A position from a file must pass [`Board::is_possible`] before it is played on.
//! Enforces: what a successor is. A successor that is missing here would let an opponent's reply go
//! unanswered; `tests/rules.rs` and `tests/oracle.rs` hold the counts against tables and a second,
//! slower program.

/// Black or White.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Moves first, from row 0 towards higher rows.
    Black,
    /// Moves towards row 0.
    White,
}

impl Side {
    /// The opponent of this side.
    pub fn other(self) -> Side {
        if self == Side::Black { Side::White } else { Side::Black }
    }
}

/// A position; bit n − 1 of a mask is square n. The order is that of `SPEC.md` §1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Squares with a black piece.
    pub black: u32,
    /// Squares with a white piece.
    pub white: u32,
    /// Squares with a king of either side.
    pub kings: u32,
    /// The side to move.
    pub turn: Side,
}

impl Position {
    /// Whether both sides have a piece.
    pub fn has_both_sides(&self) -> bool {
        self.black != 0 && self.white != 0
    }

    /// The number of pieces on the board.
    pub fn pieces(&self) -> u32 {
        self.black.count_ones() + self.white.count_ones()
    }

    fn pieces_of(&self, side: Side) -> u32 {
        if side == Side::Black { self.black } else { self.white }
    }
}

/// The numbers of the bits set in a mask, from 0, in ascending order: squares, for the most part.
pub(crate) fn bits_in(mask: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut mask = mask.into();
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(bit)
    })
}

/// A direction from a square: the masks of the squares one and two steps away. A piece steps to the
/// first, or jumps over the first to the second. 0 beyond the edge.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Way {
    pub(crate) near: u32,
    pub(crate) far: u32,
}

/// Directions: the first two towards higher rows (Black's forward), the last two towards row 0.
const DIRECTIONS: [(i8, i8); 4] = [(1, -1), (1, 1), (-1, -1), (-1, 1)];

/// A piece that may jump, in up to 64 positions at once: bit i of a word is set for position i.
pub(crate) struct Jumper<Enemy, Free> {
    pub(crate) side: Side,
    pub(crate) is_king: bool,
    /// The positions in which an enemy stands on a square (a mask with one bit).
    pub(crate) enemy: Enemy,
    /// The positions in which the piece may land on it: where it is empty or the piece's start.
    pub(crate) free: Free,
}

/// A board of R rows and C columns: which squares there are and how they are joined.
#[derive(Debug, Clone)]
pub struct Board {
    rows: u8,
    columns: u8,
    squares: u32,
    /// The squares of each row.
    pub(crate) row_masks: Vec<u32>,
    /// The rows where men of Black and of White are crowned.
    crown_rows: [u32; 2],
    /// The ways from each square, in the order of [`DIRECTIONS`].
    ways: Vec<[Way; 4]>,
}

impl Board {
    /// The board with these rows and columns, if the rules know it.
    pub fn new(rows: u8, columns: u8) -> Option<Board> {
        let sizes = (3..=8).contains(&rows) && (2..=8).contains(&columns);
        if !sizes || !(rows + columns).is_multiple_of(2) {
            return None;
        }
        let all = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
        let dark: Vec<(u8, u8)> = all.filter(|(r, c)| (r + c) % 2 == 1).collect();
        let mask_of = |square| dark.iter().position(|&s| s == square).map_or(0, |n| 1u32 << n);
        let way = |(r, c): (u8, u8), (down, right): (i8, i8)| {
            // What is less than 0 becomes a large number, and no square has that either.
            let go = |n: i8| (r.wrapping_add_signed(n * down), c.wrapping_add_signed(n * right));
            Way { near: mask_of(go(1)), far: mask_of(go(2)) }
        };
        let row = |r| (0..columns).map(|c| mask_of((r, c))).sum();
        Some(Board {
            rows,
            columns,
            squares: (0..rows).map(row).map(u32::count_ones).sum(),
            row_masks: (0..rows).map(row).collect(),
            crown_rows: [row(rows - 1), row(0)],
            ways: dark.iter().map(|&square| DIRECTIONS.map(|d| way(square, d))).collect(),
        })
    }

    /// Rows of the board.
    pub fn rows(&self) -> u8 {
        self.rows
    }

    /// Columns of the board.
    pub fn columns(&self) -> u8 {
        self.columns
    }

    /// The number S of squares.
    pub fn squares(&self) -> u32 {
        self.squares
    }

    /// The number M of squares on which a man can stand: all but those of its farthest row.
    pub fn men_squares(&self) -> u32 {
        self.squares - self.crown_row(Side::Black).count_ones()
    }

    /// `RxC`.
    pub fn name(&self) -> String {
        format!("{}x{}", self.rows, self.columns)
    }

    /// The row where men of this side are crowned.
    pub(crate) fn crown_row(&self, side: Side) -> u32 {
        self.crown_rows[side as usize]
    }

    /// The ways that a piece of this side may go from a square.
    pub(crate) fn ways(&self, square: usize, side: Side, is_king: bool) -> &[Way] {
        let ways = &self.ways[square];
        match (is_king, side) {
            (true, _) => ways,
            (false, Side::Black) => &ways[..2],
            (false, Side::White) => &ways[2..],
        }
    }

    /// All squares.
    pub(crate) fn all(&self) -> u32 {
        u32::MAX >> (32 - self.squares)
    }

    /// A mask after half a turn of the board.
    pub(crate) fn turned(&self, mask: u32) -> u32 {
        mask.reverse_bits() >> (32 - self.squares)
    }

    /// Whether the position is possible (`SPEC.md` §1.1).
    pub fn is_possible(&self, p: &Position) -> bool {
        let men = !p.kings;
        (p.black | p.white | p.kings) & !self.all() == 0
            && p.black & p.white == 0
            && p.kings & !(p.black | p.white) == 0
            && p.black & men & self.crown_row(Side::Black) == 0
            && p.white & men & self.crown_row(Side::White) == 0
    }

    /// Puts into `out` the position after each move, once for each *way of moving*, in no order.
    pub fn moves(&self, p: &Position, out: &mut Vec<Position>) {
        out.clear();
        let occupied = p.black | p.white;
        for start in bits_in(p.pieces_of(p.turn)) {
            let jumper = Jumper {
                side: p.turn,
                is_king: p.kings >> start & 1 == 1,
                enemy: |square| u64::from(p.pieces_of(p.turn.other()) & square != 0),
                // The start counts as empty; jumped pieces stay in the way until the move ends.
                free: |square| u64::from((!occupied | 1 << start) & square != 0),
            };
            self.jumps(&jumper, start, 0, 1, &mut |to, jumped, _| {
                out.push(self.after(p, start, 1 << to, jumped));
            });
        }
        if out.is_empty() {
            for start in bits_in(p.pieces_of(p.turn)) {
                for way in self.ways(start, p.turn, p.kings >> start & 1 == 1) {
                    if way.near & !occupied != 0 {
                        out.push(self.after(p, start, way.near, 0));
                    }
                }
            }
        }
    }

    /// Puts into `out` the successors of `p` (`SPEC.md` §1.2): each once, in ascending order.
    pub fn successors(&self, p: &Position, out: &mut Vec<Position>) {
        self.moves(p, out);
        out.sort_unstable();
        out.dedup();
    }

    /// Calls `end` for each way in which the jumps of a piece can end: with the square reached, the
    /// pieces jumped, and those of `positions` in which it can.
    ///
    /// The piece has come to `at` over `jumped` in each of `positions`; at first it stands there
    /// and has jumped nothing.
    pub(crate) fn jumps(
        &self,
        jumper: &Jumper<impl Fn(u32) -> u64, impl Fn(u32) -> u64>,
        at: usize,
        jumped: u32,
        positions: u64,
        end: &mut impl FnMut(usize, u32, u64),
    ) {
        let mut ended = positions;
        // A man is a man until its move ends: no way leads it on from the row where it is crowned.
        for way in self.ways(at, jumper.side, jumper.is_king) {
            if way.far != 0 && way.near & jumped == 0 {
                let on = positions & (jumper.enemy)(way.near) & (jumper.free)(way.far);
                if on != 0 {
                    ended &= !on;
                    let next = way.far.trailing_zeros() as usize;
                    self.jumps(jumper, next, jumped | way.near, on, end);
                }
            }
        }
        if jumped != 0 && ended != 0 {
            end(at, jumped, ended);
        }
    }

    /// The position after the piece on `start` has gone to `to`, taking `jumped`.
    fn after(&self, p: &Position, start: usize, to: u32, jumped: u32) -> Position {
        let start = 1 << start;
        let is_king = p.kings & start != 0 || to & self.crown_row(p.turn) != 0;
        let kings = p.kings & !start & !jumped | if is_king { to } else { 0 };
        let (black, white) = match p.turn {
            Side::Black => (p.black & !start | to, p.white & !jumped),
            Side::White => (p.black & !jumped, p.white & !start | to),
        };
        Position { black, white, kings, turn: p.turn.other() }
    }
}

/// A game: a board and how many rows each side fills at the start (`SPEC.md` §1, rule 2).
#[derive(Debug, Clone)]
pub struct Game {
    board: Board,
    filled: u8,
}

impl Game {
    /// Reads `RxC` or `RxC/k`; each game has one way of being written.
    pub fn parse(text: &str) -> Option<Game> {
        let (size, filled) = text.split_once('/').unwrap_or((text, ""));
        let (rows, columns) = size.split_once('x')?;
        let board = Board::new(rows.parse().ok()?, columns.parse().ok()?)?;
        let usual = (board.rows - 2) / 2;
        let filled = if filled.is_empty() { usual } else { filled.parse().ok()? };
        let game = Game { board, filled };
        let fits = (1..=game.board.rows / 2).contains(&filled);
        (fits && game.name() == text).then_some(game)
    }

    /// `RxC` or `RxC/k`.
    pub fn name(&self) -> String {
        let size = self.board.name();
        let is_usual = self.filled == (self.board.rows - 2) / 2;
        if is_usual { size } else { format!("{size}/{}", self.filled) }
    }

    /// The board it is played on.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The position at the start.
    pub fn initial(&self) -> Position {
        let rows = &self.board.row_masks;
        let filled = self.filled.into();
        let black = rows.iter().take(filled).sum();
        let white = rows.iter().rev().take(filled).sum();
        Position { black, white, kings: 0, turn: Side::Black }
    }
}
