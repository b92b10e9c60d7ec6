//! The positions of a command: from the command line, or from standard input, a FEN a line.

use std::io::{self, BufRead};

use certificate_spec::text::without_mark;
use clap::Args;
use draughtproof_proof::progress::Progress;

use super::StartOptions;
use super::start::{START, fits, read_position};
use crate::board::{Game, Position};
use crate::cli::failure::Failure;

/// The argument that stands for standard input.
const STDIN: &str = "-";

/// The positions that a command answers, one after the other.
pub(crate) enum Positions {
    /// The positions of the command line, each with its text.
    Given(Vec<(String, Position)>),
    /// One position a line on standard input.
    Lines,
}

/// The positions that a command is asked about.
#[derive(Args, Debug)]
pub(crate) struct PositionOptions {
    /// Positions; "start" for that of the game, "-" for one a line on standard input
    #[arg(value_name = "FEN", conflicts_with = "start")]
    fens: Vec<String>,
    #[command(flatten)]
    start: StartOptions,
}

impl PositionOptions {
    /// Whether the positions can be some of this game.
    pub(crate) fn fits(&self, game: &Game) -> bool {
        self.start.fits(game) && self.fens.iter().all(|fen| fen == STDIN || fits(game, fen))
    }

    /// The given positions, or those of standard input if none are given, which is said.
    pub(crate) fn or_lines(&self, game: &Game, progress: Progress) -> Result<Positions, Failure> {
        Ok(self.given(game)?.unwrap_or_else(|| {
            progress.say("reading FENs from standard input, one a line".into());
            Positions::Lines
        }))
    }

    /// The given positions, or the start of the game if none are given.
    pub(crate) fn or_start(&self, game: &Game) -> Result<Positions, Failure> {
        let start = game.start();
        let start = || Positions::Given(vec![(game.board.write_fen(&start), start)]);
        Ok(self.given(game)?.unwrap_or_else(start))
    }

    /// The positions of the FENs, or of the options for a start; `None` if neither is given.
    fn given(&self, game: &Game) -> Result<Option<Positions>, Failure> {
        let fens = &self.fens;
        if let Some(position) = self.start.given(game)? {
            let fen = game.board.write_fen(&position);
            return Ok(Some(Positions::Given(vec![(fen, position)])));
        }
        if *fens == [STDIN] {
            return Ok(Some(Positions::Lines));
        }
        let mut given = Vec::new();
        for fen in fens {
            let position = read_position(game, fen)?;
            given.push((name(game, fen, &position), position));
        }
        Ok((!given.is_empty()).then_some(Positions::Given(given)))
    }
}

impl Positions {
    /// Answers each position. A line on standard input that is no FEN is answered with its fault,
    /// in its place; the faults are counted in the result. Empty lines are skipped.
    ///
    /// `answer` gets the text without tabs, and the position.
    pub(crate) fn answer_each(
        &self,
        game: &Game,
        mut answer: impl FnMut(&str, Result<&Position, &str>) -> Result<(), Failure>,
    ) -> Result<Answered, Failure> {
        let given = match self {
            Positions::Given(given) => given,
            Positions::Lines => return answer_lines(game, answer),
        };
        for (text, position) in given {
            answer(text, Ok(position))?;
        }
        Ok(Answered { lines: given.len(), bad: 0 })
    }
}

fn answer_lines(
    game: &Game,
    mut answer: impl FnMut(&str, Result<&Position, &str>) -> Result<(), Failure>,
) -> Result<Answered, Failure> {
    let mut answered = Answered { lines: 0, bad: 0 };
    for (i, line) in io::stdin().lock().split(b'\n').enumerate() {
        let line = line?;
        // A line that is not UTF-8 is reported as no FEN.
        let line = String::from_utf8_lossy(&line);
        let text = if i == 0 { without_mark(&line).trim() } else { line.trim() };
        if text.is_empty() {
            continue;
        }
        answered.lines += 1;
        match read_position(game, text) {
            Ok(position) => answer(&name(game, text, &position), Ok(&position))?,
            Err(error) => {
                answered.bad += 1;
                let what = format!("standard input, line {}: {error}", i + 1);
                answer(&in_column(text), Err(&what))?;
            }
        }
    }
    Ok(answered)
}

/// The name of a position in answers: the text as it was given, or for `start` the FEN.
fn name(game: &Game, text: &str, position: &Position) -> String {
    if text.trim() == START { game.board.write_fen(position) } else { in_column(text) }
}

/// A text for a column: control characters become blanks.
fn in_column(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The number of positions that were asked for.
#[must_use = "bad lines make a command fail"]
pub(crate) struct Answered {
    lines: usize,
    bad: usize,
}

impl Answered {
    /// An error if some of them were no positions.
    pub(crate) fn result(self) -> Result<(), Failure> {
        match self {
            Answered { bad: 0, .. } => Ok(()),
            Answered { lines, bad } => Err(Failure::Lines { bad, lines }),
        }
    }
}
