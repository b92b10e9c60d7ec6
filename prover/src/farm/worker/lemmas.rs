//! What the items of a question rest on: strategies that earlier rounds have applied. A worker asks
//! the manager for them, replays them, and keeps them.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use certificate_spec::Digest;

use super::Shared;
use super::jobs::OpenJob;
use crate::board::Side;
use crate::farm::names::lemmas_subject;
use crate::farm::wire::{RoundsReply, RoundsRequest, decode, encode};
use crate::proof::learn;
use crate::search::Lemmas;

/// What is missing is asked for again after so long.
const PAUSE: Duration = Duration::from_millis(200);
/// After so long an item is given back: its manager does not know what it rests on.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is known of a question.
#[derive(Default)]
pub(super) struct Known {
    lemmas: Lemmas,
    /// The rounds as the manager has them, as far as they have come.
    rounds: Vec<u8>,
    /// Bytes of them that are among the lemmas.
    learnt: usize,
    /// What was known before.
    earlier: HashSet<Digest>,
}

impl Known {
    /// What is known.
    pub(super) fn lemmas(&self) -> &Lemmas {
        &self.lemmas
    }

    /// Goes on by a round that is there; says whether one was.
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

    /// Begins again with the rounds that are there, or without any.
    fn begin_again(&mut self, keep: bool) {
        let rounds = if keep { std::mem::take(&mut self.rounds) } else { Vec::new() };
        *self = Known { rounds, ..Known::default() };
    }
}

/// Waits until exactly that is known which has a digest; `None` if this worker is to end before.
///
/// # Errors
/// Why that does not come.
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
            // An item of an earlier round, which was handed out again.
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
        // Another thread may have been faster.
        if there.rounds.len() == from {
            there.rounds.extend_from_slice(&more);
        }
        drop(there);
        if shared.is_ending() || job.is_over() {
            return Ok(None);
        }
        if more.is_empty() {
            if Instant::now() > deadline {
                // Perhaps what is here is not what the manager has.
                known.write().unwrap_or_else(PoisonError::into_inner).begin_again(false);
                return Err("its manager does not say what it rests on".into());
            }
            std::thread::sleep(PAUSE.saturating_sub(begin.elapsed()));
        }
    }
}

/// Asks the manager for what comes after so many bytes; nothing if there is nothing, or no answer.
fn ask(shared: &Shared, job: &OpenJob, attacker: Side, from: u64) -> Vec<u8> {
    let request = encode(&RoundsRequest { white_attacks: attacker == Side::White, from });
    let subject = lemmas_subject(&job.name);
    let answer = shared.runtime.block_on(shared.link.client.request(subject, request.into()));
    let reply = answer.ok().and_then(|answer| decode::<RoundsReply>(&answer.payload).ok());
    reply.map(|reply| reply.bytes).unwrap_or_default()
}
