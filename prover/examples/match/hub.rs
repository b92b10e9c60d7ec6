//! What Hub engines write, and how positions and moves are written for them.
//!
//! Hub is the protocol of Fabien Letouzey's engine Scan (`protocol.txt`, version 2, 2019): lines
//! `command name=value name="a value" flag` over standard input and output. Of English draughts it
//! says nothing. As in pydraughts, the client that knows this game, positions are turned by half a
//! turn with colours exchanged, so that `W`, who begins, is our Black; moves are not turned. A
//! capture has its first and last square, then those of the captured pieces in any order:
//! `22x15x18`.

use prover::board::{Board, Move, MoveError, Position, Side};

/// A line of an engine: its command and its arguments. Whatever is not of that form is read as far
/// as it can be: clients ignore what they do not understand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The first word.
    pub command: String,
    arguments: Vec<(String, String)>,
}

impl Line {
    /// Reads a line.
    pub fn read(text: &str) -> Line {
        let text = text.trim();
        let (command, mut rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut arguments = Vec::new();
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return Line { command: command.into(), arguments };
            }
            let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let (value, after) = after.strip_prefix('=').map_or(("", after), value);
            arguments.push((name.into(), value.into()));
            rest = after;
        }
    }

    /// The value of an argument, if it is there.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.arguments.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The number that an argument has.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

/// A value, in quotation marks or up to a blank, and what comes after it.
fn value(text: &str) -> (&str, &str) {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())),
    }
}

/// Writes a value, in quotation marks where it needs them.
pub fn quote(value: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && c != '=' && c != '"';
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.into();
    }
    format!("\"{}\"", value.replace('"', ""))
}

/// Writes a position.
pub fn write_position(board: &Board, position: &Position) -> String {
    let turned = position.twin(board);
    let square = |square: u8| {
        let bit = board.bit(square);
        let is_king = turned.kings & bit != 0;
        match (turned.white & bit != 0, turned.black & bit != 0) {
            (true, _) => {
                if is_king {
                    'W'
                } else {
                    'w'
                }
            }
            (_, true) => {
                if is_king {
                    'B'
                } else {
                    'b'
                }
            }
            _ => 'e',
        }
    };
    let turn = if turned.turn == Side::White { 'W' } else { 'B' };
    std::iter::once(turn).chain((0..board.squares()).map(square)).collect()
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
        Some(found) => Ok(name(board, position, found)),
        // It has the words for that.
        None => board.write_move(position, after),
    }
}

/// Reads a move of an engine: the position after it. The captured pieces may be left out where the
/// ends name one move.
///
/// # Errors
/// [`MoveError`] if the text does not name one legal move.
pub fn read_move(board: &Board, position: &Position, text: &str) -> Result<Position, MoveError> {
    let squares: Option<Vec<u8>> = text.split(['-', 'x']).map(|n| n.parse().ok()).collect();
    let mut named: Vec<Move> = board.moves(position);
    match squares.as_deref() {
        Some([from, to, taken @ ..]) => named.retain(|m| {
            let mut taken = taken.to_vec();
            taken.sort_unstable();
            let has_ends = |path: &Vec<u8>| {
                path.first().map(|s| s + 1) == Some(*from)
                    && path.last().map(|s| s + 1) == Some(*to)
            };
            let is_taken = taken.is_empty() || captured(board, position, m) == taken;
            is_taken && m.paths.iter().any(has_ends)
        }),
        _ => named.clear(),
    }
    match named.as_slice() {
        [only] => Ok(only.after),
        several => Err(MoveError {
            text: text.into(),
            fen: board.write_fen(position),
            what: format!("expected one legal move, found {}", several.len()),
            legal: board.moves(position).iter().map(|m| name(board, position, m)).collect(),
        }),
    }
}

/// The squares of the pieces that a move takes (from 1), ascending.
fn captured(board: &Board, position: &Position, m: &Move) -> Vec<u8> {
    let other = position.turn.opponent();
    board.squares_of(position.of(other) & !m.after.of(other)).map(|square| square + 1).collect()
}

fn name(board: &Board, position: &Position, m: &Move) -> String {
    let path = m.paths.first().map_or(&[][..], Vec::as_slice);
    let ends = path.first().into_iter().chain(path.last()).map(|square| square + 1);
    let squares = ends.chain(captured(board, position, m)).map(|square| square.to_string());
    squares.collect::<Vec<_>>().join(if m.is_capture { "x" } else { "-" })
}

#[cfg(test)]
mod tests {
    use super::{Line, quote, read_move, write_move, write_position};
    use prover::board::Game;

    #[test]
    fn lines_of_engines() {
        let line = Line::read(" id name=\"Simple Checkers\" version=1.15  flag author=\"M. F.\" ");
        assert_eq!(line.command, "id");
        assert_eq!(line.get("name"), Some("Simple Checkers"));
        assert_eq!((line.number("version"), line.get("flag")), (Some(1.15), Some("")));
        assert_eq!((line.get("author"), line.get("country")), (Some("M. F."), None));
        assert_eq!(Line::read("wait").command, "wait");
        // Nothing is refused.
        assert_eq!(Line::read("a b=\"c d").get("b"), Some("c d"));
        assert_eq!(Line::read("info depth=NaN").number("depth"), None);
        assert_eq!([quote("a"), quote("a b"), quote("")], ["a", "\"a b\"", "\"\""]);
    }

    #[test]
    fn positions_are_turned_and_moves_are_not() {
        let game: Game = "8x8".parse().unwrap();
        let board = &game.board;
        assert_eq!(write_position(board, &game.start()), "Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww");
        // As pydraughts 0.6.7 writes it.
        let position = board.read_fen("B:W21,22,23,24:B1,2,K3").unwrap();
        assert_eq!(write_position(board, &position), "WeeeeeeeebbbbeeeeeeeeeeeeeeeeeWww");
        let after = read_move(board, &position, "2-7").unwrap();
        assert_eq!(board.write_fen(&after), "W:W21,22,23,24:B1,K3,7");
        assert_eq!(write_move(board, &position, &after).unwrap(), "2-7");
        assert!(write_move(board, &position, &position).is_err());
    }

    #[test]
    fn captured_pieces_tell_moves_apart() {
        let game: Game = "8x8".parse().unwrap();
        let board = &game.board;
        let position = board.read_fen("B:W6,7,14,15:B2").unwrap();
        let moves = board.moves(&position);
        for m in &moves {
            let name = write_move(board, &position, &m.after).unwrap();
            assert_eq!(read_move(board, &position, &name), Ok(m.after));
        }
        let any_order = read_move(board, &position, "2x18x15x7").unwrap();
        assert_eq!(write_move(board, &position, &any_order).unwrap(), "2x18x7x15");
        for wrong in ["2x18", "2x18x7", "2-9", "2", "", "0-0", "2x18x7x15x300"] {
            assert_eq!(read_move(board, &position, wrong).unwrap_err().text, wrong);
        }
    }
}
