//! Quiescence search, at the end of a path: captures are played out, then the position is
//! evaluated.

use super::claims::{Claims, Gathered};
use super::order::Moves;
use super::run::{Found, Run};
use super::score::{INFINITE, WIN, claims_allow};
use crate::board::Position;

impl Run<'_> {
    /// The value of a position without captures at the end of a path.
    pub(super) fn leaf(&mut self, position: &Position, ply: usize) -> Found {
        if self.shared.board.can_move(position) {
            Found { score: self.shared.evaluation.score(position), claims: Claims::NONE }
        } else {
            Found { score: ply as i32 - WIN, claims: Gathered::new().all() }
        }
    }

    /// Searches the captures of a position, one of which must be made.
    pub(super) fn captures(&mut self, position: &Position, mut alpha: i32, beta: i32) -> Found {
        let moves = self.state.order.generate(self.shared.board, position, true);
        if moves.len() > 1 {
            self.state.order.rank_captures(position, moves, None);
        }
        let found = self.best_capture(moves, &mut alpha, beta);
        self.state.order.drop(moves);
        found
    }

    fn best_capture(&mut self, moves: Moves, alpha: &mut i32, beta: i32) -> Found {
        let ply = self.state.path.ply();
        let mut best = -INFINITE;
        let mut gathered = Gathered::new();
        for place in moves.start..moves.end {
            let candidate = self.state.order.pick(place, moves.end);
            let found = self.successor(&candidate.position, 0, *alpha, beta);
            if self.stopped {
                break;
            }
            gathered.add(found.claims);
            best = best.max(found.score);
            if best > *alpha {
                if beta - *alpha > 1 {
                    self.extend_line(ply, &candidate.position);
                }
                *alpha = best;
            }
            if best >= beta && place + 1 < moves.end {
                return Found { score: best, claims: gathered.some() };
            }
        }
        let claims = gathered.all();
        Found { score: claims_allow(claims, best), claims }
    }
}
