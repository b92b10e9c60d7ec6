//! Options for the position at which a proof, a search or a count begins.

use std::io::{self, BufRead};

use super::CHECKERS;
use crate::board::{Board, Game, Position};
use crate::cli::failure::Failure;
use certificate_spec::text::without_mark;
use clap::Args;
use draughtproof_proof::progress::Progress;

/// The 19 openings of the 2007 solution (`corpus/README.md`).
const OPENINGS: &str = include_str!("../../../../corpus/openings.tsv");

/// The word that stands for the start of the game in place of a FEN.
pub(crate) const START: &str = "start";

/// The start: a position, an opening or the start of the game, and moves from there.
#[derive(Args, Debug)]
#[group(id = "start", multiple = true)]
pub(crate) struct StartOptions {
    /// Begin at this position; "start" is that of the game
    #[arg(long, value_name = "FEN", conflicts_with = "opening")]
    fen: Option<String>,
    /// Begin after opening N of the 2007 solution, 1 to 19; only with --game 8x8
    #[arg(long, value_name = "N")]
    opening: Option<u64>,
    /// Begin after these moves, such as "11-15 23-19", from the start of the game, --fen or
    /// --opening
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

/// The games that are named when a position does not fit the board.
const GAMES: [&str; 11] =
    ["8x8", "8x6", "7x7", "6x8", "6x6", "5x7", "8x4", "4x8", "5x5", "6x4", "4x4"];

/// Reads a FEN, or the word for the start of the game.
pub(crate) fn read_position(game: &Game, text: &str) -> Result<Position, Failure> {
    if text.trim() == START {
        return Ok(game.start());
    }
    let error = match game.board.read_fen(text) {
        Ok(position) => return Ok(position),
        Err(error) => error,
    };
    let fitting = games_with(text);
    if fitting.is_empty() {
        return Err(error.into());
    }
    let advice = format!("it would fit --game {}", fitting.join(" or "));
    Err(Failure::from(error).with_advice(&advice))
}

/// Whether a text is a position of a game, or the word for its start.
pub(super) fn fits(game: &Game, text: &str) -> bool {
    text.trim() == START || game.board.read_fen(text).is_ok()
}

/// The games whose boards have a position.
fn games_with(fen: &str) -> Vec<&'static str> {
    let mut fitting = Vec::new();
    for name in GAMES {
        if name.parse::<Game>().is_ok_and(|game| game.board.read_fen(fen).is_ok()) {
            fitting.push(name);
        }
    }
    fitting
}

fn after(board: &Board, from: Position, moves: &str) -> Result<Position, Failure> {
    Ok(board.read_line(&from, moves)?.last().copied().unwrap_or(from))
}

impl StartOptions {
    /// Whether the start can be one of this game.
    pub(crate) fn fits(&self, game: &Game) -> bool {
        let is_opening = self.opening.is_some() && game.to_string() != CHECKERS;
        !is_opening && self.fen.iter().all(|fen| fits(game, fen))
    }

    /// Whether the start is a position of its own.
    pub(crate) fn is_fen(&self) -> bool {
        self.fen.as_ref().is_some_and(|fen| fen.trim() != START)
    }

    /// The requested position, if one was requested.
    pub(crate) fn given(&self, game: &Game) -> Result<Option<Position>, Failure> {
        let from = match (&self.fen, self.opening) {
            (Some(fen), _) => read_position(game, fen)?,
            (None, Some(number)) => after(&game.board, game.start(), opening(game, number)?)?,
            (None, None) if self.moves.is_none() => return Ok(None),
            (None, None) => game.start(),
        };
        let moves = self.moves.as_deref().unwrap_or_default();
        Ok(Some(after(&game.board, from, moves)?))
    }

    /// The requested position, or the start of the game.
    pub(crate) fn position(&self, game: &Game) -> Result<Position, Failure> {
        Ok(self.given(game)?.unwrap_or_else(|| game.start()))
    }
}

/// The moves of an opening of the 2007 solution.
fn opening(game: &Game, number: u64) -> Result<&'static str, Failure> {
    if game.to_string() != CHECKERS {
        let what = format!("--opening: expected a game of {CHECKERS}, found {game}");
        return Err(Failure::Input(what));
    }
    let wanted = number.to_string();
    let mut rows = OPENINGS.lines().filter_map(|line| {
        let mut columns = line.split('\t');
        Some((columns.next()?, columns.next()?))
    });
    let found = rows.find(|(name, _)| *name == wanted);
    found
        .map(|(_, moves)| moves)
        .ok_or_else(|| Failure::Input(format!("--opening: expected 1 to 19, found {number}")))
}

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
