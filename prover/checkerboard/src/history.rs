//! The known moves of the current game: a program passes positions, not moves.

use draughtproof_game::{FenError, Game, MoveError, Position};
use draughtproof_play::opponent::GameRecord;
use thiserror::Error;

/// The positions that an engine was shown, and the moves that it chose.
#[derive(Debug)]
pub struct History {
    /// The game up to the position that was searched last, and the position after its answer.
    last: Option<(GameRecord, Position)>,
}

impl History {
    /// A history without any game.
    pub const fn new() -> Self {
        History { last: None }
    }

    /// The record of the game up to a position: the game before with the moves in between, if the
    /// position continues it, or a new game. The API does not tell whether an answer was played: in
    /// an analysis it is not.
    pub fn record_of(&self, game: &Game, position: Position) -> GameRecord {
        if let Some((record, answer)) = &self.last {
            let mut answered = record.clone();
            if answered.push(*answer).is_ok() {
                for mut record in [answered, record.clone()] {
                    if *record.position() == position || record.push(position).is_ok() {
                        return record;
                    }
                }
            }
        }
        GameRecord::new(game.clone(), position)
    }

    pub fn remember(&mut self, record: GameRecord, answer: Position) {
        self.last = Some((record, answer));
    }

    /// Drops the game.
    pub fn forget(&mut self) {
        self.last = None;
    }
}

/// The reason why a game cannot be read.
#[derive(Debug, Error)]
pub enum GameHistoryError {
    #[error(transparent)]
    Start(#[from] FenError),
    #[error(transparent)]
    Move(#[from] MoveError),
}

/// Reads a game as CheckerBoard passes it: a FEN, and the moves since, separated by blanks.
pub fn read_game(game: &Game, text: &str) -> Result<GameRecord, GameHistoryError> {
    let (fen, moves) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let start = game.board.read_fen(fen)?;
    let mut record = GameRecord::new(game.clone(), start);
    for after in game.board.read_line(&start, moves)? {
        record.push(after)?;
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::{History, read_game};
    use draughtproof_game::Game;

    #[test]
    fn a_game_goes_on_with_or_without_the_answer() {
        let game: Game = "8x8".parse().unwrap();
        let line = |moves| read_game(&game, &format!("B:WK32:BK1 {moves}")).unwrap();
        let first = line("");
        let answer = *line("1-6").position();
        let mut history = History::new();
        history.remember(first.clone(), answer);
        let times = |moves| {
            let position = *line(moves).position();
            history.record_of(&game, position).times(first.position())
        };
        // The engine plays both sides; the other side plays; the position comes again; another move
        // was made.
        for moves in ["1-6", "1-6 32-28", "", "1-5"] {
            assert_eq!(times(moves), 1, "{moves}");
        }
        // The position is too many moves away.
        assert_eq!(times("1-5 32-28"), 0);
        let mut forgotten = history;
        forgotten.forget();
        let position = *line("1-6").position();
        assert_eq!(forgotten.record_of(&game, position).times(first.position()), 0);
    }

    #[test]
    fn a_game_that_is_told() {
        let game: Game = "8x8".parse().unwrap();
        // This is the example of the API's documentation.
        let moves = "24-19 27-24 19-15 12-16";
        let told = format!("B:WK12,K27,30,32:B21,K24,28,K31 {moves}");
        let told = read_game(&game, &told).unwrap();
        let fen = game.board.write_fen(told.position());
        assert_eq!(fen, "B:WK16,K24,30,32:BK15,21,28,K31");
        let told = read_game(&game, "W:WK32:BK1. 32-28 1-6 28-32 6-1").unwrap();
        assert_eq!(told.times(&game.board.read_fen("W:WK32:BK1").unwrap()), 2);
        assert!(read_game(&game, "W:WK32").is_err() && read_game(&game, "").is_err());
    }
}
