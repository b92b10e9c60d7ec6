//! Positions on the command line or on standard input, a FEN each.

use std::io::{self, BufRead, Write};

use super::failure::Failure;
use super::start::{START, read_position};
use crate::board::{Game, Position};

/// Handles each FEN of the command line or, if there are none, each line of standard input, and
/// prints the answer, with a line end after it. The answer is made of the text and what it means.
pub(super) fn each_fen(
    game: &Game,
    fens: &[String],
    mut answer: impl FnMut(&str, &Position) -> Result<String, Failure>,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut one = |text: &str| {
        let position = read_position(game, text)?;
        let text = if text == START { game.board.write_fen(&position) } else { text.into() };
        writeln!(out, "{}", answer(&text, &position)?)?;
        // One answer at a time, for a program that waits for it.
        out.flush()?;
        Ok::<(), Failure>(())
    };
    if !fens.is_empty() {
        return fens.iter().try_for_each(|fen| one(fen));
    }
    for (i, line) in io::stdin().lock().lines().enumerate() {
        let line = line?;
        let at_line = |e: Failure| match e {
            Failure::Fen(e) => Failure::Input(format!("standard input, line {}: {e}", i + 1)),
            other => other,
        };
        if !line.trim().is_empty() {
            one(line.trim()).map_err(at_line)?;
        }
    }
    Ok(())
}
