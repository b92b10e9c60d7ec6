//! Names of moves: `11-15`, `22x15`, `22x15x8`. A move is named by its first and last square where
//! no other move has the same two, else by all squares on which the piece stands. The core alone
//! decides which moves are legal; names are for people.

use checker_core::{Board, Position, Side, write_fen};
use std::collections::BTreeMap;

/// A legal move.
struct Move {
    after: Position,
    is_capture: bool,
    /// All ways to make it, each the squares (from 0) on which the piece stands.
    paths: Vec<Vec<usize>>,
}

/// The legal moves of a position and their names.
pub(crate) struct Moves {
    fen: String,
    squares: u32,
    moves: Vec<Move>,
}

impl Moves {
    /// The legal moves of `p`.
    pub(crate) fn of(board: &Board, p: &Position) -> Moves {
        let mut legal = Vec::new();
        board.successors(p, &mut legal);
        let mut paths = paths(board, p);
        let is_capture = legal.iter().any(|after| after.pieces() < p.pieces());
        let moves = legal.into_iter().map(|after| {
            let mut paths = paths.remove(&after).unwrap_or_default();
            paths.sort_unstable();
            Move { after, is_capture, paths }
        });
        Moves { fen: write_fen(p), squares: board.squares(), moves: moves.collect() }
    }

    /// The name of the move that leads to a position.
    pub(crate) fn name(&self, after: &Position) -> String {
        let this = self.moves.iter().find(|m| m.after == *after);
        let path = this.and_then(|this| Some((this, this.paths.first()?)));
        let Some((this, path)) = path else { return format!("to {}", write_fen(after)) };
        let ends = |path: &[usize]| (path.first().copied(), path.last().copied());
        let others = self.moves.iter().filter(|m| m.after != this.after);
        let is_alone = !others.flat_map(|m| &m.paths).any(|other| ends(other) == ends(path));
        let last = path.len() - 1;
        let shown = path.iter().enumerate().filter(|(i, _)| !is_alone || *i == 0 || *i == last);
        let names: Vec<String> = shown.map(|(_, square)| (square + 1).to_string()).collect();
        names.join(if this.is_capture { "x" } else { "-" })
    }

    /// The position after a move with this name. Squares between the first and the last may be left
    /// out where that leaves one move.
    ///
    /// # Errors
    /// The text names no legal move, or more than one; the message lists the legal moves.
    pub(crate) fn read(&self, text: &str) -> Result<Position, String> {
        let wrong = |what: &str| {
            let names: Vec<String> = self.moves.iter().map(|m| self.name(&m.after)).collect();
            let legal = if names.is_empty() { "none".into() } else { names.join(", ") };
            Err(format!("move {text:?} in {}: {what}; legal moves: {legal}", self.fen))
        };
        let Some(path) = self.path(text) else {
            let squares = self.squares;
            return wrong(&format!(
                "expected two or more squares from 1 to {squares} with - or x between"
            ));
        };
        if let Some(exact) = self.moves.iter().find(|m| m.paths.contains(&path)) {
            return Ok(exact.after);
        }
        let mut fitting = self.moves.iter().filter(|m| m.paths.iter().any(|p| is_part(&path, p)));
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Ok(only.after),
            (Some(_), Some(_)) => wrong("expected one move, found several: name more squares"),
            (None, _) => wrong("expected a legal move"),
        }
    }

    fn path(&self, text: &str) -> Option<Vec<usize>> {
        let square = |digits: &str| {
            let is_number = digits.bytes().all(|c| c.is_ascii_digit());
            let number: usize = digits.parse().ok().filter(|_| is_number)?;
            let is_square = u32::try_from(number).is_ok_and(|n| (1..=self.squares).contains(&n));
            is_square.then(|| number - 1)
        };
        let path = text.split(['-', 'x', 'X', ':']).map(square).collect::<Option<Vec<_>>>()?;
        (path.len() >= 2).then_some(path)
    }
}

/// The position after a sequence of moves, separated by blanks.
///
/// # Errors
/// As for [`Moves::read`], at the first word that names no move.
pub(crate) fn play(board: &Board, from: &Position, moves: &str) -> Result<Position, String> {
    moves.split_whitespace().try_fold(*from, |p, name| Moves::of(board, &p).read(name))
}

/// Whether `some` is `path` with perhaps some squares between its ends left out.
fn is_part(some: &[usize], path: &[usize]) -> bool {
    let mut rest = path.iter();
    some.first() == path.first()
        && some.last() == path.last()
        && some.iter().all(|s| rest.any(|p| p == s))
}

/// The paths of all legal moves, by the position that each leads to.
fn paths(board: &Board, p: &Position) -> BTreeMap<Position, Vec<Vec<usize>>> {
    let all = (0..board.rows()).flat_map(|row| (0..board.columns()).map(move |c| (row, c)));
    let squares: Vec<(u8, u8)> = all.filter(|(row, column)| (row + column) % 2 == 1).collect();
    let mut found = BTreeMap::new();
    let own = if p.turn == Side::Black { p.black } else { p.white };
    for start in (0..squares.len()).filter(|square| own >> square & 1 == 1) {
        let mut walk = Walk { p, squares: &squares, path: vec![start], found: &mut found };
        walk.jump(0);
        walk.step();
    }
    found
}

/// A piece in the course of its move.
struct Walk<'a> {
    p: &'a Position,
    /// Row and column of each square.
    squares: &'a [(u8, u8)],
    path: Vec<usize>,
    found: &'a mut BTreeMap<Position, Vec<Vec<usize>>>,
}

