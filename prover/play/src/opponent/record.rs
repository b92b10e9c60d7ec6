//! The record of a game.

use std::fmt;

use crate::board::{Board, Game, MoveError, PdnGame, Position, Side, write_pdn};

/// The state of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameResult {
    /// The game is not over.
    Open,
    /// This side has won, since the other has no move.
    Won(Side),
    /// A position has come up three times.
    Draw,
}

impl fmt::Display for GameResult {
    /// Writes the result as PDN does: the first number is Black's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::Open => "*",
            GameResult::Won(Side::Black) => "1-0",
            GameResult::Won(Side::White) => "0-1",
            GameResult::Draw => "1/2-1/2",
        })
    }
}

/// The moves of a game so far.
#[derive(Debug, Clone)]
pub struct GameRecord {
    game: Game,
    start: Position,
    /// The position after each move.
    positions: Vec<Position>,
}

impl GameRecord {
    /// The number of times that a position has to come up to end the game in a draw. Without such a
    /// rule a game might never end.
    pub const REPETITIONS: usize = 3;

    /// A game that begins at a position.
    pub fn new(game: Game, start: Position) -> Self {
        GameRecord { game, start, positions: Vec::new() }
    }

    pub fn board(&self) -> &Board {
        &self.game.board
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        self.positions.last().unwrap_or(&self.start)
    }

    /// The positions before the current one, the oldest first.
    pub fn earlier(&self) -> Vec<Position> {
        let mut positions = [&[self.start], self.positions.as_slice()].concat();
        positions.pop();
        positions
    }

    /// Makes a move, which leads to `after`.
    ///
    /// # Errors
    /// [`MoveError`] if no legal move leads there. The record does not change then.
    pub fn push(&mut self, after: Position) -> Result<(), MoveError> {
        self.board().write_move(self.position(), &after)?;
        self.positions.push(after);
        Ok(())
    }

    /// Takes moves back, at least one, until it is this side's turn. If it never was, the record
    /// stays as it is. Returns whether moves were taken back.
    pub fn take_back(&mut self, side: Side) -> bool {
        let turn = |moves: usize| match moves {
            0 => self.start.turn,
            _ => self.positions[moves - 1].turn,
        };
        let moves = (0..self.positions.len()).rev().find(|&moves| turn(moves) == side);
        if let Some(moves) = moves {
            self.positions.truncate(moves);
        }
        moves.is_some()
    }

    /// The number of times that a position has come up.
    pub fn times(&self, position: &Position) -> usize {
        let all = self.positions.iter().chain([&self.start]);
        all.filter(|seen| *seen == position).count()
    }

    /// The state of the game.
    pub fn result(&self) -> GameResult {
        let position = self.position();
        if !self.board().can_move(position) {
            GameResult::Won(position.turn.opponent())
        } else if self.times(position) >= Self::REPETITIONS {
            GameResult::Draw
        } else {
            GameResult::Open
        }
    }

    /// The game in PDN.
    ///
    /// # Errors
    /// None: all moves are legal.
    pub fn pdn(&self) -> Result<String, MoveError> {
        let positions = self.positions.clone();
        let result = self.result().to_string();
        write_pdn(self.board(), &PdnGame::new(&self.game, self.start, positions, &result))
    }
}

#[cfg(test)]
mod tests {
    use super::{GameRecord, GameResult};
    use crate::board::{Game, Side};

    fn record(fen: &str, moves: &str) -> GameRecord {
        let game: Game = "4x4".parse().unwrap();
        let start = game.board.read_fen(fen).unwrap();
        let mut record = GameRecord::new(game.clone(), start);
        for after in game.board.read_line(&start, moves).unwrap() {
            record.push(after).unwrap();
        }
        record
    }

    #[test]
    fn how_a_game_stands() {
        let back_and_forth = "1-3 8-6 3-1 6-8";
        let twice = record("B:WK8:BK1", back_and_forth);
        assert_eq!(twice.result(), GameResult::Open);
        let thrice = record("B:WK8:BK1", &[back_and_forth; 2].join(" "));
        assert_eq!(thrice.result(), GameResult::Draw);
        assert!(thrice.pdn().unwrap().ends_with("1/2-1/2\n"));
        let won = record("B:WK4:BK1", "1x6");
        assert_eq!(won.result(), GameResult::Won(Side::Black));
        assert_eq!(won.result().to_string(), "1-0");
    }

    #[test]
    fn moves_are_taken_back_to_the_turn_of_a_side() {
        let mut record = record("B:WK8:BK1", "1-3 8-6 3-1");
        assert!(record.take_back(Side::Black));
        assert_eq!(record.board().write_fen(record.position()), "B:WK6:BK3");
        assert!(record.take_back(Side::Black));
        assert_eq!(record.board().write_fen(record.position()), "B:WK8:BK1");
        assert!(!record.take_back(Side::Black) && !record.take_back(Side::White));
        let other = *record.position();
        assert!(record.push(other).is_err());
        assert_eq!(record.times(&other), 1);
    }
}
