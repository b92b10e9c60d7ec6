//! `prove explain`.

use std::collections::HashSet;
use std::path::PathBuf;

use certificate_spec::claim::Question;
use clap::Args;
use draughtproof_play::lookup::{Place, ProvedPositions, question_name};
use draughtproof_proof::certificate::{Stored, StoredProof, claimant};
use serde::Serialize;

use crate::board::Position;
use crate::cli::failure::Failure;
use crate::cli::output::{QuietOption, ResultOptions};

/// The most positions of a line that are shown.
const MOST: usize = 40;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  prove explain cert                         a line of the proof from the start of the certificate
  prove explain cert --moves 4-7             after this move, or several as in \"4-7 15-12\"
  prove explain cert B:W13-18:B1-6           from a position

For each question of the claim a line of the proof is shown: in each position the chosen move of the side with the claim, \
or all replies of the other side with the answer to each, and where that leads: to a node, into a leaf, to the database, or \
to the end of the game. The line goes on with the first reply that leads to a position not shown before. Nothing is \
checked: let check verify the certificate.

Exit status: as for prove. 3 if the certificate is damaged or is no proof.")]
pub(crate) struct Options {
    /// The certificate
    #[arg(value_name = "CERT")]
    certificate: PathBuf,
    /// The position [default: the start of the certificate]
    #[arg(value_name = "FEN")]
    fen: Option<String>,
    /// Go on from there by these moves, such as "11-15 23-19"
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    #[command(flatten)]
    result: ResultOptions,
    #[command(flatten)]
    quiet: QuietOption,
}

/// A position of a line, in JSON.
#[derive(Serialize)]
struct Step {
    question: &'static str,
    fen: String,
    place: String,
    /// The chosen move, or all replies.
    moves: Vec<Move>,
}

/// A move, the answer to it, and the place of the position after both.
#[derive(Serialize)]
struct Move {
    made: String,
    /// The answer to a reply of the other side; none where there is nothing to answer.
    answer: Option<String>,
    place: String,
    #[serde(skip)]
    end: Position,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut table = options.result.begin_table()?;
    let stored = Stored::read(&options.certificate)?;
    let board = &stored.game.board;
    let fen = options.fen.as_ref().unwrap_or(&stored.claim.start);
    let mut start = board.read_fen(fen)?;
    if let Some(moves) = &options.moves {
        start = board.read_line(&start, moves)?.last().copied().unwrap_or(start);
    }
    let work = stored.proofs.iter().map(StoredProof::positions).sum();
    let bar = options.quiet.progress().start("replaying".into(), work, "position");
    let proved = ProvedPositions::new(&stored)?;
    bar.finish();
    let mut says_something = false;
    for proof in &stored.proofs {
        let line = Line { stored: &stored, proved: &proved, question: proof.question };
        let mut seen = HashSet::new();
        let mut next = Some(start);
        while let Some(position) = next.filter(|position| seen.insert(position.key())) {
            let step = line.step(&position)?;
            table.row(&step, &step.text())?;
            let is_new = |end: &Position| line.is_in_proof(end) && !seen.contains(&end.key());
            next = step.moves.iter().map(|m| m.end).find(is_new).filter(|_| seen.len() < MOST);
        }
        says_something |= line.place(&start) != OUTSIDE;
    }
    table.finish()?;
    match says_something {
        true => Ok(()),
        false => Err(Failure::Input(format!(
            "the certificate says nothing of {}",
            board.write_fen(&start)
        ))),
    }
}

/// The place of a position that the proof does not have.
const OUTSIDE: &str = "not in the proof";

/// The proof of a question.
struct Line<'a> {
    stored: &'a Stored,
    proved: &'a ProvedPositions,
    question: Question,
}

impl Line<'_> {
    fn is_in_proof(&self, position: &Position) -> bool {
        self.proved.place_for(self.question, position).is_some()
    }

    fn place(&self, position: &Position) -> String {
        match self.proved.place_for(self.question, position) {
            Some(Place::Node(number)) => format!("node {number}"),
            Some(Place::Leaf(number)) => format!("leaf {number}"),
            None if !self.stored.game.board.can_move(position) => "the game is over".into(),
            None if self.stored.admits(position) => "the database".into(),
            None => OUTSIDE.into(),
        }
    }

    fn step(&self, position: &Position) -> Result<Step, Failure> {
        let board = &self.stored.game.board;
        let claimant_moves = position.turn == claimant(self.question);
        let mut after = Vec::new();
        match self.is_in_proof(position) {
            true if claimant_moves => {
                after.extend(self.proved.choice_for(self.question, position));
            }
            true => board.successors(position, &mut after),
            false => {}
        }
        let mut moves = Vec::new();
        for after in after {
            let mut answer = None;
            if !claimant_moves {
                answer = self.proved.choice_for(self.question, &after);
            }
            let end = answer.unwrap_or(after);
            moves.push(Move {
                made: board.write_move(position, &after)?,
                answer: answer.map(|end| board.write_move(&after, &end)).transpose()?,
                place: self.place(&end),
                end,
            });
        }
        let (question, fen) = (question_name(self.question), board.write_fen(position));
        Ok(Step { question, fen, place: self.place(position), moves })
    }
}

impl Step {
    fn text(&self) -> String {
        let Step { question, fen, place, moves } = self;
        let mut text = format!("{question}: {fen}: {place}");
        for Move { made, answer, place, .. } in moves {
            let answer = answer.as_ref().map_or(String::new(), |answer| format!(", then {answer}"));
            text += &format!("\n  {made}{answer}: {place}");
        }
        text
    }
}
