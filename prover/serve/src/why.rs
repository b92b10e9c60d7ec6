//! The reason why a position holds in a proof: the claimant's answer to each move, and what lies
//! below it.

use certificate_spec::claim::Question;
use draughtproof_play::lookup::{Place, ProvedPositions, question_name};
use draughtproof_proof::certificate::{StoredBasis, StoredProof, claimant};
use draughtproof_proof::search::KeyMap;
use serde::Serialize;
use std::collections::BTreeSet;
use utoipa::ToSchema;

use super::certificate_answer::{NamedMove, named};
use super::site::ServedCertificate;
use crate::board::{Board, MoveError, Position};

/// The most positions that are counted below a move.
const COUNTED: usize = 100_000;

/// A position of a proof, and what follows there.
#[derive(Serialize, ToSchema)]
pub(super) struct WhyAnswer {
    #[schema(example = "black-not-lost")]
    question: &'static str,
    fen: String,
    /// The place of the position in the proof.
    place: PlaceAnswer,
    /// Whether the side whose claim is proved is to move. Then there is one move, its choice;
    /// otherwise there are all moves of the other side.
    claimant_moves: bool,
    /// The moves; none outside the proof and where the database takes over.
    moves: Vec<WhyMove>,
}

/// The place of a position in a proof.
#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum PlaceAnswer {
    /// A node.
    Node {
        /// The number of the node among those of the question, from 0.
        number: usize,
    },
    /// A position of a leaf.
    Leaf {
        /// The number of the leaf among those of the question, from 0.
        number: usize,
        /// The number of the node that the leaf belongs to.
        node: Option<usize>,
    },
    /// The database takes over here.
    Database,
    /// The game is over.
    Over,
    /// The proof does not have the position.
    Outside,
}

/// A move, the answer to it, and what lies below.
#[derive(Serialize, ToSchema)]
struct WhyMove {
    #[serde(flatten)]
    made: NamedMove,
    /// The claimant's answer; none if the claimant made the move, or has none to make.
    answer: Option<NamedMove>,
    /// The place of the position after the move and its answer.
    place: PlaceAnswer,
    /// The part of the proof below it.
    below: Below,
}

/// The positions of a proof that can be reached from a position, itself included.
#[derive(Clone, Copy, Serialize, ToSchema)]
struct Below {
    /// Nodes of the tree.
    nodes: usize,
    /// Positions that only leaves have.
    positions: usize,
    /// The leaves that have them.
    leaves: usize,
    /// Whether there are more: no more than 100,000 positions are counted.
    more: bool,
}

/// Returns what follows at a position in the proof of a question.
pub(super) fn why(
    certificate: &ServedCertificate,
    proof: &StoredProof,
    position: &Position,
) -> Result<WhyAnswer, MoveError> {
    let why = Why {
        certificate,
        proof,
        proved: &certificate.proved,
        board: &certificate.stored.game.board,
        question: proof.question,
    };
    why.answer(position)
}

struct Why<'a> {
    certificate: &'a ServedCertificate,
    proof: &'a StoredProof,
    proved: &'a ProvedPositions,
    board: &'a Board,
    question: Question,
}

impl Why<'_> {
    fn answer(&self, position: &Position) -> Result<WhyAnswer, MoveError> {
        let claimant_moves = position.turn == claimant(self.question);
        let mut moves = Vec::new();
        for after in self.followers(position) {
            let answer = match claimant_moves {
                true => None,
                false => self.proved.choice_for(self.question, &after),
            };
            let end = answer.unwrap_or(after);
            moves.push(WhyMove {
                made: named(self.board, position, &after)?,
                answer: answer.map(|answer| named(self.board, &after, &answer)).transpose()?,
                place: self.place(&end),
                below: self.below(&end),
            });
        }
        Ok(WhyAnswer {
            question: question_name(self.question),
            fen: self.board.write_fen(position),
            place: self.place(position),
            claimant_moves,
            moves,
        })
    }

    /// The positions that the proof goes on with: after the claimant's choice, or after each move
    /// of the other side.
    fn followers(&self, position: &Position) -> Vec<Position> {
        if self.proved.place_for(self.question, position).is_none() {
            return Vec::new();
        }
        if position.turn == claimant(self.question) {
            return self.proved.choice_for(self.question, position).into_iter().collect();
        }
        let mut successors = Vec::new();
        self.board.successors(position, &mut successors);
        successors
    }

    fn place(&self, position: &Position) -> PlaceAnswer {
        match self.proved.place_for(self.question, position) {
            Some(Place::Node(number)) => PlaceAnswer::Node { number },
            Some(Place::Leaf(number)) => {
                let has_it = |basis| basis == StoredBasis::Leaf(number);
                let node = self.proof.nodes.iter().position(|node| has_it(node.basis));
                PlaceAnswer::Leaf { number, node }
            }
            None if !self.board.can_move(position) => PlaceAnswer::Over,
            None if self.certificate.stored.admits(position) => PlaceAnswer::Database,
            None => PlaceAnswer::Outside,
        }
    }

    fn below(&self, position: &Position) -> Below {
        let mut below = Below { nodes: 0, positions: 0, leaves: 0, more: false };
        let mut leaves = BTreeSet::new();
        let mut seen = KeyMap::default();
        let mut open = vec![*position];
        while let Some(next) = open.pop() {
            let Some(place) = self.proved.place_for(self.question, &next) else { continue };
            if seen.insert(next.key(), ()).is_some() {
                continue;
            }
            if seen.len() > COUNTED {
                below.more = true;
                break;
            }
            match place {
                Place::Node(_) => below.nodes += 1,
                Place::Leaf(number) => {
                    below.positions += 1;
                    leaves.insert(number);
                }
            }
            open.extend(self.followers(&next));
        }
        Below { leaves: leaves.len(), ..below }
    }
}
