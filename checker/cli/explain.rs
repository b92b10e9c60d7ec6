//! `check explain`: why a position holds, drawn and in words, down to the database or a cycle.

use checker::{Basis, Board, Explainer, Explanation, Options, Position, Side, Stop, write_fen};
use std::fmt::Write;
use std::path::Path;

/// More steps than this are not shown.
const STEPS: usize = 40;

/// The board with its pieces: b, w, B and W for kings; the numbers of the squares beside it.
fn draw(board: &Board, p: &Position) -> String {
    let (rows, columns) = (usize::from(board.rows()), usize::from(board.columns()));
    let mut out = String::new();
    let mut square = 0;
    for row in 0..rows {
        let first = square + 1;
        out += "    ";
        for column in 0..columns {
            let piece = if (row + column) % 2 == 1 {
                let bit = 1u32 << square;
                square += 1;
                match (p.black & bit != 0, p.white & bit != 0, p.kings & bit != 0) {
                    (true, _, false) => 'b',
                    (true, _, true) => 'B',
                    (_, true, false) => 'w',
                    (_, true, true) => 'W',
                    _ => '.',
                }
            } else {
                ' '
            };
            out.push(piece);
            out.push(' ');
        }
        out += &format!("  {first}-{square}\n");
    }
    out
}

fn basis(explanation: &Explanation) -> String {
    match &explanation.basis {
        Basis::Database(value) => format!("the database has a {value:?} for the side to move"),
        Basis::Node(words, place) => format!("a node, {words} ({place})"),
        Basis::Leaf(place) => format!("in the strategy of a leaf ({place})"),
        Basis::NoMove => "the opponent has no move".into(),
        Basis::Nothing => "nothing is said of it".into(),
    }
}

/// The explanation of a position by every question that says something of it.
///
/// # Errors
/// [`Stop`] if the certificate cannot be read.
pub(crate) fn explain(cert: &Path, position: &Position, options: &Options) -> Result<String, Stop> {
    let explainer = Explainer::new(cert, options)?;
    let board = explainer.board();
    if !board.is_possible(position) {
        return Err(Stop::Error(format!(
            "{} is impossible on {}",
            write_fen(position),
            board.name()
        )));
    }
    let mut out = String::new();
    // Writing into a string cannot fail.
    for (q, question) in explainer.questions().enumerate() {
        let _ = writeln!(out, "{question:?}:");
        let (mut p, mut seen) = (*position, Vec::new());
        for step in 0..STEPS {
            let Some(explanation) = explainer.explain(q, &p) else { break };
            let side = if p.turn == Side::Black { "Black" } else { "White" };
            let _ = writeln!(out, "\n{step}. {}, {side} to move", write_fen(&p));
            out += &draw(board, &p);
            let _ = writeln!(out, "    {}", basis(&explanation));
            if let Some(wrong) = &explanation.wrong {
                let place =
                    wrong.position.map_or(String::new(), |p| format!(" at {}", write_fen(&p)));
                let _ = writeln!(
                    out,
                    "    WRONG [{}]{place}: expected {}, found {}",
                    wrong.rule, wrong.expected, wrong.found
                );
                break;
            }
            seen.push(p);
            if explanation.next.len() > 1 {
                let _ =
                    writeln!(out, "    {} moves, each of them answered:", explanation.next.len());
                for y in &explanation.next {
                    let words = explainer.explain(q, y).map_or(String::new(), |e| basis(&e));
                    let _ = writeln!(out, "      to {}: {words}", write_fen(y));
                }
            }
            // A line that goes on says more than one that the database ends.
            let ends = |y: &&Position| {
                let basis = explainer.explain(q, y).map(|e| e.basis);
                matches!(basis, Some(Basis::Database(_) | Basis::NoMove))
            };
            let unseen = explanation.next.iter().filter(|y| !seen.contains(y)).min_by_key(ends);
            match (explanation.next.is_empty(), unseen) {
                (true, _) => break,
                (false, Some(next)) => p = *next,
                (false, None) => {
                    let _ = writeln!(out, "    and so back to a position above: a cycle");
                    break;
                }
            }
            if step + 1 == STEPS {
                let _ = writeln!(out, "\n… and so on; ask for {}", write_fen(&p));
            }
        }
        out.push('\n');
    }
    out += "Values of the database were taken from its files as they are; only a check verifies them.\n";
    Ok(out)
}
