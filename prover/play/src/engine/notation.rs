//! Positions and moves as Hub writes them.
//!
//! **The convention.** Hub has one character for the side to move, then one for each square: `w`
//! and `b` for men, `W` and `B` for kings, `e` for an empty square. It comes from games in which
//! White moves first and stands on the high numbers; English draughts is the other way round.
//! pydraughts, the client that knows this game, turns the board and exchanges the colours in
//! *positions*: `W` and `w` are Black here, and the first character is our last square. It does
//! neither in *moves*: their squares are those of PDN. So `B:W21,22,23,24:B1,2,K3` and then 2-7 are
//! `pos=WeeeeeeeebbbbeeeeeeeeeeeeeeeeeWww moves="2-7"`. That is what is read and written here, and
//! nothing else: [`read_position`] takes the position of the text for the twin of the one that is
//! meant.
//!
//! A capture has the squares from which and to which it leads, then those of the captured pieces in
//! any order: `22x15x18`. Together they name one move, whatever the way between.

use thiserror::Error;

use crate::board::{Board, Move, MoveError, Position, Side};

/// A text that is no position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PositionError {
    #[error("position: expected {expected} characters, found {found}")]
    Length { expected: usize, found: usize },
    #[error("position, character {place}: expected {expected}, found {found:?}")]
    Character { place: usize, expected: &'static str, found: char },
    #[error("position: expected a king or no man on its crowning row, found a man")]
    Uncrowned,
}

pub fn read_position(board: &Board, text: &str) -> Result<Position, PositionError> {
    let expected = usize::from(board.squares()) + 1;
    let found = text.chars().count();
    if found != expected {
        return Err(PositionError::Length { expected, found });
    }
    let mut turn = Side::Black;
    let mut black = 0;
    let mut white = 0;
    let mut kings = 0;
    for (n, c) in text.chars().enumerate() {
        let square = n.checked_sub(1).map_or(0, |square| 1 << square);
        match c {
            'W' if n == 0 => turn = Side::White,
            'B' if n == 0 => turn = Side::Black,
            'w' | 'W' if n > 0 => white |= square,
            'b' | 'B' if n > 0 => black |= square,
            'e' if n > 0 => {}
            found => {
                let expected = if n == 0 { "W or B" } else { "w, W, b, B or e" };
                return Err(PositionError::Character { place: n + 1, expected, found });
            }
        }
        if c.is_uppercase() {
            kings |= square;
        }
    }
    let turned = board.position(black, white, kings, turn).ok_or(PositionError::Uncrowned)?;
    Ok(turned.twin(board))
}

pub fn write_position(board: &Board, position: &Position) -> String {
    let turned = position.twin(board);
    let mut text = String::from(match turned.turn {
        Side::Black => "B",
        Side::White => "W",
    });
    for square in 0..board.squares() {
        let bit = board.bit(square);
        let is_king = turned.kings & bit != 0;
        text.push(match (turned.black & bit != 0, turned.white & bit != 0) {
            (true, _) => {
                if is_king {
                    'B'
                } else {
                    'b'
                }
            }
            (_, true) => {
                if is_king {
                    'W'
                } else {
                    'w'
                }
            }
            _ => 'e',
        });
    }
    text
}

/// Reads a move, and returns the position after it. A capture may leave out all of the captured
/// pieces if its ends alone identify it.
///
/// # Errors
/// [`MoveError`] if the text is not the name of one legal move.
pub fn read_move(board: &Board, position: &Position, text: &str) -> Result<Position, MoveError> {
    let moves = board.moves(position);
    let squares = read_squares(board, text);
    let mut meant = moves.iter().filter(|m| match squares.as_deref() {
        Some([from, to]) => has_ends(m, *from, *to),
        Some([from, to, taken @ ..]) => {
            let taken = taken.iter().fold(0, |set, square| set | board.bit(*square));
            has_ends(m, *from, *to) && taken == captured(position, &m.after)
        }
        _ => false,
    });
    let first = meant.next();
    let second = meant.next();
    let what = match (squares.is_some(), first, second) {
        (_, Some(only), None) => return Ok(only.after),
        (_, Some(_), Some(_)) => "expected the squares of the captured pieces, found several moves",
        (true, ..) => "expected a legal move",
        (false, ..) => "expected two or more squares with - or x between",
    };
    let legal = moves.iter().map(|m| write(board, position, m)).collect();
    let fen = board.write_fen(position);
    Err(MoveError { text: text.into(), fen, what: what.into(), legal })
}

