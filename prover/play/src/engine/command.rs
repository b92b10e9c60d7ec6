//! Lines of Hub as commands: `command name=value name="a value" flag`. Arguments with unknown names
//! are ignored, as the protocol requires; any other fault is an error.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use thiserror::Error;

/// A command to the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Print the engine's name and parameters.
    Hub,
    SetParam {
        /// The name of the parameter.
        name: String,
        /// The new value, as text.
        value: String,
    },
    /// Get ready.
    Init,
    /// Clear the transposition table.
    NewGame,
    /// Set the position.
    Pos {
        /// The position in Hub's notation; the start of the game if there is none.
        position: Option<String>,
        /// The moves made since, separated by blanks.
        moves: String,
    },
    /// Set limits of the next search, in addition to those set before.
    Level(Level),
    /// Begin a search.
    Go(Mode),
    /// End the search, and answer.
    Stop,
    /// The expected move was made; the clock runs from now on.
    PonderHit,
    /// Answer at once.
    Ping,
    /// End the program.
    Quit,
}

/// The purpose of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Find a move.
    Think,
    /// Find a move, provided that the other side makes the expected move, which is in the position.
    Ponder,
    /// Find a score and a principal variation.
    Analyse,
}

/// The limits of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Level {
    /// The greatest depth, in moves.
    pub depth: Option<u32>,
    /// The most nodes of the search.
    pub nodes: Option<u64>,
    pub move_time: Option<Duration>,
    /// The clock of the game.
    pub clock: Option<Clock>,
    /// Whether the search goes on until it is stopped.
    pub infinite: bool,
}

/// The time of a game that is left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// The time left for the coming moves, including the increment of the first of them.
    pub left: Duration,
    /// The time that is added before each move.
    pub increment: Duration,
    /// The number of these moves; all moves to the end of the game if there is none.
    pub moves: Option<u32>,
}

impl Level {
    /// These limits, replaced or completed by those of another line.
    pub fn and(self, later: Level) -> Level {
        Level {
            depth: later.depth.or(self.depth),
            nodes: later.nodes.or(self.nodes),
            move_time: later.move_time.or(self.move_time),
            clock: later.clock.or(self.clock),
            infinite: later.infinite || self.infinite,
        }
    }

    /// Whether a time limits the search.
    pub fn is_timed(&self) -> bool {
        !self.infinite && (self.move_time.is_some() || self.clock.is_some())
    }
}

/// A line that is no command.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommandError {
    #[error("character {place}: expected {expected}, found {found}")]
    Syntax { place: usize, expected: &'static str, found: String },
    #[error(
        "expected hub, set-param, init, new-game, pos, level, go, stop, ponder-hit, ping or quit, found \
         {0:?}"
    )]
    Unknown(String),
    #[error("{name}: expected {expected}, found {found}")]
    Argument { name: &'static str, expected: &'static str, found: String },
}

/// Parses a line; `None` if it is empty.
pub fn parse(line: &str) -> Result<Option<Command>, CommandError> {
    let mut scanner = Scanner { line, at: 0 };
    scanner.skip_blanks();
    if scanner.rest().is_empty() {
        return Ok(None);
    }
    let command = scanner.name("a command")?;
    let arguments = Arguments::read(&mut scanner)?;
    Ok(Some(match command {
        "hub" => Command::Hub,
        "set-param" => Command::SetParam {
            name: arguments.required("name")?.into(),
            value: arguments.required("value")?.into(),
        },
        "init" => Command::Init,
        "new-game" => Command::NewGame,
        "pos" => Command::Pos {
            position: arguments.get("pos").map(Into::into),
            moves: arguments.get("moves").unwrap_or_default().into(),
        },
        "level" => Command::Level(arguments.level()?),
        "go" => Command::Go(arguments.mode()?),
        "stop" => Command::Stop,
        "ponder-hit" => Command::PonderHit,
        "ping" => Command::Ping,
        "quit" => Command::Quit,
        unknown => return Err(CommandError::Unknown(unknown.into())),
    }))
}

/// The most arguments of a line, more than any command has, including unknown ones.
const MOST_ARGUMENTS: usize = 64;
/// Times beyond this, in seconds, are no limit: about thirty years.
const MOST_SECONDS: f64 = 1e9;

