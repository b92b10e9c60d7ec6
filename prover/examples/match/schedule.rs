//! Schedules the games of a match: several at a time, until all are played or the match is stopped.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use draughtproof_game::{MoveError, Side};
use thiserror::Error;

use crate::engine::{Engine, EngineError, EngineSetup};
use crate::game::{Ending, Rules, play};
use crate::log::{Played, first_side};
use crate::openings::Openings;

/// The parameters of a match.
pub struct Match<'a> {
    /// The rules of the games.
    pub rules: Rules<'a>,
    /// The openings of the games.
    pub openings: &'a Openings,
    /// The first and the second engine.
    pub engines: [EngineSetup; 2],
    /// The number of games at a time.
    pub concurrency: usize,
}

/// The reason why a match cannot be played.
#[derive(Debug, Error)]
pub enum MatchError {
    #[error("{engine}: {error}")]
    Engine { engine: String, error: EngineError },
    #[error(transparent)]
    Opening(#[from] MoveError),
}

impl Match<'_> {
    /// Starts an engine, 0 or 1.
    ///
    /// # Errors
    /// [`MatchError`] if the engine does not start.
    pub fn start(&self, which: usize) -> Result<Engine, MatchError> {
        let setup = &self.engines[which];
        let failed = |error| MatchError::Engine { engine: setup.command.join(" "), error };
        Engine::start(setup).map_err(failed)
    }

    /// Plays the games with these numbers. `finished` is called with each game, in the order in
    /// which they end, and returns whether to go on; if not, games under way are abandoned.
    ///
    /// # Errors
    /// [`MatchError`]
    pub fn play(
        &self,
        games: Vec<usize>,
        mut finished: impl FnMut(Played) -> ControlFlow<()>,
    ) -> Result<(), MatchError> {
        let (games, is_stopped) = (Mutex::new(games.into_iter()), AtomicBool::new(false));
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.concurrency {
                let (sender, games, is_stopped) = (sender.clone(), &games, &is_stopped);
                scope.spawn(move || {
                    let next = || games.lock().ok().and_then(|mut games| games.next());
                    if let Err(error) = self.work(next, is_stopped, &sender) {
                        // If the receiver is gone, it has had an error before.
                        let _ = sender.send(Err(error));
                    }
                });
            }
            drop(sender);
            let mut result = Ok(());
            for played in receiver {
                match played {
                    Ok(played) if result.is_ok() && !is_stopped.load(Ordering::Relaxed) => {
                        if finished(played).is_break() {
                            is_stopped.store(true, Ordering::Relaxed);
                        }
                    }
                    Ok(_) => {}
                    Err(error) => {
                        is_stopped.store(true, Ordering::Relaxed);
                        result = Err(error);
                    }
                }
            }
            result
        })
    }

    /// Plays game after game with engines of its own. An engine that failed is started anew.
    fn work(
        &self,
        next: impl Fn() -> Option<usize>,
        is_stopped: &AtomicBool,
        sender: &Sender<Result<Played, MatchError>>,
    ) -> Result<(), MatchError> {
        let mut engines: [Option<Engine>; 2] = [None, None];
        while let Some(number) = next().filter(|_| !is_stopped.load(Ordering::Relaxed)) {
            let opening = self.openings.of_pair(self.rules.game, number / 2)?;
            let [first, second] = &mut engines;
            let first = match first {
                Some(engine) => engine,
                None => first.insert(self.start(0)?),
            };
            let second = match second {
                Some(engine) => engine,
                None => second.insert(self.start(1)?),
            };
            let by_side = match first_side(number) {
                Side::Black => [first, second],
                Side::White => [second, first],
            };
            let Some(outcome) = play(&self.rules, &opening, by_side, is_stopped)? else { break };
            if matches!(outcome.ending, Ending::Fault(_)) {
                engines = [None, None];
            }
            let played = Played { number, opening: opening.moves, outcome };
            if sender.send(Ok(played)).is_err() {
                break;
            }
        }
        Ok(())
    }
}