/// Writes the move from `position` to `after`.
///
/// # Errors
/// [`MoveError`] if no move leads there.
pub fn write_move(
    board: &Board,
    position: &Position,
    after: &Position,
) -> Result<String, MoveError> {
    let moves = board.moves(position);
    match moves.iter().find(|m| m.after == *after) {
        Some(found) => Ok(write(board, position, found)),
        // `write_move` reports the error.
        None => board.write_move(position, after),
    }
}

/// The squares of a move, from 0; `None` if the text is no list of squares.
fn read_squares(board: &Board, text: &str) -> Option<Vec<u8>> {
    let mut squares = Vec::new();
    for digits in text.split(['-', 'x']) {
        let number = digits.parse().ok().filter(|_| digits.bytes().all(|c| c.is_ascii_digit()))?;
        squares.push((1..=board.squares()).contains(&number).then(|| number - 1)?);
    }
    (squares.len() >= 2).then_some(squares)
}

fn has_ends(m: &Move, from: u8, to: u8) -> bool {
    m.paths.iter().any(|path| path.first() == Some(&from) && path.last() == Some(&to))
}

/// The squares of the pieces that a move takes.
fn captured(position: &Position, after: &Position) -> u64 {
    let other = position.turn.opponent();
    position.of(other) & !after.of(other)
}

fn write(board: &Board, position: &Position, m: &Move) -> String {
    let path = m.paths.first().map_or(&[][..], Vec::as_slice);
    let ends = path.first().into_iter().chain(path.last()).copied();
    let squares = ends.chain(board.squares_of(captured(position, &m.after)));
    let names: Vec<_> = squares.map(|square| (square + 1).to_string()).collect();
    names.join(if m.is_capture { "x" } else { "-" })
}

#[cfg(test)]
mod tests {
    use super::{read_move, read_position, write_move, write_position};
    use crate::board::Game;

    #[test]
    fn positions_are_turned_and_moves_are_not() {
        let game: Game = "8x8".parse().unwrap();
        let board = &game.board;
        // pydraughts 0.6.7 sends the start like this.
        let start = "Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww";
        assert_eq!(read_position(board, start).unwrap(), game.start());
        let ending = "WeeeeeeeebbbbeeeeeeeeeeeeeeeeeWww";
        let position = read_position(board, ending).unwrap();
        assert_eq!(board.write_fen(&position), "B:W21,22,23,24:B1,2,K3");
        assert_eq!(write_position(board, &position), ending);
        let after = read_move(board, &position, "2-7").unwrap();
        assert_eq!(board.write_fen(&after), "W:W21,22,23,24:B1,K3,7");
    }

    #[test]
    fn captured_squares_tell_moves_apart() {
        let game: Game = "8x8".parse().unwrap();
        let board = &game.board;
        let position = board.read_fen("B:W6,7,14,15:B2").unwrap();
        let names: Vec<_> = (board.moves(&position).iter())
            .map(|m| write_move(board, &position, &m.after).unwrap())
            .collect();
        assert_eq!(names, ["2x18x7x15", "2x18x6x14"]);
        for (name, m) in names.iter().zip(board.moves(&position)) {
            assert_eq!(read_move(board, &position, name), Ok(m.after));
        }
        let swapped = read_move(board, &position, "2x18x15x7").unwrap();
        assert_eq!(write_move(board, &position, &swapped).unwrap(), "2x18x7x15");
        for wrong in ["2x18", "2x18x7", "2x18x7x14", "2x9", "2x18x7x15x6", "2", "", "2x+18", "2x99"]
        {
            let error = read_move(board, &position, wrong).unwrap_err();
            assert_eq!(error.legal, names, "{wrong}");
        }
    }

    #[test]
    fn a_king_that_comes_back_to_where_it_was() {
        let game: Game = "8x8".parse().unwrap();
        let position = game.board.read_fen("B:W9,10,17,18:BK6").unwrap();
        let after = game.board.moves(&position)[0].after;
        let name = write_move(&game.board, &position, &after).unwrap();
        assert_eq!(name, "6x6x9x10x17x18");
        assert_eq!(read_move(&game.board, &position, &name), Ok(after));
    }

    #[test]
    fn what_is_no_position() {
        let game: Game = "4x4".parse().unwrap();
        for (text, message) in [
            ("", "position: expected 9 characters, found 0"),
            ("wbeeeeeee", "position, character 1: expected W or B, found 'w'"),
            ("Wbeeeeee-", "position, character 9: expected w, W, b, B or e, found '-'"),
            ("Wweeeeeee", "position: expected a king or no man on its crowning row, found a man"),
        ] {
            let error = read_position(&game.board, text).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
