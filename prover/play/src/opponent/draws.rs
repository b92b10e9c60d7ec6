//! Strong and weak draws: among the moves that keep a draw, the strong ones are those after which
//! the opponent can make a losing mistake.

use super::kept_value::KeptValue;
use crate::board::Position;
use crate::egdb::Value;
use crate::lookup::LookupError;

/// The number of replies in a row that the opponent has to find.
const REPLIES: u32 = 2;
/// The weight of a later reply, as a share of the one before.
const LATER: f64 = 0.5;
/// The weight of a losing reply after which a piece can be captured at once: most players see that.
const PLAIN: f64 = 0.25;
/// The score if all replies lose, in hundredths of a man.
const ALL_LOSE: f64 = 1600.0;
/// The depth of the search that decides between moves with equal dangers, in plies.
const PLIES: u32 = 4;

impl KeptValue<'_, '_> {
    /// The strength of a drawn position for the side that has just moved: a score in hundredths of
    /// a man, from the share of the opponent's replies that lose and from the evaluation.
    pub(super) fn strength_of_draw(&self, after: &Position) -> Result<i32, LookupError> {
        let danger = self.danger(after, REPLIES)?;
        let score = -self.score(after, Value::Draw, PLIES)?;
        Ok((danger * ALL_LOSE) as i32 + score)
    }

    /// The weighted share of the replies to a drawn position that lose. For replies that keep the
    /// draw, the share that follows our best move counts, too.
    fn danger(&self, position: &Position, replies: u32) -> Result<f64, LookupError> {
        let mut moves = Vec::new();
        self.lookup.board.successors(position, &mut moves);
        let mut sum = 0.0;
        for after in &moves {
            sum += match self.lookup.values.known(after)?.value() {
                Some(Value::Win) if self.lookup.board.can_capture(after) => PLAIN,
                Some(Value::Win) => 1.0,
                Some(Value::Draw) if replies > 1 => {
                    LATER * self.danger_after(after, replies - 1)?
                }
                _ => 0.0,
            };
        }
        Ok(sum / moves.len().max(1) as f64)
    }

    /// Like `danger`, after the best of our moves that keep the draw.
    fn danger_after(&self, position: &Position, replies: u32) -> Result<f64, LookupError> {
        let mut best = 0.0_f64;
        for after in self.moves(position, Value::Draw)? {
            best = best.max(self.danger(&after, replies)?);
        }
        Ok(best)
    }
}