/// The arguments of a line; a flag has the value "".
struct Arguments<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Arguments<'a> {
    fn read(scanner: &mut Scanner<'a>) -> Result<Self, CommandError> {
        let mut arguments = Vec::new();
        while let Some(argument) = scanner.argument()? {
            if arguments.len() == MOST_ARGUMENTS {
                return Err(scanner.error("at most 64 arguments"));
            }
            arguments.push(argument);
        }
        Ok(Arguments(arguments))
    }

    /// The value of an argument; the last one if there are several.
    fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    fn required(&self, name: &'static str) -> Result<&'a str, CommandError> {
        self.get(name).ok_or_else(|| CommandError::Argument {
            name,
            expected: "a value",
            found: "none".into(),
        })
    }

    /// The value of an argument as `read` parses it, if the argument is there.
    fn read_as<T>(
        &self,
        name: &'static str,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, CommandError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        match read(text) {
            Some(value) => Ok(Some(value)),
            None => Err(CommandError::Argument { name, expected, found: format!("{text:?}") }),
        }
    }

    /// A number of seconds, which may be negative.
    fn seconds(&self, name: &'static str) -> Result<Option<f64>, CommandError> {
        self.read_as(name, "a number of seconds", |text| {
            text.parse().ok().filter(|seconds: &f64| seconds.is_finite())
        })
    }

    fn level(&self) -> Result<Level, CommandError> {
        let whole = "a whole number from 1";
        Ok(Level {
            depth: self.read_as("depth", whole, |d| d.parse().ok().filter(|d| *d > 0))?,
            nodes: self.read_as("nodes", whole, |n| n.parse().ok().filter(|n| *n > 0))?,
            move_time: self.seconds("move-time")?.map(duration),
            clock: self.clock()?,
            infinite: self.get("infinite").is_some(),
        })
    }

    fn clock(&self) -> Result<Option<Clock>, CommandError> {
        let increment = self.seconds("inc")?;
        // Some programs write 0 for all moves to the end.
        let moves = self.read_as("moves", "a whole number", |moves| moves.parse().ok())?;
        if increment.is_none() && moves.is_none() && self.get("time").is_none() {
            return Ok(None);
        }
        self.required("time")?;
        let time = self.seconds("time")?.unwrap_or_default();
        let increment = increment.unwrap_or_default();
        Ok(Some(Clock {
            left: duration(time + increment),
            increment: duration(increment),
            moves: moves.filter(|moves| *moves > 0),
        }))
    }

    fn mode(&self) -> Result<Mode, CommandError> {
        let is_there = |name| self.get(name).is_some();
        match () {
            () if is_there("ponder") => Ok(Mode::Ponder),
            () if is_there("analyze") || is_there("analyse") => Ok(Mode::Analyse),
            () if is_there("think") => Ok(Mode::Think),
            () => Err(CommandError::Argument {
                name: "go",
                expected: "think, ponder or analyze",
                found: self.0.first().map_or("nothing".into(), |(name, _)| format!("{name:?}")),
            }),
        }
    }
}

/// A number of seconds as a duration, clamped to the allowed range.
fn duration(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.0, MOST_SECONDS))
}

struct Scanner<'a> {
    line: &'a str,
    /// The offset of the next byte.
    at: usize,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    fn error(&self, expected: &'static str) -> CommandError {
        let found = self.rest().chars().next();
        CommandError::Syntax {
            place: self.line[..self.at].chars().count() + 1,
            expected,
            found: found.map_or("the end".into(), |c| format!("{c:?}")),
        }
    }

    fn skip_blanks(&mut self) {
        self.at = self.line.len() - self.rest().trim_start_matches([' ', '\t']).len();
    }

    /// Takes the text up to a character at which it ends.
    fn take(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let text = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += text.len();
        text
    }

    fn name(&mut self, expected: &'static str) -> Result<&'a str, CommandError> {
        let name = self.take(|c| c.is_control() || c.is_whitespace() || c == '=' || c == '"');
        if name.is_empty() { Err(self.error(expected)) } else { Ok(name) }
    }

    /// The next argument, if there is one.
    fn argument(&mut self) -> Result<Option<(&'a str, &'a str)>, CommandError> {
        self.skip_blanks();
        if self.rest().is_empty() {
            return Ok(None);
        }
        let name = self.name("an argument")?;
        if !self.rest().starts_with('=') {
            return Ok(Some((name, "")));
        }
        self.at += 1;
        if !self.rest().starts_with('"') {
            return Ok(Some((name, self.name("a value")?)));
        }
        self.at += 1;
        let value = self.take(|c| c.is_control() || c == '"');
        if !self.rest().starts_with('"') {
            return Err(self.error("a character of a value, or the quotation mark at its end"));
        }
        self.at += 1;
        Ok(Some((name, value)))
    }
}

/// The most bytes of a line: a position and more than 100,000 moves.
pub(super) const MOST_BYTES: usize = 1 << 20;

/// A line that is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum BadLine {
    #[error("expected a line of at most {MOST_BYTES} bytes, found a longer one")]
    TooLong,
    #[error("expected a line in UTF-8, found other bytes")]
    NotText,
}

