//! Reads and writes moves as text: PDN `11-15`, `22x15`, `22x15x8`.
//!
//! The list of legal moves decides the meaning of a text, never the separator: real files write
//! `10x14` for plain moves and dashes for captures. Two paths that lead to equal positions are one
//! move (`SPEC.md` §1.2). A move is written by its first and last square if only one move goes from
//! the one to the other, otherwise by its whole path; no two moves share a path, because the path
//! tells which pieces are taken.

use std::collections::BTreeMap;

use thiserror::Error;

use super::{Board, Position, Side};

/// A legal move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The position after the move.
    pub after: Position,
    /// Whether the move takes pieces.
    pub is_capture: bool,
    /// All paths of the move, each as the squares (from 0) on which the piece stands, in ascending
    /// order.
    pub paths: Vec<Vec<u8>>,
}

/// A text that is not the name of a legal move, or a position to which no move leads.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("move {text:?} in {fen}: {what}; legal moves: {}", list(legal))]
pub struct MoveError {
    pub text: String,
    pub fen: String,
    pub what: String,
    pub legal: Vec<String>,
}

fn list(legal: &[String]) -> String {
    if legal.is_empty() { "none".into() } else { legal.join(", ") }
}

impl Board {
    /// The legal moves, in the order of [`Board::successors`].
    pub fn moves(&self, position: &Position) -> Vec<Move> {
        let mut paths: BTreeMap<Position, Vec<Vec<u8>>> = BTreeMap::new();
        let is_capture = self.can_capture(position);
        let own = position.of(position.turn);
        for from in self.squares_of(own) {
            let mut walk = Walk { board: self, position, path: vec![from], found: &mut paths };
            if is_capture { walk.jump(0) } else { walk.step() }
        }
        paths
            .into_iter()
            .map(|(after, mut paths)| {
                paths.sort_unstable();
                Move { after, is_capture, paths }
            })
            .collect()
    }

    /// Reads a move: `11-15`, `09-13`, `22x15`, `22x15x8`, or a part of a path with its first and
    /// last square. A text that is the whole path of one move and the ends of another names the
    /// first of them.
    ///
    /// # Errors
    /// [`MoveError`] if the text does not have that form, or is not the name of exactly one legal
    /// move.
    pub fn read_move(&self, position: &Position, text: &str) -> Result<Position, MoveError> {
        match self.meanings(position, text)?.as_slice() {
            [only] => Ok(only.after),
            _ => {
                let what = "expected one move, found several: name more squares";
                Err(self.move_error(position, text, what))
            }
        }
    }

    /// The legal moves that a text can mean, at least one, in canonical order.
    pub(crate) fn meanings(&self, position: &Position, text: &str) -> Result<Vec<Move>, MoveError> {
        let path = self.read_path(text).ok_or_else(|| {
            let squares = self.squares();
            let what =
                format!("expected two or more squares from 1 to {squares} with - or x between");
            self.move_error(position, text, &what)
        })?;
        let mut moves = self.moves(position);
        if let Some(exact) = moves.iter().position(|m| m.paths.contains(&path)) {
            return Ok(vec![moves.swap_remove(exact)]);
        }
        moves.retain(|m| m.paths.iter().any(|p| is_part(&path, p)));
        if moves.is_empty() {
            return Err(self.move_error(position, text, "expected a legal move"));
        }
        Ok(moves)
    }

    fn move_error(&self, position: &Position, text: &str, what: &str) -> MoveError {
        let moves = self.moves(position);
        MoveError {
            text: text.into(),
            fen: self.write_fen(position),
            what: what.into(),
            legal: moves.iter().map(|m| write(&moves, m)).collect(),
        }
    }

    /// Reads a line of moves separated by blanks, such as `11-15 23-19 8-11`; returns the position
    /// after each.
    ///
    /// # Errors
    /// [`MoveError`] at the first text that is not the name of a legal move.
    pub fn read_line(&self, start: &Position, text: &str) -> Result<Vec<Position>, MoveError> {
        let mut at = *start;
        text.split_whitespace()
            .map(|name| {
                at = self.read_move(&at, name)?;
                Ok(at)
            })
            .collect()
    }

