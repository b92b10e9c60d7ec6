//! The strategies that a round has applied, and how they become lemmas: in this process and, as
//! bytes, in workers on other machines.

use certificate_spec::Digest;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::item::{BadAnswer, SearchContext};
use crate::board::{Board, Position, Side};
use crate::search::{Lemmas, PackedStrategy};
use crate::wire;

/// A strategy in its encoded form.
#[derive(Serialize, Deserialize)]
struct WireStrategy {
    white_moves: bool,
    /// Sets of squares, a bit for each square.
    black: u32,
    white: u32,
    kings: u32,
    strategy: PackedStrategy,
}

/// Encodes the strategies of a round, in the order in which they were applied.
pub(super) fn encode(board: &Board, round: &[(Position, PackedStrategy)]) -> Vec<u8> {
    let mut strategies = Vec::with_capacity(round.len());
    for (position, strategy) in round {
        strategies.push(WireStrategy {
            white_moves: position.turn == Side::White,
            black: board.to_dense(position.black),
            white: board.to_dense(position.white),
            kings: board.to_dense(position.kings),
            strategy: strategy.clone(),
        });
    }
    wire::encode(&strategies)
}

/// Adds all positions of a round's strategies to the lemmas. Each strategy is replayed first, so
/// bytes from an untrusted source do no harm.
///
/// # Errors
/// [`BadAnswer`] if the bytes are no strategies, or if one does not hold; no lemma is added then.
pub fn replay_round(
    lemmas: &mut Lemmas,
    round: &[u8],
    attacker: Side,
    context: &SearchContext<'_>,
) -> Result<(), BadAnswer> {
    let strategies: Vec<WireStrategy> = wire::decode(round).ok_or(BadAnswer::Bytes)?;
    let known = SearchContext { lemmas: Some(lemmas), ..*context };
    let goal = known.goal(attacker);
    let all = strategies.par_iter().map(|wire| {
        let &WireStrategy { white_moves, black, white, kings, ref strategy } = wire;
        let turn = if white_moves { Side::White } else { Side::Black };
        let position = context.board.position(black, white, kings, turn);
        let position = position.ok_or(BadAnswer::Bytes)?;
        let PackedStrategy { is_win, leaf } = strategy;
        Ok((*is_win, goal.replay(*is_win).positions(leaf, &position)?))
    });
    let all: Vec<_> = all.collect::<Result<_, BadAnswer>>()?;
    lemmas.add(all, Digest::of(round));
    Ok(())
}
