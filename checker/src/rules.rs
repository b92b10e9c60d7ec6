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
        match self {
            Side::Black => Side::White,
            Side::White => Side::Black,
        }
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
}

/// Directions: the first two towards higher rows (Black's forward), the last two towards row 0.
const DIRECTIONS: [(i8, i8); 4] = [(1, -1), (1, 1), (-1, -1), (-1, 1)];

/// The numbers of the squares in a mask, from 0, in ascending order.
pub(crate) fn squares_in(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let square = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(square)
    })
}

/// A board of R rows and C columns: which squares there are and how they are joined.
#[derive(Debug, Clone)]
pub struct Board {
    rows: u8,
    columns: u8,
    squares: u32,
    /// Row of each square.
    row: [u8; 32],
    /// The mask of the square one step away in each direction, or 0 beyond the edge.
    step: [[u32; 4]; 32],
    /// The mask of the square two steps away, where a jump lands, or 0 beyond the edge.
    land: [[u32; 4]; 32],
    first_row: u32,
    last_row: u32,
}

impl Board {
    /// The board with these rows and columns, if the rules know it.
    pub fn new(rows: u8, columns: u8) -> Option<Board> {
        if !(3..=8).contains(&rows)
            || !(2..=8).contains(&columns)
            || !(rows + columns).is_multiple_of(2)
        {
            return None;
        }
        let mut dark = Vec::new();
        for r in 0..rows {
            for c in 0..columns {
                if (r + c) % 2 == 1 {
                    dark.push((r, c));
                }
            }
        }
        let mask_of = |row: Option<u8>, column: Option<u8>| {
            let number = dark.iter().position(|&(r, c)| Some(r) == row && Some(c) == column);
            number.map_or(0, |n| 1u32 << n)
        };
        let mut board = Board {
            rows,
            columns,
            squares: 0,
            row: [0; 32],
            step: [[0; 4]; 32],
            land: [[0; 4]; 32],
            first_row: 0,
            last_row: 0,
        };
        for (n, &(r, c)) in dark.iter().enumerate() {
            board.squares += 1;
            board.row[n] = r;
            for (d, &(down, right)) in DIRECTIONS.iter().enumerate() {
                let (r1, c1) = (r.checked_add_signed(down), c.checked_add_signed(right));
                let r2 = r.checked_add_signed(2 * down);
                let c2 = c.checked_add_signed(2 * right);
                board.step[n][d] = mask_of(r1, c1);
                board.land[n][d] = mask_of(r2, c2);
            }
            if r == 0 {
                board.first_row |= 1 << n;
            }
            if r == rows - 1 {
                board.last_row |= 1 << n;
            }
        }
        Some(board)
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
        self.squares - self.last_row.count_ones()
    }

    /// `RxC`.
    pub fn name(&self) -> String {
        format!("{}x{}", self.rows, self.columns)
    }

    /// Row of square `square` (from 0).
    pub(crate) fn row_of(&self, square: usize) -> usize {
        usize::from(self.row[square])
    }

    /// The squares one step away from `square`, in each direction; 0 beyond the edge.
    pub(crate) fn steps_from(&self, square: usize) -> &[u32; 4] {
        &self.step[square]
    }

    /// The squares two steps away from `square`, in each direction; 0 beyond the edge.
    pub(crate) fn landings_from(&self, square: usize) -> &[u32; 4] {
        &self.land[square]
    }

    /// The row where a black man is crowned.
    pub(crate) fn last_row(&self) -> u32 {
        self.last_row
    }

    /// A mask after half a turn of the board.
    pub(crate) fn turned(&self, mask: u32) -> u32 {
        mask.reverse_bits() >> (32 - self.squares)
    }

    /// Whether the position is possible (`SPEC.md` §1.1).
    pub fn is_possible(&self, p: &Position) -> bool {
        let on_board = u32::MAX >> (32 - self.squares);
        let men = !p.kings;
        (p.black | p.white | p.kings) & !on_board == 0
            && p.black & p.white == 0
            && p.kings & !(p.black | p.white) == 0
            && p.black & men & self.last_row == 0
            && p.white & men & self.first_row == 0
    }

    /// Puts into `out` the position after each move, once for each *way of moving*, in no order.
    pub fn moves(&self, p: &Position, out: &mut Vec<Position>) {
        out.clear();
        let (own, enemy) = match p.turn {
            Side::Black => (p.black, p.white),
            Side::White => (p.white, p.black),
        };
        for start in squares_in(own) {
            self.jumps(p, own, enemy, start, out);
        }
        if out.is_empty() {
            for start in squares_in(own) {
                self.steps(p, own, enemy, start, out);
            }
        }
    }

