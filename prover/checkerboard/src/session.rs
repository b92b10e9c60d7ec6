//! The state that the library keeps between calls. The API has no handle, so there is one session
//! for each process: all engines in a process share it.
//! It knows the moves of the current game, as a program passes positions only.

use crate::player::{Player, PlayerError, Settings};
use draughtproof_egdb::Value;
use draughtproof_game::{FenError, Game, MoveError, Position};
use draughtproof_play::opponent::{Choice, GameRecord, Source};
use draughtproof_proof::heuristic::Limits;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use thiserror::Error;

/// The game of English checkers.
pub static GAME: LazyLock<Game> = LazyLock::new(|| match "8x8".parse() {
    Ok(game) => game,
    Err(error) => unreachable!("{error}"),
});

/// The state that commands change. Its lock is held only briefly, so that commands are answered
/// during a search.
#[derive(Default)]
pub struct Orders {
    pub settings: Settings,
    /// The game up to the position of the next search, if it was told.
    pub told: Option<GameRecord>,
}

static ORDERS: LazyLock<Mutex<Orders>> = LazyLock::new(Mutex::default);
static SESSION: Mutex<Session> = Mutex::new(Session::new());

/// Locks the state that commands change.
pub fn orders() -> MutexGuard<'static, Orders> {
    ORDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks the state that searches need; the lock is held during a search.
pub fn session() -> MutexGuard<'static, Session> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The parameters of a search.
pub struct Search<'a> {
    pub position: Position,
    pub limits: Limits,
    /// Returns whether the search is to end at once.
    pub is_stopped: &'a dyn Fn() -> bool,
    /// Gets lines of progress.
    pub say: &'a mut dyn FnMut(&str),
}

/// The player and the game so far.
pub struct Session {
    /// The player, with the settings for which it was requested.
    player: Option<(Settings, Player)>,
    history: History,
}

impl Session {
    const fn new() -> Self {
        Session { player: None, history: History::new() }
    }

    /// Drops the game.
    pub fn forget(&mut self) {
        self.history.forget();
    }

    /// Finds a move; `None` if there is no legal one.
    pub fn choose(&mut self, search: Search) -> Result<Option<Choice>, PlayerError> {
        let Search { position, limits, is_stopped, say } = search;
        let (settings, told) = {
            let mut orders = orders();
            (orders.settings.clone(), orders.told.take())
        };
        let told = told.filter(|record| *record.position() == position);
        let record = told.unwrap_or_else(|| self.history.record_of(&GAME, position));
        let mut ask = |session: &mut Session, used: Settings| {
            let player = session.player(&settings, used)?;
            player.choose(record.clone(), limits, is_stopped, say)
        };
        let mut found = ask(self, settings.clone());
        if let Err(error) = &found {
            self.player = None;
            if settings.is_database_used {
                // If the database cannot be read, the engine goes on without it.
                let without = Settings { is_database_used: false, ..settings.clone() };
                let fault = error.to_string();
                found = ask(self, without);
                say(&format!("no database is used: {fault}"));
            }
        }
        let choice = found?;
        if let Some(choice) = &choice {
            self.history.remember(record, choice.after);
        }
        Ok(choice)
    }

    /// The player for the settings `set`; if there is none, a new one with the settings `used`.
    fn player(&mut self, set: &Settings, used: Settings) -> Result<&Player, PlayerError> {
        let there = self.player.take().filter(|(settings, _)| settings == set);
        let player = match there {
            Some((_, player)) => player,
            None => Player::start(&GAME.board, used)?,
        };
        Ok(&self.player.insert((set.clone(), player)).1)
    }
}

/// The proved value of a choice for the side that moves.
pub fn proved(choice: &Choice) -> Option<Value> {
    match choice.source {
        Source::Database { value, .. } => Some(value),
        Source::Search { proven, .. } => proven.value(),
        _ => None,
    }
}

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
