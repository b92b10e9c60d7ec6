//! An engine as a process.
//!
//! Parses the lines of Hub engines: `command name=value name="a value" flag` (Fabien Letouzey,
//! `protocol.txt` of Scan, version 2, 2019). Positions and moves are written by
//! [`draughtproof_play::engine::notation`].

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Timeout of an engine's start, in which it may load a large database.
const START: Duration = Duration::from_secs(120);

/// The most lines that may wait to be read; an engine that writes more has to wait itself.
const MOST_LINES: usize = 1000;

/// Timeout of an engine's end after it was asked to quit.
const QUIT: Duration = Duration::from_millis(500);

/// The command and the parameters of an engine.
#[derive(Debug, Clone)]
pub struct EngineSetup {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The names of parameters and their values.
    pub parameters: Vec<(String, String)>,
}

/// The reason why an engine gives no move.
#[derive(Debug, Error)]
pub enum EngineError {
    #[error("{program} does not start: {source}")]
    Start { program: String, source: io::Error },
    #[error("crash: it ended{0}")]
    Ended(String),
    #[error("timeout: no {expected} after {seconds:.2} s{said}")]
    Late { expected: &'static str, seconds: f64, said: String },
    #[error("it has no parameter {name:?}; it has {known}")]
    Parameter { name: String, known: String },
}

/// A move, and the effort that it took.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The name of the move, as the engine wrote it.
    pub name: String,
    /// The last depth that the engine reported; 0 if it reported none.
    pub depth: f64,
    /// The seconds until the engine answered.
    pub seconds: f64,
}

/// A running engine, which is ended when this is dropped.
pub struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The name that the engine gives itself, with its version.
    pub name: String,
}

impl Engine {
    /// Starts an engine and sets its parameters; `threads` is 1 unless it is set.
    ///
    /// # Errors
    /// [`EngineError`] if it does not get ready.
    pub fn start(setup: &EngineSetup) -> Result<Engine, EngineError> {
        let mut engine = Engine::spawn(setup)?;
        engine.send("hub")?;
        let deadline = Instant::now() + START;
        let mut known: Vec<(String, String)> = Vec::new();
        loop {
            let line = engine.receive("wait", START, deadline)?;
            let text = |name| line.get(name).unwrap_or_default().to_owned();
            match line.command.as_str() {
                "id" => engine.name = format!("{} {}", text("name"), text("version")).trim().into(),
                "param" => known.push((text("name"), text("value"))),
                "wait" => break,
                _ => {}
            }
        }
        let mut values = vec![("threads".to_owned(), "1".to_owned())];
        values.retain(|(name, value)| known.iter().any(|(n, v)| n == name && v != value));
        values.extend(setup.parameters.iter().cloned());
        for (name, value) in values {
            if !known.iter().any(|(other, _)| *other == name) {
                let known: Vec<_> = known.into_iter().map(|(name, _)| name).collect();
                return Err(EngineError::Parameter { name, known: known.join(", ") });
            }
            engine.send(&format!("set-param name={name} value={}", quote(&value)))?;
        }
        engine.send("init")?;
        while engine.receive("ready", START, deadline)?.command != "ready" {}
        Ok(engine)
    }

