//! `prove probe`.

use clap::Args;

use super::failure::Failure;
use super::machine::MachineOptions;
use super::options::StoredOptions;
use super::positions::each_fen;
use super::start::StartOptions;
use super::values::ValuesOptions;
use crate::board::{Board, Position};
use crate::egdb::{StoreError, Value, Values};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove probe --game 8x8 B:W18,24,K30:B12,K16
  prove probe --game 8x8 --depth <positions.txt

Prints FEN<TAB>win, draw, loss or unknown, for the side to move. A position that the \
database does not cover, or whose slice is not there, is unknown. With --depth comes <TAB>the plies until the next capture, crowning or move of a \
man that keeps the value, when the winner hurries and the loser delays, or - where there is none or it \
is not known.")]
pub(super) struct Options {
    #[command(flatten)]
    stored: StoredOptions,
    #[command(flatten)]
    values: ValuesOptions,
    #[command(flatten)]
    machine: MachineOptions,
    /// Print depths, too, which `prove db --depth` stores
    #[arg(long)]
    depth: bool,
    /// Positions [default: one a line on standard input]
    #[arg(value_name = "FEN", conflicts_with = "start")]
    fens: Vec<String>,
    #[command(flatten)]
    start: StartOptions,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let board = options.stored.board();
    options.machine.start()?;
    let values = options.stored.open(&options.machine, &options.values)?;
    let depths = options.depth.then(|| options.stored.depths()).transpose()?;
    let fens = options.start.or_fens(&options.stored.game.game, &options.fens)?;
    each_fen(board, &fens, |position| {
        let value = value(board, &values, position)?;
        let Some(depths) = &depths else { return Ok(word(value).into()) };
        let depth = value.map(|value| depths.depth(position, value)).transpose()?.flatten();
        Ok(format!("{}\t{}", word(value), depth.map_or("-".into(), |depth| depth.to_string())))
    })
}

/// The value from the database, if it is covered, or, with a side off the board, from the rules.
pub(super) fn value(
    board: &Board,
    values: &Values,
    position: &Position,
) -> Result<Option<Value>, StoreError> {
    if !position.both_sides() {
        return Ok(Some(if board.can_move(position) { Value::Win } else { Value::Loss }));
    }
    values.try_probe(position)
}

fn word(value: Option<Value>) -> &'static str {
    match value {
        Some(Value::Win) => "win",
        Some(Value::Draw) => "draw",
        Some(Value::Loss) => "loss",
        None => "unknown",
    }
}