impl Walk<'_> {
    fn is_king(&self) -> bool {
        self.p.kings >> self.path[0] & 1 == 1
    }

    /// The directions in which the piece may go.
    fn directions(&self) -> impl Iterator<Item = (i8, i8)> + use<> {
        let (is_king, turn) = (self.is_king(), self.p.turn);
        let all = [(1, -1), (1, 1), (-1, -1), (-1, 1)].into_iter();
        all.filter(move |(down, _)| is_king || (*down == 1) == (turn == Side::Black))
    }

    fn next(&self, square: usize, (down, right): (i8, i8)) -> Option<usize> {
        let (row, column) = self.squares[square];
        let there = (row.checked_add_signed(down)?, column.checked_add_signed(right)?);
        self.squares.iter().position(|square| *square == there)
    }

    fn is_free(&self, square: usize) -> bool {
        // The square that the piece has left is empty during its move.
        (self.p.black | self.p.white) >> square & 1 == 0 || square == self.path[0]
    }

    fn step(&mut self) {
        for direction in self.directions() {
            let to = self.next(self.path[0], direction);
            if let Some(to) = to.filter(|to| self.is_free(*to)) {
                self.path.push(to);
                self.end(0);
                self.path.pop();
            }
        }
    }

    /// Follows all ways to go on after taking `taken`, each to the end of the capture.
    fn jump(&mut self, taken: u32) {
        let at = self.path[self.path.len() - 1];
        let (black, white) = (self.p.black, self.p.white);
        let prey = if self.p.turn == Side::Black { white } else { black } & !taken;
        // A man that is crowned has ended its move: no direction of a man leads on from there.
        let mut ended = true;
        for direction in self.directions() {
            let Some(over) = self.next(at, direction) else { continue };
            let Some(to) = self.next(over, direction) else { continue };
            if prey >> over & 1 == 1 && self.is_free(to) {
                ended = false;
                self.path.push(to);
                self.jump(taken | 1 << over);
                self.path.pop();
            }
        }
        if ended && taken != 0 {
            self.end(taken);
        }
    }

    fn end(&mut self, taken: u32) {
        let (start, at) = (self.path[0], self.path[self.path.len() - 1]);
        let (from, to) = (1u32 << start, 1u32 << at);
        let (row, last) = (self.squares[at].0, self.squares.last().map_or(0, |square| square.0));
        let crown = if self.p.turn == Side::Black { last } else { 0 };
        let crowned = if self.is_king() || row == crown { to } else { 0 };
        let kings = self.p.kings & !(from | taken) | crowned;
        let (black, white) = match self.p.turn {
            Side::Black => (self.p.black & !from | to, self.p.white & !taken),
            Side::White => (self.p.black & !taken, self.p.white & !from | to),
        };
        let after = Position { black, white, kings, turn: self.p.turn.other() };
        self.found.entry(after).or_default().push(self.path.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::{Moves, play};
    use checker_core::{Board, Game, parse_fen, write_fen};
    use std::collections::BTreeSet;

    #[test]
    fn every_move_of_games_has_a_name_of_its_own_that_is_read_back() {
        let (mut seen, mut random) = (0, 1u64);
        for name in ["8x8", "6x6", "5x5/2", "7x7", "4x8"] {
            let game = Game::parse(name).expect("a game");
            for _ in 0..30 {
                let mut p = game.initial();
                for _ in 0..100 {
                    let (mut legal, moves) = (Vec::new(), Moves::of(game.board(), &p));
                    game.board().successors(&p, &mut legal);
                    let names: BTreeSet<String> = legal.iter().map(|to| moves.name(to)).collect();
                    assert_eq!(names.len(), legal.len(), "{}: {names:?}", write_fen(&p));
                    for to in &legal {
                        let name = moves.name(to);
                        assert_eq!(moves.read(&name), Ok(*to), "{name} in {}", write_fen(&p));
                        assert_eq!(moves.read(&name.replace('x', "-")), Ok(*to));
                    }
                    seen += legal.len();
                    random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
                    let at = usize::try_from(random >> 33).unwrap_or(0) % legal.len().max(1);
                    let Some(next) = legal.get(at) else { break };
                    p = *next;
                }
            }
        }
        assert!(seen > 10_000, "{seen}");
    }

    #[test]
    fn moves_with_the_same_ends_are_told_apart_and_what_is_none_is_said() {
        let board = Board::new(8, 8).expect("a board");
        let p = parse_fen("B:W14,15,22,23:BK10").expect("a position");
        let moves = Moves::of(&board, &p);
        let mut legal = Vec::new();
        board.successors(&p, &mut legal);
        let names: Vec<String> = legal.iter().map(|to| moves.name(to)).collect();
        assert!(names.iter().all(|name| name.contains('x')), "{names:?}");
        for (text, what) in [
            ("10-14", "expected a legal move; legal moves: "),
            ("10", "expected two or more squares from 1 to 32"),
            ("10-33", "expected two or more squares from 1 to 32"),
            ("", "expected two or more squares"),
        ] {
            let said = moves.read(text).expect_err(text);
            assert!(said.contains(what), "{said}");
        }
        let game = Game::parse("8x8").expect("a game");
        let line = play(&board, &game.initial(), "11-15 22-18 15x22");
        let fen = "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22";
        assert_eq!(line.map(|p| write_fen(&p)), Ok(fen.into()));
    }
}
