//! The lemmas that the items of a question rest on: strategies that earlier rounds have applied.

use std::collections::HashSet;

use certificate_spec::Digest;
use draughtproof_proof::proof::{BadAnswer, SearchContext, replay_round};
use draughtproof_proof::search::Lemmas;

use crate::board::Side;

/// The lemmas of a question that a worker has.
#[derive(Default)]
pub(super) struct QuestionLemmas {
    /// The lemmas of all rounds that have been replayed.
    pub(super) lemmas: Lemmas,
    /// The bytes of the manager's rounds that have been received so far.
    pub(super) rounds: Vec<u8>,
    /// The number of bytes of the rounds that are among the lemmas already.
    learnt: usize,
    /// The digests of the earlier states of the lemmas.
    pub(super) earlier: HashSet<Digest>,
}

impl QuestionLemmas {
    /// Replays the next round that has been received; returns whether there was one.
    pub(super) fn replay_next(
        &mut self,
        attacker: Side,
        context: &SearchContext<'_>,
    ) -> Result<bool, BadAnswer> {
        let rest = &self.rounds[self.learnt..];
        let Some((length, rest)) = rest.split_first_chunk() else { return Ok(false) };
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let Some(round) = rest.get(..length) else { return Ok(false) };
        self.earlier.insert(self.lemmas.digest());
        replay_round(&mut self.lemmas, round, attacker, context)?;
        self.learnt += size_of::<u64>() + length;
        Ok(true)
    }

    /// Drops all lemmas, and, unless `keep` is set, the received rounds.
    pub(super) fn clear(&mut self, keep: bool) {
        let rounds = if keep { std::mem::take(&mut self.rounds) } else { Vec::new() };
        *self = QuestionLemmas { rounds, ..QuestionLemmas::default() };
    }
}