    fn spawn(setup: &EngineSetup) -> Result<Engine, EngineError> {
        let program = setup.command.first().cloned().unwrap_or_default();
        let start = |source| EngineError::Start { program: program.clone(), source };
        let mut command = Command::new(&program);
        command.args(setup.command.iter().skip(1));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(start)?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| start(io::ErrorKind::BrokenPipe.into()))?;
        let (sender, lines) = sync_channel(MOST_LINES);
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        Ok(Engine { child, input, lines, name: program })
    }

    /// Makes the engine clear its transposition table for a new game.
    ///
    /// # Errors
    /// [`EngineError`]
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.send("new-game")
    }

    /// Lets the engine search the position after these moves for this time; it may take `margin`
    /// longer.
    ///
    /// # Errors
    /// [`EngineError`]
    pub fn think(
        &mut self,
        start: &str,
        moves: &[String],
        move_time: Duration,
        margin: Duration,
    ) -> Result<Answer, EngineError> {
        self.send(&format!("pos pos={start} moves=\"{}\"", moves.join(" ")))?;
        self.send(&format!("level move-time={}", move_time.as_secs_f64()))?;
        let began = Instant::now();
        self.send("go think")?;
        let (limit, mut depth, mut said) = (move_time + margin, 0.0, String::new());
        loop {
            let line = self.receive("move", limit, began + limit).map_err(|e| match e {
                EngineError::Late { expected, seconds, .. } => {
                    EngineError::Late { expected, seconds, said: said.clone() }
                }
                other => other,
            })?;
            match line.command.as_str() {
                "info" => depth = line.number("depth").unwrap_or(depth),
                "error" => said = format!(" ({})", line.get("message").unwrap_or_default()),
                "done" => {
                    let name = line.get("move").unwrap_or_default().to_owned();
                    return Ok(Answer { name, depth, seconds: began.elapsed().as_secs_f64() });
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, line: &str) -> Result<(), EngineError> {
        let written = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        written.map_err(|_| self.ended())
    }

    /// The next line, which must come by the deadline.
    fn receive(
        &mut self,
        expected: &'static str,
        limit: Duration,
        deadline: Instant,
    ) -> Result<Line, EngineError> {
        // An engine that never stops writing is late, too.
        let left = deadline.checked_duration_since(Instant::now());
        let received =
            left.map_or(Err(RecvTimeoutError::Timeout), |left| self.lines.recv_timeout(left));
        received.map(|line| Line::read(&line)).map_err(|error| match error {
            RecvTimeoutError::Disconnected => self.ended(),
            RecvTimeoutError::Timeout => {
                let seconds = limit.as_secs_f64();
                EngineError::Late { expected, seconds, said: String::new() }
            }
        })
    }

    fn ended(&mut self) -> EngineError {
        let status = self.wait(QUIT);
        EngineError::Ended(status.map_or(String::new(), |status| format!(" ({status})")))
    }

    /// The exit status, if the engine ends within this time.
    fn wait(&mut self, limit: Duration) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The engine is ended even if it ignores this command.
        let _ = self.send("quit");
        self.input = None;
        if self.wait(QUIT).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A line of an engine: its command and its arguments. A line of another form is parsed as far as
/// possible, since clients ignore text that they do not understand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The first word of the line.
    pub command: String,
    arguments: Vec<(String, String)>,
}

impl Line {
    /// Parses a line.
    pub fn read(text: &str) -> Line {
        let text = text.trim();
        let (command, mut rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut arguments = Vec::new();
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return Line { command: command.into(), arguments };
            }
            let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let (value, after) = after.strip_prefix('=').map_or(("", after), value);
            arguments.push((name.into(), value.into()));
            rest = after;
        }
    }

    /// The value of an argument, if it is there.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.arguments.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of an argument as a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

/// A value, in quotation marks or up to a blank, and the rest of the text.
fn value(text: &str) -> (&str, &str) {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => text.split_at(text.find(char::is_whitespace).unwrap_or(text.len())),
    }
}

/// Writes a value, in quotation marks if it needs them.
pub fn quote(value: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && c != '=' && c != '"';
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.into();
    }
    format!("\"{}\"", value.replace('"', ""))
}

#[cfg(test)]
mod tests {
    use super::{Line, quote};

    #[test]
    fn lines_of_engines() {
        let line = Line::read(" id name=\"Simple Checkers\" version=1.15  flag author=\"M. F.\" ");
        assert_eq!(line.command, "id");
        assert_eq!(line.get("name"), Some("Simple Checkers"));
        assert_eq!((line.number("version"), line.get("flag")), (Some(1.15), Some("")));
        assert_eq!((line.get("author"), line.get("country")), (Some("M. F."), None));
        assert_eq!(Line::read("wait").command, "wait");
        // No line is refused.
        assert_eq!(Line::read("a b=\"c d").get("b"), Some("c d"));
        assert_eq!(Line::read("info depth=NaN").number("depth"), None);
        assert_eq!([quote("a"), quote("a b"), quote("")], ["a", "\"a b\"", "\"\""]);
    }
}
