//! `check explain`: why a position holds, drawn and in words, down to the database or a cycle. No
//! verdict rests on anything here.

mod explainer;
mod interactive;
mod steps;
mod text;

use crate::{fen, missing, notation};
use checker::arguments;
use checker::commands::ExplainArguments;
use checker::memory;
use checker_core::{Board, Certificate, Options, Position, Stop};
use explainer::Explainer;
pub(crate) use text::Explained;

/// The position that is asked about.
fn position(ask: &ExplainArguments, board: &Board, start: &Position) -> Result<Position, String> {
    let from = ask.fen.as_ref().map_or(Ok(*start), |text| fen::read(board, text))?;
    notation::play(board, &from, ask.moves.as_deref().unwrap_or_default())
}

/// Explains the position, and then others if `--interactive` was given.
///
/// # Errors
/// [`Stop`] if the certificate cannot be read, or the position is not possible.
pub(crate) fn explain(ask: &ExplainArguments) -> Result<Explained, Stop> {
    let memory = ask.memory.unwrap_or_else(memory::default_bound);
    let progress = arguments::progress();
    let options = Options { memory, progress, ..Options::new(&ask.db) };
    let certificate = Certificate::read(&ask.certificate, options.level)?;
    // This comes before a database is read, which may take a while.
    let position = position(ask, certificate.game.board(), &certificate.start);
    let position = position.map_err(Stop::Error)?;
    let read = Explainer::new(certificate, &options);
    let explainer = read.map_err(|stop| missing::named(stop, &ask.certificate, &ask.db))?;
    let failed = |e: std::io::Error| Stop::Error(format!("standard input or output: {e}"));
    let mut status = 0;
    if let Some(node) = &ask.at {
        let item = explainer.find(node).map_err(Stop::Error)?;
        status = steps::show(&explainer, item).map_err(failed)?;
    } else if ask.interactive {
        interactive::answer_all(&explainer, position, ask).map_err(failed)?;
    } else {
        return Ok(text::explain(&explainer, &position, ask));
    }
    Ok(Explained { text: String::new(), status })
}
