//! The state that the library keeps between calls. The API has no handle, so there is one session
//! for each process: all engines in a process share it.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::history::History;
use crate::player::{Player, PlayerError, Settings};
use draughtproof_egdb::Value;
use draughtproof_game::{Game, Position};
use draughtproof_play::opponent::{Choice, GameRecord, Source};
use draughtproof_proof::heuristic::Limits;

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
