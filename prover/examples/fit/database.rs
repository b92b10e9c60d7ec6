//! Samples from the database itself.

use prover::egdb::{Slice, position_at};

use crate::play::{Player, Random, Sample, for_black, sample};

/// Positions of the database in which neither side is far ahead.
pub fn samples(player: &Player<'_>, count: u64) -> Vec<Sample> {
    let mut slices = Slice::all(player.board(), player.database.cover());
    slices.retain(|s| (s.men + s.kings).abs_diff(s.enemy_men + s.enemy_kings) <= 1);
    let mut random = Random::new(player.seed);
    let mut samples = Vec::new();
    while (samples.len() as u64) < count {
        let slice = slices[random.below(slices.len() as u64) as usize];
        let index = random.below(1 << 30) << 30 | random.below(1 << 30);
        let index = index % slice.indices(player.board());
        let Some(position) = position_at(player.board(), slice, index) else { continue };
        if let Some(value) = player.database.probe(&position)
            && player.is_quiet(&position)
        {
            samples.push(sample(position, for_black(&position, value)));
        }
    }
    samples
}
