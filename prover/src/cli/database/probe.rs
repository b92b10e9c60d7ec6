//! `prove probe`.

use std::fmt::Write;

use crate::board::{Board, Position};
use crate::cli::failure::Failure;
use crate::cli::options::notes;
use crate::cli::options::{MachineOptions, PositionOptions, SourceOptions};
use crate::cli::output::{Format, ResultOptions};
use crate::egdb::Value;
use crate::egdb::numbers::counted;
use clap::Args;
use draughtproof_play::lookup::{Basis, Found, MoveAnswer, PositionAnswer, depth_in_words};

#[derive(Args, Debug)]
#[command(after_help = notes("probe"))]
pub(crate) struct Options {
    #[command(flatten)]
    sources: SourceOptions,
    #[command(flatten)]
    machine: MachineOptions,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    positions: PositionOptions,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let used = options.sources.read_for(&options.positions)?;
    let game = used.stored.game();
    let positions = options.positions.or_lines(game, options.machine.progress())?;
    let mut out = options.result.begin()?;
    options.machine.start()?;
    let values = used.open(&options.machine, &options.sources.values);
    let values = values.map_err(|failure| used.stored.with_other_boards(failure))?;
    let depths = used.stored.depths()?;
    let found = Found::new(&game.board, Found::MEMORY);
    let lookup = used.lookup(&values, Some(&depths), Some(&found));
    let columns = COLUMNS + usize::from(used.are_used());
    let format = options.result.format;
    let mut is_first = true;
    let answered = positions.answer_each(game, |text, position| {
        if format == Format::Text && !std::mem::take(&mut is_first) {
            out.line("")?;
        }
        let position = match position {
            Ok(position) => position,
            Err(what) => return out.fault(format, text, columns, what),
        };
        let answer = lookup.answer(position)?;
        match format {
            Format::Text => out.line(&self::text(&game.board, position, &answer))?,
            Format::Tsv if used.are_used() => {
                let by = answer.by.map_or("-", Basis::name);
                out.line(&format!("{text}\t{}\t{by}", cells(&answer)))?;
            }
            Format::Tsv => out.line(&format!("{text}\t{}", cells(&answer)))?,
            Format::Json => out.json(&answer)?,
        }
        // A program that waits for each answer gets it at once.
        out.flush()
    })?;
    out.finish()?;
    answered.result()
}

/// The number of columns of a line in TSV.
const COLUMNS: usize = 5;

/// The answer about a position as text for the user.
pub(crate) fn text(board: &Board, position: &Position, answer: &PositionAnswer) -> String {
    let mut out = format!("{}\n{}", answer.fen, board.draw(position));
    out += &format!("{:?} to move: {}", position.turn, answer.value);
    if let Some(by) = answer.by {
        out += &format!(", {by}");
    }
    match answer.depth {
        Some(0) => out += ": there is no move",
        Some(_) if !answer.line.is_empty() => {
            out += &format!(", {} by the line below", plies(answer.line.len()));
        }
        Some(depth) => out += &format!(", {}", depth_in_words(depth)),
        None => {}
    }
    out += &moves(&answer.moves);
    let is_draw = answer.value.value().is_none_or(|value| value == Value::Draw);
    if !answer.line.is_empty() {
        out += &format!("\n\nline: {}", answer.line.join(" "));
    } else if !is_draw && !answer.moves.is_empty() {
        out += "\n\nno line: not all depths are there; `prove db --depth` stores them";
    }
    out
}

fn plies(number: usize) -> String {
    counted(number, "ply")
}

/// The moves in aligned columns.
fn moves(moves: &[MoveAnswer]) -> String {
    let mut name_width = "move".len();
    let mut value_width = "value".len();
    for MoveAnswer { name, value, .. } in moves {
        name_width = name_width.max(name.len());
        value_width = value_width.max(value.to_string().len());
    }
    let mut out = String::new();
    let are_sourced = moves.iter().any(|m| m.by.is_some());
    if !moves.is_empty() {
        let by = if are_sourced { "by        " } else { "" };
        // Writing into a string cannot fail.
        let _ =
            write!(out, "\n\n{:name_width$}  {:value_width$}  depth  {by}after", "move", "value");
    }
    for MoveAnswer { name, fen, value, by, depth } in moves {
        let value = value.to_string();
        let depth = or_dash(*depth);
        let by = by.map_or("-", Basis::name);
        let by = if are_sourced { format!("{by:<10}") } else { String::new() };
        let _ = write!(out, "\n{name:name_width$}  {value:value_width$}  {depth:>5}  {by}{fen}");
    }
    out
}

fn cells(answer: &PositionAnswer) -> String {
    let mut moves = Vec::new();
    for MoveAnswer { name, value, depth, .. } in &answer.moves {
        let depth = depth.map_or(String::new(), |depth| format!("/{depth}"));
        moves.push(format!("{name}={}{depth}", value));
    }
    let value = answer.value;
    let depth = or_dash(answer.depth);
    format!("{value}\t{depth}\t{}\t{}", list(&moves), list(&answer.line))
}

fn list(words: &[String]) -> String {
    if words.is_empty() { "-".into() } else { words.join(" ") }
}

fn or_dash(depth: Option<u32>) -> String {
    depth.map_or("-".into(), |depth| depth.to_string())
}
