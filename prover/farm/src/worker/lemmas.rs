//! The lemmas that the items of a question rest on: strategies that earlier rounds have applied. A
//! worker asks the manager for them, replays them, and keeps them.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use certificate_spec::Digest;
use draughtproof_proof::proof::learn;
use draughtproof_proof::search::Lemmas;

use super::Shared;
use super::jobs::OpenJob;
use crate::board::Side;
use crate::names::lemmas_subject;
use crate::wire::{RoundsReply, RoundsRequest, decode, encode};

/// Interval at which missing rounds are requested again.
const PAUSE: Duration = Duration::from_millis(200);
/// Time after which an item is given back because its manager has not sent the rounds that it rests
/// on.
const PATIENCE: Duration = Duration::from_secs(30);

/// The lemmas of a question that a worker has.
#[derive(Default)]
pub(super) struct Known {
    lemmas: Lemmas,
    /// The bytes of the manager's rounds that have been received so far.
    rounds: Vec<u8>,
    /// The number of bytes of the rounds that are among the lemmas already.
    learnt: usize,
    /// The digests of the earlier states of the lemmas.
    earlier: HashSet<Digest>,
}

impl Known {
    /// The lemmas of all rounds that have been replayed.
    pub(super) fn lemmas(&self) -> &Lemmas {
        &self.lemmas
    }

    /// Replays the next round that has been received; returns whether there was one.
    fn learn_next(&mut self, attacker: Side, job: &OpenJob) -> Result<bool, String> {
        let rest = &self.rounds[self.learnt..];
        let Some((length, rest)) = rest.split_first_chunk() else { return Ok(false) };
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let Some(round) = rest.get(..length) else { return Ok(false) };
        self.earlier.insert(self.lemmas.digest());
        learn(&mut self.lemmas, round, attacker, &job.context()).map_err(|e| e.to_string())?;
        self.learnt += size_of::<u64>() + length;
        Ok(true)
    }

    /// Drops all lemmas, and, unless `keep` is set, the received rounds.
    fn begin_again(&mut self, keep: bool) {
        let rounds = if keep { std::mem::take(&mut self.rounds) } else { Vec::new() };
        *self = Known { rounds, ..Known::default() };
    }
}

/// Waits until the lemmas have exactly the digest `wanted`; `None` if this worker is to end before
/// that.
///
/// # Errors
/// The reason why these lemmas do not come.
pub(super) fn reach<'a>(
    shared: &Shared,
    job: &'a OpenJob,
    attacker: Side,
    wanted: Digest,
) -> Result<Option<RwLockReadGuard<'a, Known>>, String> {
    let known: &RwLock<Known> = job.known(attacker);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let there = known.read().unwrap_or_else(PoisonError::into_inner);
        if there.lemmas.digest() == wanted {
            return Ok(Some(there));
        }
        drop(there);
        let mut there = known.write().unwrap_or_else(PoisonError::into_inner);
        if there.earlier.contains(&wanted) {
            // An item of an earlier round was handed out again: its lemmas are learnt anew.
            there.begin_again(true);
        }
        while there.lemmas.digest() != wanted {
            match there.learn_next(attacker, job) {
                Ok(true) => {}
                Ok(false) => break,
                Err(why) => {
                    there.begin_again(false);
                    return Err(format!("strategies that do not hold: {why}"));
                }
            }
        }
        if there.lemmas.digest() == wanted {
            continue;
        }
        let (from, begin) = (there.rounds.len(), Instant::now());
        drop(there);
        let more = ask(shared, job, attacker, from as u64);
        let mut there = known.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have received these bytes first.
        if there.rounds.len() == from {
            there.rounds.extend_from_slice(&more);
        }
        drop(there);
        if shared.is_ending() || job.is_over() {
            return Ok(None);
        }
        if more.is_empty() {
            if Instant::now() > deadline {
                // The received rounds may differ from those of the manager.
                known.write().unwrap_or_else(PoisonError::into_inner).begin_again(false);
                return Err("its manager does not say what it rests on".into());
            }
            std::thread::sleep(PAUSE.saturating_sub(begin.elapsed()));
        }
    }
}

/// Asks the manager for the rounds from offset `from` on. The result is empty if there are no more
/// or no answer comes.
fn ask(shared: &Shared, job: &OpenJob, attacker: Side, from: u64) -> Vec<u8> {
    let request = encode(&RoundsRequest { white_attacks: attacker == Side::White, from });
    let subject = lemmas_subject(&job.name);
    let answer = shared.runtime.block_on(shared.link.client.request(subject, request.into()));
    let reply = answer.ok().and_then(|answer| decode::<RoundsReply>(&answer.payload).ok());
    reply.map(|reply| reply.bytes).unwrap_or_default()
}