/// Reads a line, without its end; `None` at the end of the input. The rest of a line that is too
/// long is skipped.
pub(super) fn read_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, BadLine>>> {
    let mut line = Vec::new();
    input.by_ref().take(MOST_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let is_whole = line.pop_if(|last| *last == b'\n').is_some();
    if line.len() > MOST_BYTES {
        if !is_whole {
            input.skip_until(b'\n')?;
        }
        return Ok(Some(Err(BadLine::TooLong)));
    }
    line.pop_if(|last| *last == b'\r');
    Ok(Some(String::from_utf8(line).map_err(|_| BadLine::NotText)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Clock, Command, Level, Mode, parse};

    fn level(line: &str) -> Level {
        match parse(line) {
            Ok(Some(Command::Level(level))) => level,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn commands_and_their_arguments() {
        let read = |line| parse(line).unwrap().unwrap();
        assert_eq!(parse(" \t"), Ok(None));
        assert_eq!(read("  ping  "), Command::Ping);
        assert_eq!(read("go ponder"), Command::Go(Mode::Ponder));
        let set = Command::SetParam { name: "db".into(), value: "a b=c".into() };
        assert_eq!(read("set-param new name=db value=\"a b=c\""), set);
        let pos = Command::Pos { position: Some("Wbe".into()), moves: "1-2 3-4".into() };
        assert_eq!(read("pos pos=Wbe moves=\"1-2 3-4\""), pos);
        assert_eq!(read("pos start"), Command::Pos { position: None, moves: String::new() });
    }

    #[test]
    fn levels() {
        let clock = |left, increment, moves| {
            let left = Duration::from_millis(left);
            let increment = Duration::from_millis(increment);
            Level { clock: Some(Clock { left, increment, moves }), ..Level::default() }
        };
        assert_eq!(level("level moves=9 time=291.5"), clock(291_500, 0, Some(9)));
        // The increment is added before a move; some programs subtract it first.
        assert_eq!(level("level time=-0.5 inc=2"), clock(1_500, 2_000, None));
        assert_eq!(level("level time=-9 inc=2 moves=0"), clock(0, 2_000, None));
        assert!(level("level infinite").infinite);
        let both = level("level depth=7").and(level("level nodes=100 depth=9"));
        assert_eq!((both.depth, both.nodes), (Some(9), Some(100)));
        assert_eq!(
            level("level move-time=1e99").move_time,
            Some(Duration::from_secs(1 << 30)).min(Some(Duration::from_secs(1_000_000_000)))
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, message) in [
            ("=", "character 1: expected a command, found '='"),
            ("go \u{7}", "character 4: expected an argument, found '\\u{7}'"),
            (
                "pos moves=\"1-2",
                "character 15: expected a character of a value, or the quotation mark at its end, found the end",
            ),
            ("pos moves= ", "character 11: expected a value, found ' '"),
            ("level depth=0", "depth: expected a whole number from 1, found \"0\""),
            ("level time=NaN", "time: expected a number of seconds, found \"NaN\""),
            ("level inc=1", "time: expected a value, found none"),
            ("set-param name=db", "value: expected a value, found none"),
            ("go", "go: expected think, ponder or analyze, found nothing"),
            (
                "uci",
                "expected hub, set-param, init, new-game, pos, level, go, stop, ponder-hit, ping or quit, found \"uci\"",
            ),
        ] {
            assert_eq!(parse(line).unwrap_err().to_string(), message, "{line}");
        }
        assert!(parse(&["go".into(), "x ".repeat(65)].join(" ")).is_err());
    }
}

#[cfg(test)]
mod input_tests {
    use std::io::{BufReader, Read, repeat};

    use super::{BadLine, MOST_BYTES, read_line};

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let long = repeat(b'x').take(5 * MOST_BYTES as u64);
        let bytes = b"hub\r\n\n".chain(long).chain(&b"\n\xff\nping"[..]);
        let mut input = BufReader::new(bytes);
        let mut next = || read_line(&mut input).unwrap();
        assert_eq!(next(), Some(Ok("hub".into())));
        assert_eq!(next(), Some(Ok(String::new())));
        assert_eq!(next(), Some(Err(BadLine::TooLong)));
        assert_eq!(next(), Some(Err(BadLine::NotText)));
        assert_eq!(next(), Some(Ok("ping".into())));
        assert_eq!(next(), None);
    }

    #[test]
    fn a_line_of_just_so_many_bytes_is_read() {
        for (bytes, is_read) in [(MOST_BYTES, true), (MOST_BYTES + 1, false)] {
            let text = ["x".repeat(bytes), "ping".into()].join("\n");
            let mut input = text.as_bytes();
            assert_eq!(read_line(&mut input).unwrap().unwrap().is_ok(), is_read);
            assert_eq!(read_line(&mut input).unwrap(), Some(Ok("ping".into())));
        }
    }
}