    /// Puts into `out` the successors of `p` (`SPEC.md` §1.2): each once, in ascending order.
    pub fn successors(&self, p: &Position, out: &mut Vec<Position>) {
        self.moves(p, out);
        out.sort_unstable();
        out.dedup();
    }

    /// The directions in which the piece on `start` may go.
    fn directions(&self, p: &Position, start: usize) -> std::ops::Range<usize> {
        match (p.kings >> start & 1, p.turn) {
            (1, _) => 0..4,
            (_, Side::Black) => 0..2,
            (_, Side::White) => 2..4,
        }
    }

    /// The row where men of the side to move are crowned.
    fn crown_row(&self, p: &Position) -> u32 {
        match p.turn {
            Side::Black => self.last_row,
            Side::White => self.first_row,
        }
    }

    fn steps(&self, p: &Position, own: u32, enemy: u32, start: usize, out: &mut Vec<Position>) {
        for d in self.directions(p, start) {
            let to = self.step[start][d];
            if to & !(own | enemy) != 0 {
                out.push(self.after(p, own, enemy, start, to, 0));
            }
        }
    }

    fn jumps(&self, p: &Position, own: u32, enemy: u32, start: usize, out: &mut Vec<Position>) {
        // The start counts as empty; jumped pieces stay in the way until the move ends.
        let free = !(own | enemy) | 1 << start;
        let is_man = p.kings >> start & 1 == 0;
        // Jumps under way: the square reached and the pieces jumped so far.
        let mut under_way = Vec::new();
        let mut reached = Some((start, 0));
        while let Some((at, jumped)) = reached {
            let mut goes_on = false;
            for d in self.directions(p, start) {
                let (over, to) = (self.step[at][d], self.land[at][d]);
                if over & enemy & !jumped == 0 || to & free == 0 {
                    continue;
                }
                goes_on = true;
                if is_man && to & self.crown_row(p) != 0 {
                    out.push(self.after(p, own, enemy, start, to, jumped | over));
                } else {
                    under_way.push((to.trailing_zeros() as usize, jumped | over));
                }
            }
            if !goes_on && jumped != 0 {
                out.push(self.after(p, own, enemy, start, 1 << at, jumped));
            }
            reached = under_way.pop();
        }
    }

    /// The position after the piece on `start` has gone to `to`, taking `jumped`.
    fn after(
        &self,
        p: &Position,
        own: u32,
        enemy: u32,
        start: usize,
        to: u32,
        jumped: u32,
    ) -> Position {
        let start = 1 << start;
        let own = own & !start | to;
        let enemy = enemy & !jumped;
        let is_king = p.kings & start != 0 || to & self.crown_row(p) != 0;
        let kings = p.kings & !start & !jumped | if is_king { to } else { 0 };
        let (black, white) = match p.turn {
            Side::Black => (own, enemy),
            Side::White => (enemy, own),
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
        let (size, filled) = match text.split_once('/') {
            Some((size, filled)) => (size, Some(filled.parse::<u8>().ok()?)),
            None => (text, None),
        };
        let (rows, columns) = size.split_once('x')?;
        let board = Board::new(rows.parse().ok()?, columns.parse().ok()?)?;
        let filled = filled.unwrap_or((board.rows - 2) / 2);
        let game = Game { board, filled };
        let fits = (1..=game.board.rows / 2).contains(&filled);
        (fits && game.name() == text).then_some(game)
    }

    /// `RxC` or `RxC/k`.
    pub fn name(&self) -> String {
        let size = self.board.name();
        if self.filled == (self.board.rows - 2) / 2 {
            size
        } else {
            format!("{size}/{}", self.filled)
        }
    }

    /// The board it is played on.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The position at the start.
    pub fn initial(&self) -> Position {
        let (mut black, mut white) = (0, 0);
        for n in 0..self.board.squares as usize {
            if self.board.row[n] < self.filled {
                black |= 1 << n;
            }
            if self.board.row[n] >= self.board.rows - self.filled {
                white |= 1 << n;
            }
        }
        Position { black, white, kings: 0, turn: Side::Black }
    }
}

/// The number of ways of playing `depth` moves from `p`. Not used by `check`; a test of the rules.
pub fn perft(board: &Board, p: &Position, depth: u32) -> u64 {
    let Some(rest) = depth.checked_sub(1) else {
        return 1;
    };
    let mut next = Vec::new();
    board.moves(p, &mut next);
    if rest == 0 { next.len() as u64 } else { next.iter().map(|q| perft(board, q, rest)).sum() }
}
