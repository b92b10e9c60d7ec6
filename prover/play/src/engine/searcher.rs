//! The searching thread: it opens the database, and does one job after another.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};

use super::command::{BadLine, Mode};
use super::parameters::Parameters;
use crate::board::{Game, Position};
use crate::book::Book;
use crate::egdb::{Depths, Value, Values};
use crate::lookup::{Found, Lookup, LookupError, ProvedPositions};
use crate::opponent::{GameRecord, Opponent, Source};
use draughtproof_proof::heuristic::{Analysis, Heuristic, Limits};

/// The budget of the search for the expected reply to a move that was not searched, in nodes.
const REPLY_NODES: u64 = 20_000;

/// An event of a session.
pub(super) enum Event {
    /// A line has come.
    Line(Result<String, BadLine>),
    /// No more lines will come.
    End,
    /// The database cannot be opened or read; the engine goes on without it.
    Fault(String),
    /// The jobs that were sent before are done.
    Ready,
    /// A depth of the search is finished.
    Depth(Analysis),
    /// The search has ended: with a move, without one if there is none, or with an error message.
    Done(Result<Option<Answer>, String>),
}

/// The settings with which an engine begins.
pub struct Setup<'a> {
    /// The game that is played.
    pub game: Game,
    /// The parameters, until a client sets others.
    pub parameters: Parameters,
    /// The limits of a search where a client sets none.
    pub limits: Limits,
    /// Opens the database that the parameters name, or returns the reason why it cannot.
    pub open: &'a (dyn Fn(&Parameters) -> Result<Opened, String> + Sync),
    /// The positions of certificates of the board.
    pub proofs: &'a [Arc<ProvedPositions>],
    /// A message about the first parameters, which were not to be had.
    pub fault: Option<String>,
}

/// A database that is open.
pub struct Opened {
    /// The values of the positions.
    pub values: Values,
    /// The depths, if the database has any.
    pub depths: Option<Depths>,
}

/// A job of the searching thread.
pub(super) enum Job {
    /// Open the database, and go on with these parameters.
    Configure(Parameters),
    /// Report that all earlier jobs are done.
    Ready,
    /// Clear the transposition table.
    NewGame,
    /// Find a move for the position at the end of a game.
    Search { record: Box<GameRecord>, mode: Mode, limits: Limits },
}

/// A move that was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pub(super) after: Position,
    /// The position after the expected reply, if there is one.
    pub(super) reply: Option<Position>,
    /// The value of the move if it is known without a search.
    pub(super) known: Option<Known>,
}

/// The value of a move that is known without a search.
#[derive(Debug, Clone, Copy)]
pub(super) enum Known {
    /// The value by the database, and the plies to the next capture, crowning or move of a man.
    Database(Value, Option<u32>),
    /// The value that a certificate proves; the side that moves does not lose.
    Proof(Value),
    /// The value by the book in hundredths of a man, and the depth of the book's search.
    Book(i32, u32),
}

/// Stops the search under way, in any of the searchers.
#[derive(Default)]
pub(super) struct Stopper(Mutex<Stopping>);

#[derive(Default)]
struct Stopping {
    is_asked: bool,
    flag: Arc<AtomicBool>,
}

impl Stopper {
    /// Asks the search to stop, or withdraws that.
    pub(super) fn ask(&self, stop: bool) {
        let mut stopping = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stopping.is_asked = stop;
        stopping.flag.store(stop, Ordering::Relaxed);
    }

    /// Makes this flag the one that stops the search.
    fn attach(&self, flag: Arc<AtomicBool>) {
        let mut stopping = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        flag.store(stopping.is_asked, Ordering::Relaxed);
        stopping.flag = flag;
    }
}

/// The state of the searching thread.
pub(super) struct Searcher<'a> {
    pub(super) setup: &'a Setup<'a>,
    pub(super) stopper: &'a Stopper,
    pub(super) jobs: Receiver<Job>,
    pub(super) events: SyncSender<Event>,
}

