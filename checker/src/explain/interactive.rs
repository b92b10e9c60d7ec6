//! Answers many questions about one certificate, which is read once.

use super::explainer::Explainer;
use super::text::explain;
use crate::{fen, notation, stdout};
use certificate_spec::text::without_mark;
use checker::commands::ExplainArguments;
use checker_audit::one_line;
use checker_core::{Position, write_fen};
use std::io::{BufRead, Result, stdin};

const HELP: &str = "\
FEN          go to a position, and explain it
11-15 23-19  make these moves, and explain where they lead
back         take the last step back
start        go to the start of the certificate
quit         end, as the end of input does
";

/// Explains a position, and then those that lines of standard input lead to.
pub(super) fn answer_all(
    explainer: &Explainer,
    first: Position,
    ask: &ExplainArguments,
) -> Result<()> {
    let show = |p: &Position| stdout::write(&explain(explainer, p, ask).text);
    // The positions visited before, the latest last.
    let (mut before, mut at) = (Vec::new(), first);
    show(&at)?;
    for line in stdin().lock().lines() {
        let line = line?;
        let board = explainer.board();
        let next = match without_mark(&line).trim() {
            "" => continue,
            "quit" => break,
            "help" => {
                stdout::write(HELP)?;
                continue;
            }
            "back" => {
                match before.pop() {
                    Some(last) => {
                        at = last;
                        show(&at)?;
                    }
                    None => stdout::write(&format!("{} was the first\n", write_fen(&at)))?,
                }
                continue;
            }
            "start" => Ok(explainer.start()),
            // Moves may be written with colons, too, but begin with a square.
            text if text.starts_with(|c: char| c.is_ascii_digit()) => {
                notation::play(board, &at, text)
            }
            text => {
                fen::read(board, text).map_err(|e| format!("{e}; \"help\" lists what can be said"))
            }
        };
        match next {
            Ok(next) => {
                before.push(std::mem::replace(&mut at, next));
                show(&at)?;
            }
            Err(what) => stdout::write(&format!("{}\n", one_line(&what)))?,
        }
    }
    Ok(())
}
