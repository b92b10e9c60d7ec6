//! The first moves of a proof: the claimant's as the proof chooses them, all of the other side's.

use certificate_spec::claim::Question;
use draughtproof_play::lookup::{Place, question_name};
use draughtproof_proof::certificate::claimant;
use serde::Serialize;
use utoipa::ToSchema;

use super::site::ServedCertificate;
use crate::board::{MoveError, Position};

/// The most lines of an answer.
const LINES: usize = 2_000;

/// A line from the start of a proof.
#[derive(Serialize, ToSchema)]
pub(super) struct OpeningLine {
    #[schema(example = "black-not-lost")]
    question: &'static str,
    /// The moves, separated by blanks.
    #[schema(example = "4-7 15-12")]
    moves: String,
    /// The FEN of the position after them.
    fen: String,
    /// The place of the position in the proof: `node`, `leaf`, or `database` where that takes over.
    place: &'static str,
}

/// The lines of `plies` plies, or fewer where the game or the proof ends or the database takes
/// over; at most 2,000 lines.
pub(super) fn opening_lines(
    certificate: &ServedCertificate,
    plies: usize,
) -> Result<Vec<OpeningLine>, MoveError> {
    let mut lines = Vec::new();
    for proof in &certificate.stored.proofs {
        let walk = Walk { certificate, question: proof.question, plies };
        walk.go_on(&certificate.stored.start, &mut Vec::new(), &mut lines)?;
    }
    Ok(lines)
}

struct Walk<'a> {
    certificate: &'a ServedCertificate,
    question: Question,
    plies: usize,
}

impl Walk<'_> {
    fn go_on(
        &self,
        at: &Position,
        names: &mut Vec<String>,
        lines: &mut Vec<OpeningLine>,
    ) -> Result<(), MoveError> {
        let board = &self.certificate.stored.game.board;
        let proved = &self.certificate.proved;
        let mut successors = Vec::new();
        let place = proved.place_for(self.question, at);
        if names.len() < self.plies && place.is_some() {
            board.successors(at, &mut successors);
            if at.turn == claimant(self.question) {
                let choice = proved.choice_for(self.question, at);
                successors.retain(|after| Some(*after) == choice);
            }
        }
        for after in &successors {
            names.push(board.write_move(at, after)?);
            self.go_on(after, names, lines)?;
            names.pop();
        }
        if successors.is_empty() && lines.len() < LINES {
            lines.push(OpeningLine {
                question: question_name(self.question),
                moves: names.join(" "),
                fen: board.write_fen(at),
                place: match place {
                    Some(Place::Node(_)) => "node",
                    Some(Place::Leaf(_)) => "leaf",
                    None => "database",
                },
            });
        }
        Ok(())
    }
}
