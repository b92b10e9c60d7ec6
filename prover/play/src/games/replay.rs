//! The report on a game that was read: whether it is legal.

use serde::Serialize;

use crate::board::PdnGame;
use crate::egdb::numbers::counted;

/// A line of the report on a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplayRow<'a> {
    /// The file, as the user named it.
    pub file: &'a str,
    /// The number of the game in its file, from 1.
    pub game: usize,
    /// The line on which it begins.
    pub line: usize,
    /// `legal`, or `fault`.
    pub status: &'static str,
    /// The tag `Event`.
    pub event: &'a str,
    /// The tag `Black`.
    pub black: &'a str,
    /// The tag `White`.
    pub white: &'a str,
    /// The result as the game has it.
    pub result: &'a str,
    /// The number of single moves; if there is a fault, the number before it.
    pub moves: usize,
    /// The number of forgiven deviations from the standard.
    pub forgiven: usize,
    /// The line and column of the fault; without one, of the first forgiven deviation.
    pub at: Option<(usize, usize)>,
    /// The fault or the deviation, and whether the results contradict each other.
    pub what: String,
}

impl<'a> ReplayRow<'a> {
    /// The line about a game of `file`.
    pub fn new(file: &'a str, game: &'a PdnGame) -> Self {
        let said = game.fault.as_ref().or(game.first_forgiven.as_ref());
        let tag = |name| game.tag(name).unwrap_or_default();
        let mut what = said.map_or(String::new(), |error| error.what.clone());
        // A contradiction of results need not be the first forgiven deviation.
        let is_said = what.contains("of the tag Result");
        if let Some(contradiction) = game.contradiction().filter(|_| !is_said) {
            what += &format!("; {contradiction}");
        }
        ReplayRow {
            file,
            game: game.number,
            line: game.line,
            status: if game.fault.is_some() { "fault" } else { "legal" },
            event: tag("Event"),
            black: tag("Black"),
            white: tag("White"),
            result: game.score().unwrap_or("*"),
            moves: game.positions.len(),
            forgiven: game.forgiven,
            at: said.map(|error| (error.line, error.column)),
            what,
        }
    }

    /// The names of the columns of [`tsv`](Self::tsv).
    pub const COLUMNS: &'static str =
        "file\tgame\tline\tstatus\tevent\tblack\twhite\tresult\tmoves\tforgiven\tat\twhat";

    /// The line in TSV.
    pub fn tsv(&self) -> String {
        let numbers = [self.game, self.line].map(|n| n.to_string()).join("\t");
        let texts = [self.event, self.black, self.white, self.result].map(column).join("\t");
        let at = self.at.map_or("-".into(), |(line, place)| format!("{line}:{place}"));
        format!(
            "{}\t{numbers}\t{}\t{texts}\t{}\t{}\t{at}\t{}",
            column(self.file),
            self.status,
            self.moves,
            self.forgiven,
            column(&self.what)
        )
    }

    /// The line as text.
    pub fn text(&self) -> String {
        let ReplayRow { file, game, line, status, result, moves, forgiven, what, .. } = self;
        let [event, black, white] = [self.event, self.black, self.white].map(printable);
        let said = match self.at {
            Some((line, place)) if self.status == "fault" => {
                format!(": line {line}, column {place}: {what}")
            }
            Some((line, place)) => {
                format!(" ({forgiven} forgiven; first line {line}, column {place}: {what})")
            }
            None => String::new(),
        };
        let players = if black.is_empty() && white.is_empty() {
            String::new()
        } else {
            format!(", {black} - {white}")
        };
        let event = if event.is_empty() { event } else { format!(", {event}") };
        let head =
            format!("{file}#{game} line {line}: {status}, {}, {result}", counted(*moves, "move"));
        format!("{head}{players}{event}{}", printable(&said))
    }
}

/// Counts of the games that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub games: usize,
    /// The number of games with a fault.
    pub faulty: usize,
    /// The number of games without a fault but with a forgiven deviation.
    pub forgiven: usize,
    /// The number of single moves.
    pub moves: usize,
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, game: &PdnGame) {
        self.games += 1;
        self.faulty += usize::from(game.fault.is_some());
        self.forgiven += usize::from(game.fault.is_none() && game.forgiven > 0);
        self.moves += game.positions.len();
    }
}

/// A text without control characters, which could move a terminal's cursor.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A text as a column; `-` if it is empty.
pub(super) fn column(text: &str) -> String {
    if text.is_empty() { "-".into() } else { printable(text) }
}
