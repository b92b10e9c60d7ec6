//! The strategies that the rounds of each question have applied, for workers whose items rest on
//! them.
//!
//! The rounds of a question are one string of bytes that only grows, and workers ask for the part
//! of it that they do not have. A manager that is started again has an equal string as soon as it
//! has gone over its ledger. Workers replay all of it, so the manager need not be trusted.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;

use super::Shared;
use crate::board::Side;
use crate::names::lemmas_subject;
use crate::wire::{RoundsReply, RoundsRequest, decode, encode};

/// The most bytes of one answer, well below the megabyte that a broker takes.
const MOST_BYTES: usize = 256 << 10;
/// Delay before the next attempt after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// The rounds of both questions, each with its length before it.
#[derive(Default)]
pub(super) struct Rounds {
    black: Vec<u8>,
    white: Vec<u8>,
}

impl Rounds {
    fn of(&mut self, attacker: Side) -> &mut Vec<u8> {
        match attacker {
            Side::Black => &mut self.black,
            Side::White => &mut self.white,
        }
    }

    /// Appends a round to those of a question.
    pub(super) fn add(&mut self, attacker: Side, round: &[u8]) {
        let all = self.of(attacker);
        all.extend((round.len() as u64).to_le_bytes());
        all.extend(round);
    }

    /// The bytes of a question's rounds from offset `from` on, at most [`MOST_BYTES`] of them.
    fn after(&mut self, attacker: Side, from: u64) -> Vec<u8> {
        let rest = usize::try_from(from).ok().and_then(|from| self.of(attacker).get(from..));
        rest.map_or(&[][..], |rest| &rest[..rest.len().min(MOST_BYTES)]).to_vec()
    }
}

/// Answers the requests of workers until the task is aborted.
pub(super) async fn answer(shared: Arc<Shared>) {
    let client = &shared.link.client;
    loop {
        if let Ok(mut asked) = client.subscribe(lemmas_subject(&shared.job.name)).await {
            while let Some(message) = asked.next().await {
                let request = decode::<RoundsRequest>(&message.payload);
                let (Some(reply), Ok(RoundsRequest { white_attacks, from })) =
                    (message.reply, request)
                else {
                    continue;
                };
                let attacker = if white_attacks { Side::White } else { Side::Black };
                let bytes = shared.rounds().after(attacker, from);
                // A worker that does not get the answer asks again.
                let _ = client.publish(reply, encode(&RoundsReply { bytes }).into()).await;
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, Rounds};
    use crate::board::Side;

    #[test]
    fn all_of_it_is_there_part_by_part() {
        let mut rounds = Rounds::default();
        for n in [0, 5, MOST_BYTES, 3 * MOST_BYTES] {
            rounds.add(Side::White, &vec![7; n]);
        }
        rounds.add(Side::Black, b"another question");
        let mut all = Vec::new();
        loop {
            let part = rounds.after(Side::White, all.len() as u64);
            assert!(part.len() <= MOST_BYTES);
            if part.is_empty() {
                break;
            }
            all.extend(part);
        }
        assert_eq!(all, rounds.white);
        assert!(rounds.after(Side::White, u64::MAX).is_empty());
    }
}
