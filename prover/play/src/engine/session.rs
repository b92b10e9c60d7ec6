//! A conversation in Hub: a single thread handles the lines of the client and the results of the
//! searching thread, in the order in which they come, and keeps the time.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::clock::{Allowance, Pace};
use super::command::{Command, Level, Mode, parse, read_line};
use super::notation::{read_move, read_position};
use super::parameters::Parameters;
use super::reply;
use super::searcher::{Answer, Event, Job, Searcher, Setup, Stopper};
use crate::board::MoveError;
use crate::opponent::GameRecord;
use certificate_spec::text::without_mark;
use draughtproof_proof::heuristic::{Analysis, Limits};

/// The most events that wait; a sender with more events waits with them.
const QUEUE: usize = 64;

/// The time of a move whose level was refused, if no search before it had a time.
const AFTER_REFUSED: Duration = Duration::from_secs(1);

/// The message about a position in which the side to move has lost.
const NO_LEGAL_MOVE: &str = "go: expected a position with a legal move, found none";

/// Speaks Hub until `quit` or the end of the input.
///
/// # Errors
/// When the output cannot be written.
pub fn run(setup: &Setup, input: impl Read + Send + 'static, out: impl Write) -> io::Result<()> {
    let (events, received) = sync_channel(QUEUE);
    let (jobs, work) = channel();
    let stopper = Stopper::default();
    let reading = events.clone();
    // The reading thread may wait for input when the session is over, so it is not joined.
    thread::spawn(move || send_lines(BufReader::new(input), &reading));
    thread::scope(|scope| {
        let searcher = Searcher { setup, stopper: &stopper, jobs: work, events };
        scope.spawn(|| searcher.run());
        let result = Session::new(setup, &stopper, jobs, out).serve(received);
        stopper.ask(true);
        result
    })
}

fn send_lines(mut input: impl BufRead, events: &SyncSender<Event>) {
    // An error of reading ends the input.
    while let Ok(Some(line)) = read_line(&mut input) {
        if events.send(Event::Line(line)).is_err() {
            return;
        }
    }
    // If the session is over, it receives no events.
    let _ = events.send(Event::End);
}

/// A search under way.
struct Running {
    /// The time at which it began.
    start: Instant,
    /// The time from which the clock runs, if it runs.
    clock: Option<Instant>,
    allowance: Allowance,
    pace: Pace,
    /// Whether the search goes on until `stop`, even if the value is proved.
    is_infinite: bool,
    is_stopped: bool,
    /// The line `done` of a search that has ended before its answer may be given.
    held: Option<String>,
}

impl Running {
    /// Whether the answer has to wait: for the expected move, or for `stop`.
    fn must_wait(&self) -> bool {
        self.clock.is_none() || (self.is_infinite && !self.is_stopped)
    }
}

/// The state of a conversation.
struct Session<'a, W> {
    setup: &'a Setup<'a>,
    stopper: &'a Stopper,
    jobs: Sender<Job>,
    out: W,
    parameters: Parameters,
    /// Whether the searching thread has these parameters.
    is_configured: bool,
    record: GameRecord,
    level: Level,
    /// The level of the last search to which a client gave a time.
    last_timed: Level,
    /// Whether a line `level` was refused since the last search.
    is_level_refused: bool,
    running: Option<Running>,
}

impl<'a, W: Write> Session<'a, W> {
    fn new(setup: &'a Setup<'a>, stopper: &'a Stopper, jobs: Sender<Job>, out: W) -> Self {
        let record = GameRecord::new(setup.game.clone(), setup.game.start());
        let parameters = setup.parameters.clone();
        Session {
            setup,
            stopper,
            jobs,
            out,
            parameters,
            is_configured: false,
            record,
            level: Level::default(),
            last_timed: Level::default(),
            is_level_refused: false,
            running: None,
        }
    }

