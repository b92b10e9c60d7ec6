//! Options for the position at which a proof, a search or a count begins.

use clap::Args;

use super::CHECKERS;
use crate::board::{Board, Game, Position};
use crate::cli::failure::Failure;

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
    opening: Option<u8>,
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

/// The position after moves.
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
fn opening(game: &Game, number: u8) -> Result<&'static str, Failure> {
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
