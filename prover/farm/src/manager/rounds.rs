//! The strategies that the rounds of each question have applied, for workers whose items rest on
//! them.
//!
//! The rounds of a question are one string of bytes that only grows, and workers ask for the part
//! of it that they do not have. A manager that is started again has an equal string as soon as it
//! has gone over its ledger. Workers replay all of it, so the manager need not be trusted.

use crate::board::Side;

/// The most bytes of one answer, well below the megabyte that a broker takes.
const MOST_BYTES: usize = 256 << 10;

/// The rounds of both questions, each with its length before it.
#[derive(Default)]
pub(super) struct Rounds {
    black: Vec<u8>,
    white: Vec<u8>,
}

impl Rounds {
    fn of_question(&mut self, attacker: Side) -> &mut Vec<u8> {
        match attacker {
            Side::Black => &mut self.black,
            Side::White => &mut self.white,
        }
    }

    /// Appends a round to those of a question.
    pub(super) fn add(&mut self, attacker: Side, round: &[u8]) {
        let all = self.of_question(attacker);
        all.extend((round.len() as u64).to_le_bytes());
        all.extend(round);
    }

    /// The bytes of a question's rounds from offset `from` on, at most [`MOST_BYTES`] of them.
    pub(super) fn part_from(&mut self, attacker: Side, from: u64) -> Vec<u8> {
        let rest =
            usize::try_from(from).ok().and_then(|from| self.of_question(attacker).get(from..));
        rest.map_or(&[][..], |rest| &rest[..rest.len().min(MOST_BYTES)]).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, Rounds};
    use crate::board::Side;

    #[test]
    fn rounds_are_read_part_by_part() {
        let mut rounds = Rounds::default();
        for n in [0, 5, MOST_BYTES, 3 * MOST_BYTES] {
            rounds.add(Side::White, &vec![7; n]);
        }
        rounds.add(Side::Black, b"another question");
        let mut all = Vec::new();
        loop {
            let part = rounds.part_from(Side::White, all.len() as u64);
            assert!(part.len() <= MOST_BYTES);
            if part.is_empty() {
                break;
            }
            all.extend(part);
        }
        assert_eq!(all, rounds.white);
        assert!(rounds.part_from(Side::White, u64::MAX).is_empty());
    }
}
