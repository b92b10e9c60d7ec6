//! Random positions of a database.

use draughtproof_egdb::{Slice, Value, Values, position_at};
use draughtproof_game::{Board, Position};

use super::Failure;
use super::random::Random;

/// The number of positions in a row that are not wanted after which there are taken to be none.
const PATIENCE: u32 = 1_000_000;

/// Positions with a number of pieces.
pub struct Sample<'a> {
    pub board: &'a Board,
    pub values: &'a Values,
    pub pieces: u8,
    /// The seed; equal seeds give equal positions.
    pub seed: u64,
}

impl Sample<'_> {
    /// Draws a number of positions with wanted values, with equal chance from all such positions;
    /// either side is to move.
    pub fn draw(
        &self,
        count: usize,
        is_wanted: impl Fn(Value) -> bool,
    ) -> Result<Vec<Position>, Failure> {
        let slices: Vec<Slice> = Slice::all(self.board, self.values.cover())
            .into_iter()
            .filter(|slice| slice.pieces() == self.pieces)
            .collect();
        let all: u64 = slices.iter().map(|slice| slice.indices(self.board)).sum();
        let mut random = Random::new(self.seed << 8 | u64::from(self.pieces));
        let (mut drawn, mut missed) = (Vec::new(), 0);
        while drawn.len() < count {
            let position = self.at(&slices, random.next() % all.max(1));
            let position = position.filter(|p| self.values.probe(p).is_some_and(&is_wanted));
            missed = if position.is_some() { 0 } else { missed + 1 };
            if missed > PATIENCE {
                return Err(format!("expected such positions with {} pieces", self.pieces).into());
            }
            let is_turned = random.next().is_multiple_of(2);
            drawn.extend(position.map(|p| if is_turned { p.twin(self.board) } else { p }));
        }
        Ok(drawn)
    }

    /// The position with a number among those of all slices.
    fn at(&self, slices: &[Slice], mut index: u64) -> Option<Position> {
        for &slice in slices {
            let indices = slice.indices(self.board);
            if index < indices {
                return position_at(self.board, slice, index);
            }
            index -= indices;
        }
        None
    }
}
