//! The searching thread. It has the database open and keeps its transposition table from one move
//! to the next; the thread that asks for a move stays free to stop it.

use std::ffi::c_int;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle, available_parallelism};
use std::time::{Duration, Instant};

use draughtproof_egdb::numbers::{self, grouped};
use draughtproof_egdb::{BuildError, BuildSession, Depths, Store, StoreError, Values};
use draughtproof_game::{Board, Position};
use draughtproof_play::lookup::{Found, Lookup, LookupError};
use draughtproof_play::opponent::{Choice, GameRecord, Opponent};
use draughtproof_proof::heuristic::{Analysis, Heuristic, Limits};
use thiserror::Error;

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
    let found = Some(&Found::new(board, Found::MEMORY));
    let lookup = Lookup { board, values: &opened.values, depths, proofs: &[], found };
    let mut opponent = Opponent::new(lookup, engine);
    for Request { record, limits, events } in requests {
        opponent.limits = limits;
        let start = Instant::now();
        let choice = opponent.choose_and_report(&record, &mut |found| {
            let line = progress(board, record.position(), found, start.elapsed());
            // The thread that asked waits for the move.
            let _ = events.send(Event::Progress(line));
        });
        let _ = events.send(Event::Chosen(choice));
    }
}

/// The shift of the two bits of `info` that hold the unit of the game's time in `moreinfo`.
const UNIT_SHIFT: u32 = 2;
/// The milliseconds of the units 1, 2 and 3; unit 0 means that there is no such time.
const UNITS: [u64; 3] = [1, 10, 100];
/// The divisor of the time left in a game that gives the time for one move.
const MOVES_LEFT: u32 = 20;

/// The time for a move: `maxtime` seconds or, if `info` says so, a share of a game's clock; `None`
/// for no limit.
///
/// `moreinfo` has the time left in its upper half and the increment a move in its lower half.
pub fn time_of_move(maxtime: f64, info: c_int, moreinfo: c_int) -> Option<Duration> {
    let units = usize::try_from((info >> UNIT_SHIFT) & 3).unwrap_or(0);
    let unit = units.checked_sub(1).and_then(|unit| UNITS.get(unit));
    let Some(unit) = unit else {
        let is_bounded = maxtime.is_nan() || maxtime < Duration::MAX.as_secs_f64();
        return is_bounded.then(|| Duration::try_from_secs_f64(maxtime).unwrap_or_default());
    };
    let [high, higher, low, lower] = moreinfo.to_be_bytes();
    let time = |bytes| Duration::from_millis(u64::from(u16::from_be_bytes(bytes)) * unit);
    let left = time([high, higher]);
    let increment = time([low, lower]);
    // A tenth is kept for delays between the programs.
    Some((increment + left / MOVES_LEFT).min(left * 9 / 10))
}

/// The settings of an engine. Sizes are in MiB, as in the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The directory of databases; the database of the board is its subdirectory `8x8`.
    pub database: PathBuf,
    pub is_database_used: bool,
    /// The memory for decoded values of slices without a mapped table, in MiB.
    pub database_mib: u64,
    /// The memory of the transposition table, in MiB.
    pub table_mib: u64,
    pub threads: usize,
}

impl Settings {
    /// The largest accepted size, in MiB: 64 GiB.
    pub const MOST_MIB: u64 = 64 << 10;
    /// The largest accepted number of threads.
    pub const MOST_THREADS: u64 = 256;
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            database: "egdb".into(),
            is_database_used: true,
            database_mib: 256,
            table_mib: 64,
            threads: processors(),
        }
    }
}

/// The number of processors of this machine.
pub fn processors() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// The most moves of a line of play that are shown.
const MOST_MOVES: usize = 12;

/// A line about a search: depth, value, nodes, speed and principal variation.
fn progress(board: &Board, position: &Position, found: &Analysis, elapsed: Duration) -> String {
    let Analysis { depth, nodes, score, proven, .. } = found;
    let value = if proven.value().is_some() { proven.to_string() } else { numbers::score(*score) };
    let per_second = u128::from(*nodes) * 1000 / elapsed.as_millis().max(1);
    let per_second = u64::try_from(per_second).unwrap_or(u64::MAX);
    let line = line(board, position, &found.pv);
    let [nodes, speed] = [*nodes, per_second].map(grouped);
    format!("depth {depth}  value {value}  {nodes} nodes  {speed} nodes/s  {line}")
}

/// The names of the moves of a line, at most [`MOST_MOVES`].
fn line(board: &Board, position: &Position, after: &[Position]) -> String {
    let before = std::iter::once(position).chain(after);
    let moves = before.zip(after).take(MOST_MOVES);
    let names = moves.map_while(|(before, after)| board.write_move(before, after).ok());
    names.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{progress, time_of_move};
    use draughtproof_egdb::{Value, ValueRange};
    use draughtproof_game::Game;
    use draughtproof_proof::heuristic::Analysis;

    #[test]
    fn seconds_of_a_move() {
        let time = |seconds| time_of_move(seconds, 3, -1);
        assert_eq!(time(0.25), Some(Duration::from_millis(250)));
        for none in [0.0, -1.0, -1e300, f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(time(none), Some(Duration::ZERO), "{none}");
        }
        assert_eq!(time(f64::INFINITY), None);
        assert_eq!(time(1e300), None);
    }

    #[test]
    fn the_clock_of_a_game() {
        // 40 seconds left, 2 a move, in units of 0.01 s.
        let moreinfo = (4000 << 16) | 200;
        assert_eq!(time_of_move(1.0, 2 << 2, moreinfo), Some(Duration::from_secs(4)));
        // One second is left, so a move takes no more than that.
        let moreinfo = (10 << 16) | 200;
        assert_eq!(time_of_move(1.0, 3 << 2, moreinfo), Some(Duration::from_millis(900)));
        // All bits set are a large time, not a negative one.
        assert_eq!(time_of_move(1.0, 1 << 2, -1), Some(Duration::from_micros(58_981_500)));
    }

    #[test]
    fn a_line_of_progress() {
        let game: Game = "8x8".parse().unwrap();
        let pv = game.board.read_line(&game.start(), "11-15 23-19 8-11").unwrap();
        let mut found = Analysis {
            score: -124,
            depth: 3,
            nodes: 5000,
            pv,
            proven: ValueRange::AT_LEAST_DRAW,
            ends_in_draw: false,
        };
        let shown =
            |found: &Analysis| progress(&game.board, &game.start(), found, Duration::from_secs(2));
        let line = "5,000 nodes  2,500 nodes/s  11-15 23-19 8-11";
        assert_eq!(shown(&found), format!("depth 3  value -1.24  {line}"));
        found.proven = ValueRange::exact(Value::Draw);
        assert_eq!(shown(&found), format!("depth 3  value draw  {line}"));
    }
}