impl Searcher<'_> {
    /// Works until there are no more jobs. Jobs before the first parameters are dropped.
    pub(super) fn run(self) {
        let mut next = self.jobs.recv().ok();
        while let Some(job) = next {
            next = match job {
                Job::Configure(parameters) => self.configure(&parameters),
                _ => self.jobs.recv().ok(),
            };
        }
    }

    /// Works with one database up to the next job with other parameters; `None` at the end.
    fn configure(&self, parameters: &Parameters) -> Option<Job> {
        let none = || Opened { values: Values::empty(&self.setup.game.board), depths: None };
        let mut opened = match (self.setup.open)(parameters) {
            Ok(opened) => opened,
            Err(fault) => {
                self.events.send(Event::Fault(fault)).ok()?;
                none()
            }
        };
        let book = self.read_book(parameters)?;
        let mut first = None;
        loop {
            match self.play(parameters, &opened, &book, first.take())? {
                // The database cannot be read. The move is searched again without it.
                search @ Job::Search { .. } => {
                    opened = none();
                    first = Some(search);
                }
                job => return Some(job),
            }
        }
    }

    /// The book, empty if there is none; `None` at the end.
    fn read_book(&self, parameters: &Parameters) -> Option<Book> {
        if parameters.book.as_os_str().is_empty() {
            return Some(Book::default());
        }
        match Book::read(&parameters.book, &self.setup.game) {
            Ok(book) => Some(book),
            Err(error) => {
                self.events.send(Event::Fault(error.to_string())).ok()?;
                Some(Book::default())
            }
        }
    }

    /// Searches with one transposition table up to the next job with other parameters. Returns the
    /// search during which a file of the database could not be read.
    fn play(
        &self,
        parameters: &Parameters,
        opened: &Opened,
        book: &Book,
        mut first: Option<Job>,
    ) -> Option<Job> {
        let board = &self.setup.game.board;
        let engine = Heuristic::new(board, &opened.values)
            .with_threads(parameters.threads)
            .with_memory(parameters.hash);
        if let Some(lack) = engine.lack() {
            let fault = format!("hash: {lack}, the table is smaller");
            self.events.send(Event::Fault(fault)).ok()?;
        }
        self.stopper.attach(engine.stop_flag());
        let depths = opened.depths.as_ref();
        let proofs = self.setup.proofs;
        let found = Some(&Found::new(board, Found::MEMORY));
        let lookup = Lookup { board, values: &opened.values, depths, proofs, found };
        let limits = self.setup.limits;
        let mut opponent = Opponent { limits, ..Opponent::new(lookup, engine) };
        loop {
            let job = first.take().map_or_else(|| self.jobs.recv().ok(), Some)?;
            let (record, mode, limits) = match job {
                Job::Search { record, mode, limits } => (record, mode, limits),
                Job::Ready => {
                    opponent.engine.prepare();
                    self.events.send(Event::Ready).ok()?;
                    continue;
                }
                Job::NewGame => {
                    opponent.engine.forget();
                    continue;
                }
                job @ Job::Configure(_) => return Some(job),
            };
            opponent.limits = limits;
            let from_book = (mode != Mode::Analyse).then(|| by_book(book, record.position()));
            let answer = match from_book.flatten() {
                Some(answer) => Ok(Some(answer)),
                None => self.answer(&mut opponent, &record, mode, parameters.ponder),
            };
            if let Err(LookupError::Store(error)) = &answer {
                let fault = format!("no database is used: {error}");
                self.events.send(Event::Fault(fault)).ok()?;
                return Some(Job::Search { record, mode, limits });
            }
            self.events.send(Event::Done(answer.map_err(|e| e.to_string()))).ok()?;
        }
    }

    fn answer(
        &self,
        opponent: &mut Opponent,
        record: &GameRecord,
        mode: Mode,
        ponders: bool,
    ) -> Result<Option<Answer>, LookupError> {
        let mut line = Vec::new();
        let mut see = |analysis: &Analysis| {
            line.clone_from(&analysis.pv);
            // If the session no longer receives events, it is about to stop the search.
            let _ = self.events.send(Event::Depth(analysis.clone()));
        };
        let board = record.board();
        let position = record.position();
        if mode == Mode::Analyse && board.can_move(position) {
            let Opponent { engine, limits, .. } = opponent;
            let found = engine.search_after(&record.earlier(), position, *limits, &mut see);
            opponent.lookup.values.failure()?;
            if let [after, rest @ ..] = found.pv.as_slice() {
                let reply = rest.first().copied();
                return Ok(Some(Answer { after: *after, reply, known: None }));
            }
        }
        let Some(choice) = opponent.choose_and_report(record, &mut see)? else { return Ok(None) };
        let after = choice.after;
        let mut reply = line.get(1).copied().filter(|_| line[0] == after);
        if reply.is_none() && ponders && board.can_move(&after) {
            let limits = Limits { nodes: REPLY_NODES, ..Limits::default() };
            reply = opponent.engine.search(&after, limits, |_| ()).pv.first().copied();
            opponent.lookup.values.failure()?;
        }
        let known = match choice.source {
            Source::Database { value, depth } => Some(Known::Database(value, depth)),
            Source::Proof(question) if question.is_win() => Some(Known::Proof(Value::Win)),
            Source::Proof(_) => Some(Known::Proof(Value::Draw)),
            Source::OnlyMove | Source::Search { .. } => None,
        };
        Ok(Some(Answer { after, reply, known }))
    }
}

/// One of the best moves of the book, chosen at random.
fn by_book(book: &Book, position: &Position) -> Option<Answer> {
    // A new hasher of the standard library starts from a random number.
    let random = RandomState::new().build_hasher().finish();
    let chosen = book.choose(position, random)?;
    let reply = book.choose(&chosen.after, 0).map(|reply| reply.after);
    let known = Some(Known::Book(chosen.value, chosen.depth));
    Some(Answer { after: chosen.after, reply, known })
}
