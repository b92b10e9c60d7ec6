//! The searching thread. It has the database open and keeps its transposition table from one move
//! to the next; the thread that asks for a move stays free to stop it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use draughtproof_egdb::{BuildError, BuildSession, Depths, Store, StoreError, Values};
use draughtproof_game::Board;
use draughtproof_play::lookup::{Lookup, LookupError};
use draughtproof_play::opponent::{Choice, GameRecord, Opponent};
use draughtproof_proof::heuristic::{Heuristic, Limits};
use thiserror::Error;

use crate::report;
use crate::settings::Settings;

/// Interval at which a waiting thread polls whether the search is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The reason why there is no move.
#[derive(Debug, Error)]
pub enum PlayerError {
    #[error("no thread: {0}")]
    Thread(#[from] io::Error),
    #[error(transparent)]
    Database(#[from] BuildError),
    #[error(transparent)]
    Depths(#[from] StoreError),
    #[error(transparent)]
    Play(#[from] LookupError),
    #[error("internal error")]
    Internal,
}

/// An event of the searching thread for the thread that asked for a move.
enum Event {
    /// A line about the progress of the search.
    Progress(String),
    /// The move; none if there is no legal one.
    Chosen(Result<Option<Choice>, LookupError>),
}

struct Request {
    record: GameRecord,
    limits: Limits,
    events: Sender<Event>,
}

/// A thread that finds moves.
pub struct Player {
    /// The channel of requests, which is dropped to end the thread.
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
    /// Set to end the search.
    stop: Arc<AtomicBool>,
}

impl Player {
    /// Opens the database and starts the thread.
    pub fn start(board: &'static Board, settings: Settings) -> Result<Player, PlayerError> {
        let (requests, received) = channel();
        let (ready, is_ready) = channel();
        let run = move || match open(board, &settings) {
            Ok(opened) => serve(board, &settings, &opened, &ready, &received),
            // The receiver exists: the starting thread waits for this message.
            Err(error) => drop(ready.send(Err(error))),
        };
        let thread = Builder::new().name("search".into()).spawn(run)?;
        let stop = is_ready.recv().map_err(|_| PlayerError::Internal)??;
        Ok(Player { requests: Some(requests), thread: Some(thread), stop })
    }

    /// Finds a move at the end of a game; `None` if there is no legal one. Ends soon after
    /// `is_stopped` returns true, and passes lines of progress to `say`.
    ///
    /// # Errors
    /// [`PlayerError`]; the player cannot be used after that.
    pub fn choose(
        &self,
        record: GameRecord,
        limits: Limits,
        is_stopped: &dyn Fn() -> bool,
        say: &mut dyn FnMut(&str),
    ) -> Result<Option<Choice>, PlayerError> {
        self.stop.store(false, Ordering::Relaxed);
        let (events, received) = channel();
        let requests = self.requests.as_ref().ok_or(PlayerError::Internal)?;
        let request = Request { record, limits, events };
        requests.send(request).map_err(|_| PlayerError::Internal)?;
        loop {
            if is_stopped() {
                self.stop.store(true, Ordering::Relaxed);
            }
            match received.recv_timeout(POLL_INTERVAL) {
                Ok(Event::Progress(line)) => say(&line),
                Ok(Event::Chosen(choice)) => return Ok(choice?),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(PlayerError::Internal),
            }
        }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // The thread has panicked, or ends now.
            let _ = thread.join();
        }
    }
}

/// An open database with its depths.
struct Opened {
    values: Values,
    depths: Option<Depths>,
}

/// Opens the database, if one is to be used and exists.
fn open(board: &Board, settings: &Settings) -> Result<Opened, PlayerError> {
    let none = || Opened { values: Values::empty(board), depths: None };
    if !settings.is_database_used {
        return Ok(none());
    }
    let store = Store::new(&settings.database, board);
    let cover = match store.manifest() {
        Ok(manifest) => manifest.cover,
        Err(StoreError::Missing { .. }) => return Ok(none()),
        Err(error) => return Err(error.into()),
    };
    let mut session = BuildSession::new(&store, &cover, u64::MAX)?;
    session.use_tables();
    // A file that cannot be read during a search is treated like a missing one.
    let values = session.into_values(settings.database_mib << 20).going_on(|_| ());
    Ok(Opened { values, depths: Some(Depths::open(&settings.database, board)?) })
}

/// Answers requests until the player is dropped.
fn serve(
    board: &Board,
    settings: &Settings,
    opened: &Opened,
    ready: &Sender<Result<Arc<AtomicBool>, PlayerError>>,
    requests: &Receiver<Request>,
) {
    let engine = Heuristic::new(board, &opened.values)
        .with_threads(settings.threads)
        .with_memory(settings.table_mib << 20);
    if ready.send(Ok(engine.stop_flag())).is_err() {
        return;
    }
    let depths = opened.depths.as_ref();
    let lookup = Lookup { board, values: &opened.values, depths, proofs: &[] };
    let mut opponent = Opponent::new(lookup, engine);
    for Request { record, limits, events } in requests {
        opponent.limits = limits;
        let start = Instant::now();
        let choice = opponent.choose_and_report(&record, &mut |found| {
            let line = report::progress(board, record.position(), found, start.elapsed());
            // The thread that asked waits for the move.
            let _ = events.send(Event::Progress(line));
        });
        let _ = events.send(Event::Chosen(choice));
    }
}
