//! Where a proof or a count begins.

use clap::Args;

use super::failure::Failure;
use crate::board::{Game, Position};

/// The 19 openings of the 2007 solution (`corpus/README.md`).
const OPENINGS: &str = include_str!("../../../corpus/openings.tsv");
/// The game that they belong to.
const CHECKERS: &str = "8x8";

/// A position, named in one of three ways.
#[derive(Args, Debug)]
#[group(id = "start", multiple = false)]
pub(super) struct StartOptions {
    /// Start position [default: that of the game]
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Start after opening N of the 2007 solution, 1 to 19; only with --game 8x8
    #[arg(long, value_name = "N")]
    opening: Option<u8>,
    /// Start after these moves from the start of the game, such as "11-15 23-19"
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

impl StartOptions {
    /// The position that was asked for, if any was.
    pub(super) fn given(&self, game: &Game) -> Result<Option<Position>, Failure> {
        let moves = match (&self.fen, self.opening, &self.moves) {
            (Some(fen), ..) => return Ok(Some(game.board.read_fen(fen)?)),
            (_, Some(number), _) => opening(game, number)?,
            (.., Some(moves)) => moves,
            _ => return Ok(None),
        };
        let start = game.start();
        let positions = game.board.read_line(&start, moves)?;
        Ok(Some(positions.last().copied().unwrap_or(start)))
    }

    /// The position that was asked for, or the start of the game.
    pub(super) fn position(&self, game: &Game) -> Result<Position, Failure> {
        Ok(self.given(game)?.unwrap_or_else(|| game.start()))
    }

    /// The FENs of a command that handles any number of them: those of the command line or the one
    /// position that was asked for.
    pub(super) fn or_fens(&self, game: &Game, fens: &[String]) -> Result<Vec<String>, Failure> {
        let given = self.given(game)?;
        Ok(given.map_or_else(|| fens.to_vec(), |position| vec![game.board.write_fen(&position)]))
    }
}

/// The moves of an opening of the 2007 solution.
fn opening(game: &Game, number: u8) -> Result<&'static str, Failure> {
    if game.to_string() != CHECKERS {
        let what = format!("--opening: expected --game {CHECKERS}, found {game}");
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
