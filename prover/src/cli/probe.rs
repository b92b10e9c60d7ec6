//! `prove probe`.

use clap::Args;

use super::common::{Failure, StoredOptions, each_fen};
use crate::board::{Board, Position};
use crate::egdb::{Value, Values};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove probe --game 8x8 B:W18,24,K30:B12,K16
  prove probe --game 8x8 <positions.txt

Prints FEN<TAB>win, draw, loss or unknown, for the side to move. A position with more pieces than the
database has is unknown.")]
pub(super) struct Options {
    #[command(flatten)]
    stored: StoredOptions,
    /// Positions [default: one a line on standard input]
    #[arg(value_name = "FEN")]
    fens: Vec<String>,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let board = options.stored.board();
    let database = options.stored.load()?;
    each_fen(board, &options.fens, |position| word(value(board, &database, position)).into())
}

/// The value from the database or, with a side off the board, from the rules.
fn value(board: &Board, database: &Values, position: &Position) -> Option<Value> {
    if position.both_sides() {
        return database.probe(position);
    }
    Some(if board.can_move(position) { Value::Win } else { Value::Loss })
}

pub(super) fn word(value: Option<Value>) -> &'static str {
    match value {
        Some(Value::Win) => "win",
        Some(Value::Draw) => "draw",
        Some(Value::Loss) => "loss",
        None => "unknown",
    }
}