    /// The name of the move from `position` to `after`.
    ///
    /// # Errors
    /// [`MoveError`] if no move leads there.
    pub fn write_move(&self, position: &Position, after: &Position) -> Result<String, MoveError> {
        let moves = self.moves(position);
        let found = moves.iter().find(|m| m.after == *after);
        found.map(|m| write(&moves, m)).ok_or_else(|| {
            let text = format!("to {}", self.write_fen(after));
            self.move_error(position, &text, "expected a successor, found another position")
        })
    }

    fn read_path(&self, text: &str) -> Option<Vec<u8>> {
        let mut path = Vec::new();
        for digits in text.split(['-', 'x', 'X', ':']) {
            let is_number = digits.bytes().all(|c| c.is_ascii_digit());
            let number = digits.parse().ok().filter(|_| is_number)?;
            path.push((1..=self.squares()).contains(&number).then(|| number - 1)?);
        }
        (path.len() >= 2).then_some(path)
    }
}

/// Whether `some` is `path`, perhaps without some squares between its ends.
fn is_part(some: &[u8], path: &[u8]) -> bool {
    let mut rest = path.iter();
    some.first() == path.first()
        && some.last() == path.last()
        && some.iter().all(|s| rest.any(|p| p == s))
}

/// The name of one of a position's moves.
fn write(moves: &[Move], this: &Move) -> String {
    let Some(path) = this.paths.first() else { return String::new() };
    let ends = |p: &[u8]| (p.first().copied(), p.last().copied());
    let others = moves.iter().filter(|m| m.after != this.after);
    let is_alone = !others.flat_map(|m| &m.paths).any(|p| ends(p) == ends(path));
    let squares = if is_alone { vec![path[0], path[path.len() - 1]] } else { path.clone() };
    let names: Vec<_> = squares.iter().map(|square| (square + 1).to_string()).collect();
    names.join(if this.is_capture { "x" } else { "-" })
}

/// The path of a piece under construction.
struct Walk<'a> {
    board: &'a Board,
    position: &'a Position,
    path: Vec<u8>,
    found: &'a mut BTreeMap<Position, Vec<Vec<u8>>>,
}

impl Walk<'_> {
    fn is_king(&self) -> bool {
        self.position.kings & self.board.bit(self.path[0]) != 0
    }

    fn directions(&self) -> std::ops::Range<usize> {
        match self.position.turn {
            _ if self.is_king() => 0..4,
            Side::Black => 0..2,
            Side::White => 2..4,
        }
    }

    fn is_empty(&self, square: u8) -> bool {
        // The square that the piece has left is empty during its move.
        let occupied = self.position.black | self.position.white;
        occupied & self.board.bit(square) == 0 || square == self.path[0]
    }

    fn step(&mut self) {
        for direction in self.directions() {
            let to = self.board.step(self.path[0], direction);
            if let Some(to) = to.filter(|&to| self.is_empty(to)) {
                self.path.push(to);
                self.end(0);
                self.path.pop();
            }
        }
    }

    /// Follows all continuations after taking `taken`.
    fn jump(&mut self, taken: u64) {
        let at = self.path[self.path.len() - 1];
        let crown = self.board.crown[self.position.turn as usize];
        let crowned = !self.is_king() && crown & self.board.bit(at) != 0;
        let prey = self.position.of(self.position.turn.opponent()) & !taken;
        let mut ended = true;
        for direction in self.directions().filter(|_| !crowned) {
            let Some(over) = self.board.step(at, direction) else { continue };
            let Some(to) = self.board.step(over, direction) else { continue };
            let over = self.board.bit(over);
            if prey & over != 0 && self.is_empty(to) {
                ended = false;
                self.path.push(to);
                self.jump(taken | over);
                self.path.pop();
            }
        }
        if ended && taken != 0 {
            self.end(taken);
        }
    }

    fn end(&mut self, taken: u64) {
        let board = self.board;
        let p = self.position;
        let from = board.bit(self.path[0]);
        let to = board.bit(self.path[self.path.len() - 1]);
        let crowned = if self.is_king() { to } else { to & board.crown[p.turn as usize] };
        let kings = p.kings & !(from | taken) | crowned;
        let own = p.of(p.turn) & !from | to;
        let enemy = p.of(p.turn.opponent()) & !taken;
        let (black, white) = match p.turn {
            Side::Black => (own, enemy),
            Side::White => (enemy, own),
        };
        let after = Position { black, white, kings, turn: p.turn.opponent() };
        self.found.entry(after).or_default().push(self.path.clone());
    }
}