    fn serve(mut self, events: Receiver<Event>) -> io::Result<()> {
        if let Some(fault) = &self.setup.fault {
            self.say(&reply::error(fault))?;
        }
        // Whether `quit` or the end of the input has come.
        let mut is_over = false;
        loop {
            // A search that was stopped is still answered, which takes a moment.
            if is_over && !self.running.as_ref().is_some_and(|running| running.is_stopped) {
                return Ok(());
            }
            let event = match self.deadline() {
                Some(end) => events.recv_timeout(end.saturating_duration_since(Instant::now())),
                None => events.recv().map_err(RecvTimeoutError::from),
            };
            match event {
                Ok(Event::Line(_)) if is_over => {}
                Ok(Event::Line(Ok(line))) => is_over = !self.obey(&line)?,
                Ok(Event::Line(Err(bad))) => self.say(&reply::error(&bad.to_string()))?,
                Ok(Event::Fault(fault)) => self.say(&reply::error(&fault))?,
                Ok(Event::Ready) => self.say("ready")?,
                Ok(Event::Depth(analysis)) => self.finish_depth(&analysis)?,
                Ok(Event::Done(found)) => self.finish_search(found)?,
                Err(RecvTimeoutError::Timeout) => self.stop(),
                Ok(Event::End) => is_over = true,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    /// Writes a line and flushes it, since clients wait for each line.
    fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")?;
        self.out.flush()
    }

    /// Obeys a line; returns whether the conversation goes on.
    fn obey(&mut self, line: &str) -> io::Result<bool> {
        let line = without_mark(line);
        let command = match parse(line) {
            Ok(Some(command)) => command,
            Ok(None) => return Ok(true),
            Err(error) => {
                self.is_level_refused |= line.trim_start().starts_with("level");
                return self.say(&reply::error(&error.to_string())).map(|()| true);
            }
        };
        match command {
            Command::Quit => return Ok(false),
            Command::Ping => self.say("pong")?,
            Command::Stop => self.end_search()?,
            Command::PonderHit => self.start_clock()?,
            command if self.running.is_some() => {
                self.is_level_refused |= matches!(command, Command::Level(_));
                let what = "expected ping, stop, ponder-hit or quit while a search is under way";
                self.say(&reply::error(what))?;
            }
            command => self.prepare(command)?,
        }
        Ok(true)
    }

    /// Obeys a command that is allowed only while no search is under way.
    fn prepare(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Hub => self.introduce()?,
            Command::SetParam { name, value } => match self.parameters.set(&name, &value) {
                Ok(()) => self.is_configured = false,
                Err(error) => self.say(&reply::error(&error.to_string()))?,
            },
            Command::Init => {
                self.configure();
                self.order(Job::Ready);
            }
            Command::NewGame => self.order(Job::NewGame),
            Command::Pos { position, moves } => {
                match self.read_record(position.as_deref(), &moves) {
                    Ok(record) => self.record = record,
                    Err(message) => self.say(&reply::error(&message))?,
                }
            }
            Command::Level(level) => self.level = self.level.and(level),
            Command::Go(mode) => self.start_search(mode),
            // These commands are obeyed at any time.
            Command::Quit | Command::Ping | Command::Stop | Command::PonderHit => {}
        }
        Ok(())
    }

    fn introduce(&mut self) -> io::Result<()> {
        self.say(concat!("id name=Draughtproof version=", env!("CARGO_PKG_VERSION")))?;
        for line in self.parameters.declare() {
            self.say(&line)?;
        }
        self.say("wait")
    }

    /// Sends a job. The searching thread lives as long as the session.
    fn order(&self, job: Job) {
        let _ = self.jobs.send(job);
    }

    /// Makes sure that the searching thread has the parameters.
    fn configure(&mut self) {
        if !std::mem::replace(&mut self.is_configured, true) {
            self.order(Job::Configure(self.parameters.clone()));
        }
    }

    fn read_record(&self, position: Option<&str>, moves: &str) -> Result<GameRecord, String> {
        let game = &self.setup.game;
        let start = match position {
            Some(text) => read_position(&game.board, text).map_err(|e| e.to_string())?,
            None => game.start(),
        };
        let mut record = GameRecord::new(game.clone(), start);
        for name in moves.split_whitespace() {
            let after = read_move(&game.board, record.position(), name);
            after.and_then(|after| record.push(after)).map_err(|e| e.to_string())?;
        }
        Ok(record)
    }

    /// Starts a search within the level, which holds for this search only.
    fn start_search(&mut self, mode: Mode) {
        self.configure();
        let mut level = std::mem::take(&mut self.level);
        let is_refused = std::mem::take(&mut self.is_level_refused) && mode != Mode::Analyse;
        if level.is_timed() {
            self.last_timed = level;
        } else if is_refused && !level.infinite {
            level = self.level_after_refused(level);
        } else if level == Level::default() {
            level = self.usual_level(mode);
        }
        // An infinite search has no time limit.
        let level = match level.infinite {
            true => Level { move_time: None, clock: None, ..level },
            false => level,
        };
        let limits = Limits {
            depth: level.depth.unwrap_or(Limits::DEPTH),
            nodes: level.nodes.unwrap_or(u64::MAX),
            // The session stops the search when its time is over.
            time: None,
        };
        let start = Instant::now();
        self.stopper.ask(false);
        self.order(Job::Search { record: Box::new(self.record.clone()), mode, limits });
        self.running = Some(Running {
            start,
            clock: (mode != Mode::Ponder).then_some(start),
            allowance: Allowance::new(&level, self.parameters.ponder),
            pace: Pace::default(),
            is_infinite: level.infinite,
            is_stopped: false,
            held: None,
        });
    }

    /// The level where the client set none: an analysis goes on until it is stopped.
    fn usual_level(&self, mode: Mode) -> Level {
        let Limits { depth, nodes, time } = self.setup.limits;
        match mode {
            // Without a legal move there is nothing to analyse.
            Mode::Analyse => {
                let infinite = self.record.board().can_move(self.record.position());
                Level { infinite, ..Level::default() }
            }
            Mode::Think | Mode::Ponder => Level {
                depth: Some(depth),
                nodes: Some(nodes),
                move_time: time,
                ..Level::default()
            },
        }
    }

    /// The level of a search for which a line `level` was refused: it has a time even so, the one
    /// of an earlier search or a short one.
    fn level_after_refused(&self, level: Level) -> Level {
        let usual = self.usual_level(Mode::Think);
        let level = if level == Level::default() { usual } else { level };
        let Level { move_time, clock, .. } = self.last_timed;
        if self.last_timed.is_timed() {
            return Level { move_time, clock, ..level };
        }
        let move_time = usual.move_time.map_or(AFTER_REFUSED, |time| time.min(AFTER_REFUSED));
        Level { move_time: Some(move_time), ..level }
    }

    /// The time at which the search must end.
    fn deadline(&self) -> Option<Instant> {
        let running = self.running.as_ref().filter(|running| !running.is_stopped)?;
        running.clock?.checked_add(running.allowance.hard?)
    }

    fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            running.is_stopped = true;
            self.stopper.ask(true);
        }
    }

    /// Ends the search, and gives an answer that was held back.
    fn end_search(&mut self) -> io::Result<()> {
        let now = Instant::now();
        self.stop();
        self.release(now)
    }

    /// Starts the clock, since the expected move was made.
    fn start_clock(&mut self) -> io::Result<()> {
        let now = Instant::now();
        if let Some(running) = &self.running
            && running.clock.is_none()
            && running.allowance.soft.is_some_and(|soft| now - running.start > soft)
        {
            // Pondering has already taken longer than the move would have.
            self.stop();
        }
        self.release(now)
    }

    /// Lets the clock run from `now` on; gives an answer that was held back, unless it has to wait.
    fn release(&mut self, now: Instant) -> io::Result<()> {
        let Some(running) = &mut self.running else { return Ok(()) };
        running.clock.get_or_insert(now);
        if running.must_wait() {
            return Ok(());
        }
        match running.held.take() {
            Some(done) => self.answer(&done),
            None => Ok(()),
        }
    }

    /// Writes the last line of a search, which is over then.
    fn answer(&mut self, done: &str) -> io::Result<()> {
        self.running = None;
        self.say(done)
    }

    fn finish_depth(&mut self, analysis: &Analysis) -> io::Result<()> {
        let Some(running) = &mut self.running else { return Ok(()) };
        let time = running.start.elapsed();
        running.pace.finish_depth(time);
        let soft = running.allowance.soft.filter(|_| running.clock.is_some());
        let is_last = soft.is_some_and(|soft| running.pace.next_end() > soft);
        if is_last {
            self.stop();
        }
        let line = reply::depth(self.record.board(), self.record.position(), analysis, time);
        self.say_line(line)
    }

    /// Takes the result of a search, and ends it unless its answer has to wait.
    fn finish_search(&mut self, found: Result<Option<Answer>, String>) -> io::Result<()> {
        let board = self.record.board();
        let position = self.record.position();
        let (answer, fault) = match found {
            Ok(Some(answer)) => (Some(answer), None),
            Ok(None) => (None, Some(NO_LEGAL_MOVE.to_owned())),
            Err(message) => (None, Some(message)),
        };
        let known = answer.as_ref().map_or(Ok(None), |a| reply::known(board, position, a));
        let done = reply::done(board, position, answer.as_ref());
        if let Some(message) = fault {
            self.say(&reply::error(&message))?;
        }
        if let Some(known) = known.transpose() {
            self.say_line(known)?;
        }
        let done = match done {
            Ok(done) => done,
            Err(error) => {
                self.say(&reply::error(&error.to_string()))?;
                reply::NO_MOVE.into()
            }
        };
        match &mut self.running {
            Some(running) if running.must_wait() => running.held = Some(done),
            _ => self.answer(&done)?,
        }
        Ok(())
    }

    /// Writes a line, or the error by which it could not be made.
    fn say_line(&mut self, line: Result<String, MoveError>) -> io::Result<()> {
        match line {
            Ok(line) => self.say(&line),
            Err(error) => self.say(&reply::error(&error.to_string())),
        }
    }
}
