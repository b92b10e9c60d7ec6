//! The lines that the engine writes.

use std::time::Duration;

use draughtproof_proof::heuristic::Analysis;

use super::notation::write_move;
use super::parameters::argument;
use super::searcher::{Answer, Known};
use crate::board::{Board, MoveError, Position};
use crate::egdb::Value;

/// The most characters of a message; longer ones are cut.
const MOST_CHARACTERS: usize = 500;
/// Scores of the search beyond this, in hundredths of a man, are wins that were found.
const WIN: i32 = 10_000;
/// The score, in men, of a win on the board; each move to it takes a hundredth away.
const WON: f64 = 100.0;
/// The score, in men, of a win by the database, whose length is not known.
const DATABASE_WIN: f64 = 99.0;

/// The last line of a search without a move. Clients expect a move there; this is the null move of
/// pydraughts, and no move for all other clients.
pub(super) const NO_MOVE: &str = "done move=0-0";

/// The line of an error message.
pub(super) fn error(message: &str) -> String {
    let shown: String = message.chars().take(MOST_CHARACTERS).collect();
    let more = if shown.len() < message.len() { "…" } else { "" };
    format!("error {}", argument("message", &(shown + more)))
}

/// The line of the result of a depth.
pub(super) fn depth(
    board: &Board,
    position: &Position,
    analysis: &Analysis,
    time: Duration,
) -> Result<String, MoveError> {
    let Analysis { depth, nodes, pv, .. } = analysis;
    let seconds = time.as_secs_f64();
    let millions = *nodes as f64 / seconds.max(1e-6) / 1e6;
    let score = score(board, analysis);
    let line = line(board, position, pv)?;
    let line = argument("pv", &line);
    Ok(format!(
        "info depth={depth} score={score:.2} nodes={nodes} time={seconds:.3} nps={millions:.3} {line}"
    ))
}

/// The line of a move for which nothing was searched, with its value by database, proof or book.
pub(super) fn known(
    board: &Board,
    position: &Position,
    answer: &Answer,
) -> Result<Option<String>, MoveError> {
    let Some(known) = answer.known else { return Ok(None) };
    let won = |depth: Option<u32>| DATABASE_WIN - f64::from(depth.unwrap_or(0)) / 100.0;
    let (score, depth) = match known {
        Known::Database(Value::Win, depth) => (won(depth), 1),
        Known::Database(Value::Loss, depth) => (-won(depth), 1),
        Known::Proof(Value::Win) => (won(None), 1),
        Known::Database(Value::Draw, _) | Known::Proof(_) => (0.0, 1),
        Known::Book(value, depth) => (f64::from(value) / 100.0, depth),
    };
    let line = argument("pv", &line(board, position, &[answer.after])?);
    Ok(Some(format!("info depth={depth} score={score:.2} {line}")))
}

/// The line of the answer; [`NO_MOVE`] where there is no move.
pub(super) fn done(
    board: &Board,
    position: &Position,
    answer: Option<&Answer>,
) -> Result<String, MoveError> {
    let Some(Answer { after, reply, .. }) = answer else { return Ok(NO_MOVE.into()) };
    let done = format!("done move={}", write_move(board, position, after)?);
    Ok(match reply {
        Some(reply) => format!("{done} ponder={}", write_move(board, after, reply)?),
        None => done,
    })
}

/// A score in men. Wins count down from 100, or 99 where the line ends in the database.
fn score(board: &Board, analysis: &Analysis) -> f64 {
    let score = analysis.score;
    if score.abs() <= WIN {
        return f64::from(score) / 100.0;
    }
    let is_over = analysis.pv.last().is_some_and(|last| !board.can_move(last));
    let won = if is_over { WON } else { DATABASE_WIN };
    f64::from(score.signum()) * (won - analysis.pv.len() as f64 / 100.0)
}

/// The names of moves, separated by blanks.
fn line(board: &Board, position: &Position, pv: &[Position]) -> Result<String, MoveError> {
    let mut from = position;
    let mut names = Vec::with_capacity(pv.len());
    for to in pv {
        names.push(write_move(board, from, to)?);
        from = to;
    }
    Ok(names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::{argument, error};

    #[test]
    fn values_keep_their_lines_in_order() {
        assert_eq!(argument("a", "b-c/d"), "a=b-c/d");
        assert_eq!(argument("a", ""), "a=\"\"");
        assert_eq!(argument("a", "b=\"c\"\n"), "a=\"b='c'?\"");
        assert_eq!(error(&"x".repeat(1000)), format!("error message={}…", "x".repeat(500)));
    }
}
