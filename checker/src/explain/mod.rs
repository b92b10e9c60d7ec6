//! `check explain`: why a position holds, drawn and in words, down to the database or a cycle. No
//! verdict rests on anything here.

mod explainer;
mod interactive;
mod text;

use crate::{arguments, fen, memory, notation};
use checker_core::{Board, Certificate, Options, Position, Stop};
use explainer::Explainer;
use std::path::PathBuf;

/// The exit status where the certificate says nothing of the position.
const NOTHING: u8 = 6;

const AFTER_HELP: &str = "\
Examples:
  check explain cert                                the start of the certificate
  check explain cert --moves \"11-15 23-19\"          after these moves from there
  check explain cert B:W18,24,K30:B12,K16           a position; either colour first, ranges, blanks
  check explain cert --interactive                  load once, then ask: moves, FENs, help

For each question of the claim one line of the proof is shown: the moves of the side with the claim, and of the \
replies, all of which are answered, one that does not end at once, if there is such a one. Replies are listed by what answers them.

Exit status: 0 if the certificate says something of the position, for any of its questions; 6 if it says nothing \
of it; 4 if files could not be read, or for a FEN or move that is none. With --interactive 0 at the end of input: \
what cannot be read is said, and the next line is asked for.";

/// What to explain.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ExplainArguments {
    /// The certificate's folder
    certificate: PathBuf,
    /// The position [default: the start of the certificate]
    fen: Option<String>,
    /// Go on from there by these moves, such as "11-15 23-19"
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// Name the object and the offset of each node and leaf, too
    #[arg(long)]
    hashes: bool,
    /// Then read positions and moves from standard input, one a line ("help" tells more)
    #[arg(long, short)]
    interactive: bool,
    /// The folder of databases
    #[arg(long, value_name = "DIR", default_value = "egdb")]
    db: PathBuf,
    /// The most that tables of values may take [default: three quarters of the memory that is
    /// free]
    #[arg(long, value_name = "SIZE", value_parser = arguments::parse_size)]
    memory: Option<u64>,
}

/// What was said of a position.
pub(crate) struct Explained {
    /// In words.
    pub(crate) text: String,
    /// 0, or 6 if there was nothing to say.
    pub(crate) status: u8,
}

impl ExplainArguments {
    /// The position that is asked about.
    fn position(&self, board: &Board, start: &Position) -> Result<Position, String> {
        let from = self.fen.as_ref().map_or(Ok(*start), |text| fen::read(board, text))?;
        notation::play(board, &from, self.moves.as_deref().unwrap_or_default())
    }

    /// Explains the position, and then others if that was asked for.
    ///
    /// # Errors
    /// [`Stop`] if the certificate cannot be read, or there is no such position.
    pub(crate) fn run(&self) -> Result<Explained, Stop> {
        let memory = self.memory.unwrap_or_else(memory::default_bound);
        let progress = arguments::progress();
        let options = Options { memory, progress, ..Options::new(&self.db) };
        let certificate = Certificate::read(&self.certificate, options.level)?;
        // Before a database is read, which may take a while.
        let position = self.position(certificate.game.board(), &certificate.start);
        let position = position.map_err(Stop::Error)?;
        let explainer = Explainer::new(certificate, &options)?;
        if !self.interactive {
            return Ok(text::explain(&explainer, &position, self.hashes));
        }
        interactive::answer_all(&explainer, position, self.hashes)
            .map_err(|e| Stop::Error(format!("standard input or output: {e}")))?;
        Ok(Explained { text: String::new(), status: 0 })
    }
}
