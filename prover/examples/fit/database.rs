//! Samples positions of the database.

use draughtproof_egdb::{Slice, position_at};

use crate::play::{Player, Sample, for_black, sample};
use crate::random::Random;

/// Positions of the database in which neither side is far ahead, with their values.
pub fn samples(player: &Player<'_>, count: u64) -> Vec<Sample> {
    let mut slices = Slice::all(player.board(), player.database.cover());
    slices.retain(|s| (s.men + s.kings).abs_diff(s.enemy_men + s.enemy_kings) <= 1);
    let mut random = Random::new(player.seed);
    let mut samples = Vec::new();
    while (samples.len() as u64) < count {
        let slice = slices[random.below(slices.len())];
        let index = random.next() % slice.indices(player.board());
        let Some(position) = position_at(player.board(), slice, index) else { continue };
        if let Some(value) = player.database.probe(&position)
            && player.is_quiet(&position)
        {
            samples.push(sample(position, 0, for_black(&position, value)));
        }
    }
    samples
}
