//! What the library keeps between calls. The API has no handle, so there is one session of a
//! process: two programs' worth of engines in one process share it.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use prover::board::{Game, Position};
use prover::egdb::Value;
use prover::heuristic::{Bound, Limits};
use prover::play::{Choice, GameRecord, Source};

use super::history::History;
use super::player::{Player, PlayerError};
use super::settings::Settings;

/// English checkers.
pub static GAME: LazyLock<Game> = LazyLock::new(|| match "8x8".parse() {
    Ok(game) => game,
    Err(error) => unreachable!("{error}"),
});

/// What commands change; never held for long, so that commands are answered during a search.
#[derive(Default)]
pub struct Orders {
    /// What was set.
    pub settings: Settings,
    /// The game up to the position of the next search, if it was told.
    pub told: Option<GameRecord>,
}

static ORDERS: LazyLock<Mutex<Orders>> = LazyLock::new(Mutex::default);
static SESSION: Mutex<Session> = Mutex::new(Session::new());

/// What commands change.
pub fn orders() -> MutexGuard<'static, Orders> {
    ORDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What searches need; held while one is under way.
pub fn session() -> MutexGuard<'static, Session> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A search to be made.
pub struct Search<'a> {
    /// The position.
    pub position: Position,
    /// How far it goes.
    pub limits: Limits,
    /// Whether it is to end at once.
    pub is_stopped: &'a dyn Fn() -> bool,
    /// Shows a line.
    pub say: &'a mut dyn FnMut(&str),
}

/// The player and the game.
pub struct Session {
    /// With the settings that it was asked for.
    player: Option<(Settings, Player)>,
    history: History,
}

impl Session {
    const fn new() -> Self {
        Session { player: None, history: History::new() }
    }

    /// Forgets the game.
    pub fn forget(&mut self) {
        self.history.forget();
    }

    /// Finds a move; `None` if there is no legal one.
    ///
    /// # Errors
    /// [`PlayerError`]
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
                // With a database that cannot be read, the game is gone on with without it.
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

    /// The player for what is set; a new one, with `used`, if there is none.
    fn player(&mut self, set: &Settings, used: Settings) -> Result<&Player, PlayerError> {
        let there = self.player.take().filter(|(settings, _)| settings == set);
        let player = match there {
            Some((_, player)) => player,
            None => Player::start(&GAME.board, used)?,
        };
        Ok(&self.player.insert((set.clone(), player)).1)
    }
}

/// What is proved of a choice for the side that moves.
pub fn proved(choice: &Choice) -> Option<Value> {
    match choice.source {
        Source::Database { value, .. } => Some(value),
        Source::Search { proven: Bound::Win, .. } => Some(Value::Win),
        Source::Search { proven: Bound::Draw, .. } => Some(Value::Draw),
        Source::Search { proven: Bound::Loss, .. } => Some(Value::Loss),
        _ => None,
    }
}
