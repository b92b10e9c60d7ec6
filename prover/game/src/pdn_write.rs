//! Games written as PDN 3.0.

use super::pdn::GAME_TYPE;
use super::{Game, MoveError, Position, Side};

/// The game of which `GAME_TYPE` is the number.
const CHECKERS: &str = "8x8";

/// No line of moves is longer.
const WIDTH: usize = 80;

impl Game {
    /// A game in PDN: tags, the moves from `start` to each of `positions`, and the result (`1-0` if
    /// Black, who moves first, has won, `0-1`, `1/2-1/2`, or `*` if it is not over).
    ///
    /// # Errors
    /// [`MoveError`] if a position is no successor of the one before.
    pub fn write_pdn(
        &self,
        start: &Position,
        positions: &[Position],
        result: &str,
    ) -> Result<String, MoveError> {
        let mut out = format!("[Event \"{self}\"]\n[Result \"{result}\"]\n");
        if self.to_string() == CHECKERS {
            out += &format!("[GameType \"{GAME_TYPE}\"]\n");
        }
        if *start != self.start() {
            out += &format!("[SetUp \"1\"]\n[FEN \"{}\"]\n", self.board.write_fen(start));
        }
        let mut words = Vec::new();
        let mut from = start;
        // Black's move is the first of its number, as in real files.
        let offset = usize::from(start.turn == Side::White);
        for (i, to) in positions.iter().enumerate() {
            match (from.turn, (i + offset) / 2 + 1) {
                (Side::Black, number) => words.push(format!("{number}.")),
                (Side::White, number) if i == 0 => words.push(format!("{number}...")),
                (Side::White, _) => {}
            }
            words.push(self.board.write_move(from, to)?);
            from = to;
        }
        words.push(result.into());
        let mut width = 0;
        for word in words {
            let is_full = width + 1 + word.len() > WIDTH;
            out.push(if width == 0 || is_full { '\n' } else { ' ' });
            width = if width == 0 || is_full { word.len() } else { width + 1 + word.len() };
            out += &word;
        }
        out.push('\n');
        Ok(out)
    }
}
