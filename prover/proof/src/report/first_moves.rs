//! The first moves of a proof: the claimant's move at the start and its answer to each first reply.

use super::html::name;
use crate::board::{Board, MoveError, Position};
use crate::certificate::{BrokenProof, ProofMoves, Stored, StoredProof};

/// The first moves of a question, by name.
pub struct FirstMoves {
    /// The claimant's first move, where it moves first.
    pub first: Option<String>,
    /// Each move of the other side, and the claimant's answer.
    pub replies: Vec<[String; 2]>,
}

/// The reason why first moves cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum FirstMovesError {
    #[error(transparent)]
    Broken(#[from] BrokenProof),
    #[error(transparent)]
    Move(#[from] MoveError),
}

impl FirstMoves {
    /// The first moves of a question.
    pub fn new(stored: &Stored, proof: &StoredProof) -> Result<Self, FirstMovesError> {
        let board = &stored.game.board;
        let mut moves = ProofMoves::new(stored);
        let start = stored.start;
        let claimant = proof.claimant();
        let mut first = None;
        let mut from = start;
        if start.turn == claimant {
            let Some((_, after)) = moves.choice(&start)? else {
                return Ok(FirstMoves { first: None, replies: Vec::new() });
            };
            first = Some(board.write_move(&start, &after)?);
            from = after;
        }
        let mut replies = Vec::new();
        if !is_in_database(stored, &from) {
            let mut successors = Vec::new();
            board.successors(&from, &mut successors);
            for after in successors {
                let reply = board.write_move(&from, &after)?;
                replies.push([reply, answer(stored, board, &mut moves, &after)?]);
            }
        }
        Ok(FirstMoves { first, replies })
    }
}

fn is_in_database(stored: &Stored, position: &Position) -> bool {
    let [black, white] = [position.black, position.white].map(u64::count_ones);
    stored.claim.cover.admits(black, white)
}

fn answer(
    stored: &Stored,
    board: &Board,
    moves: &mut ProofMoves<'_>,
    position: &Position,
) -> Result<String, FirstMovesError> {
    if is_in_database(stored, position) {
        return Ok("in the database".into());
    }
    if !board.can_move(position) {
        return Ok(format!("{} has no move", name(position.turn)));
    }
    Ok(match moves.choice(position)? {
        Some((_, after)) => board.write_move(position, &after)?,
        None => "not in the proof".into(),
    })
}
