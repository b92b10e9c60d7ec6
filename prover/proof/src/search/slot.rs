//! A slot of the transposition table: a position and what is known of it, in 16 bytes.

use super::key::{KEY_BITS, Key};
use super::numbers::{INFINITE, Outcome, ProofNumbers};

/// The knowledge about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Neither proved nor disproved.
    Open(ProofNumbers),
    /// The attacker wins; the number, below [`MOST_PROOFS`], grows with the time of the proof.
    Proved(u64),
    /// The defender does not lose, if the repetitions hold that the disproof leans on: positions
    /// that were on the path when the search came back to them.
    TentativelyDisproved,
    /// Tentatively disproved, and the node of this number of the closed set that is looked for.
    Visited(u32),
    /// The defender does not lose.
    Disproved,
}

impl Known {
    /// Returns the table's form of an outcome; `time` is the time of a proof.
    pub(super) fn of(outcome: Outcome, time: u64) -> Known {
        match outcome {
            Outcome::Proved => Known::Proved(time),
            Outcome::Disproved => Known::TentativelyDisproved,
            Outcome::Unknown(numbers) => Known::Open(numbers),
        }
    }
}

/// Times of proofs are below this: a search of 10⁶ proofs a second would take two years.
pub(super) const MOST_PROOFS: u64 = 1 << TIME;

/// Binary logarithm of the buckets of the smallest table: the number of bits of each key that a
/// slot need not store, since the bucket says them.
pub(super) const LEAST_BUCKETS: u32 = 10;

/// A slot, as it is in memory. From the lowest bit: the rest of the key, whether it is in its other
/// bucket, the number of threads that have it on their path, the binary logarithm of the nodes that
/// were expanded below it, and what is known. A slot that is free is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot(pub(super) u128);

const REST: u32 = KEY_BITS - LEAST_BUCKETS;
const OTHER: u32 = REST;
const BUSY: u32 = OTHER + 1;
const BUSY_BITS: u32 = 5;
const WORK: u32 = BUSY + BUSY_BITS;
const WORK_BITS: u32 = 6;
const STATE: u32 = WORK + WORK_BITS;
const STATE_BITS: u32 = 128 - STATE;

// A state is a proof number and a disproof number, or a mark and a number that belongs to it.
const NUMBER: u32 = INFINITE.ilog2();
const MARK: u32 = STATE_BITS - 1;
const TIME: u32 = MARK - 2;
const DISPROVED: u64 = 0;
const TENTATIVE: u64 = 1;
const VISITED: u64 = 2;
const PROVED: u64 = 3;

const _: () = assert!(2 * NUMBER <= MARK);

/// The most threads that can be counted on a position.
pub(super) const MOST_THREADS: u32 = (1 << BUSY_BITS) - 1;

impl Slot {
    pub(super) const FREE: Slot = Slot(0);

    /// A slot with a position of which nothing is known. `rest` is what the bucket does not say of
    /// its key.
    pub(super) fn new(rest: u128, is_in_other: bool) -> Self {
        let open = Known::Open(ProofNumbers { proof: 1, disproof: 1 });
        Slot(rest | u128::from(is_in_other) << OTHER).with_known(open)
    }

    pub(super) fn is_free(self) -> bool {
        self == Slot::FREE
    }

    /// Whether it is a slot of this rest of a key, in its own bucket or in the other one.
    pub(super) fn is_of(self, rest: u128, is_in_other: bool) -> bool {
        self.bits(0, REST + 1) == rest | u128::from(is_in_other) << OTHER && !self.is_free()
    }

    pub(super) fn rest(self) -> u128 {
        self.bits(0, REST)
    }

    pub(super) fn is_in_other(self) -> bool {
        self.bits(OTHER, 1) == 1
    }

    /// The slot with another rest of its key, for a bucket of a table of another size.
    pub(super) fn with_place(self, rest: u128, is_in_other: bool) -> Self {
        self.with(0, REST + 1, rest | u128::from(is_in_other) << OTHER)
    }

    /// The slot as it is stored in the other of the two buckets of its key.
    pub(super) fn moved(self) -> Self {
        Slot(self.0 ^ 1 << OTHER)
    }

    /// The number of threads that have it on their path.
    pub(super) fn threads(self) -> u32 {
        self.bits(BUSY, BUSY_BITS) as u32
    }

    pub(super) fn with_threads(self, threads: u32) -> Self {
        self.with(BUSY, BUSY_BITS, threads.min(MOST_THREADS).into())
    }

    /// The binary logarithm of the nodes that were expanded below it.
    pub(super) fn work(self) -> u32 {
        self.bits(WORK, WORK_BITS) as u32
    }

    /// The slot with `nodes` more nodes expanded below it.
    pub(super) fn with_more_work(self, nodes: u64) -> Self {
        let before = 1u64 << self.work().min(62);
        let work = before.saturating_add(nodes).saturating_sub(1).max(1).ilog2();
        self.with(WORK, WORK_BITS, work.into())
    }

    pub(super) fn known(self) -> Known {
        let state = self.bits(STATE, STATE_BITS) as u64;
        if state >> MARK == 0 {
            let number = |at: u32| (state >> at) as u32 & (INFINITE - 1);
            return Known::Open(ProofNumbers { proof: number(NUMBER), disproof: number(0) });
        }
        let number = state & ((1 << TIME) - 1);
        match state >> TIME & 3 {
            DISPROVED => Known::Disproved,
            TENTATIVE => Known::TentativelyDisproved,
            VISITED => Known::Visited(number as u32),
            _ => Known::Proved(number),
        }
    }

    pub(super) fn with_known(self, known: Known) -> Self {
        let marked = |mark: u64, number: u64| 1 << MARK | mark << TIME | number;
        let state = match known {
            Known::Open(ProofNumbers { proof, disproof }) => {
                u64::from(proof) << NUMBER | u64::from(disproof)
            }
            Known::Disproved => marked(DISPROVED, 0),
            Known::TentativelyDisproved => marked(TENTATIVE, 0),
            Known::Visited(n) => marked(VISITED, n.into()),
            Known::Proved(time) => marked(PROVED, time),
        };
        self.with(STATE, STATE_BITS, state.into())
    }

    /// The slot with what a thread has found of it. What holds for good stays, and of two proofs
    /// the one with the earlier time: what rests on either has a later one. A tentative disproof
    /// stays where nothing better is found.
    pub(super) fn with_found(self, found: Known) -> Self {
        match (self.known(), found) {
            (Known::Proved(before), Known::Proved(time)) if time < before => self.with_known(found),
            (Known::Proved(_) | Known::Disproved, _) => self,
            (Known::TentativelyDisproved, Known::Open(_)) => self,
            _ => self.with_known(found),
        }
    }

    fn bits(self, from: u32, bits: u32) -> u128 {
        self.0 >> from & ((1 << bits) - 1)
    }

    fn with(self, from: u32, bits: u32, value: u128) -> Self {
        Slot(self.0 & !(((1 << bits) - 1) << from) | value << from)
    }
}

/// Splits a key into the number of its bucket, of 2^`buckets`, and the rest.
pub(super) fn split(key: Key, buckets: u32) -> (usize, u128) {
    let rest = KEY_BITS - buckets;
    ((key.0 >> rest) as usize, key.0 & ((1 << rest) - 1))
}

/// The key that was split.
pub(super) fn join(bucket: usize, rest: u128, buckets: u32) -> Key {
    Key((bucket as u128) << (KEY_BITS - buckets) | rest)
}
