//! The transposition table of df-pn: a hash table of 16 bytes a position, in buckets that are lines
//! of the cache.
//!
//! A position belongs in one of two buckets. Where both are full, one of the positions there goes
//! to its own other bucket, and if none can, the table grows, up to its limit. At the limit a
//! position is forgotten: of those in the two buckets the one that took the least work
//! (SmallTreeGC, Nagai 2002, looks for them in the whole table). Positions on a path stay, and so
//! do decided ones in which nothing can be captured, since a proof will need them. The other
//! decided ones follow from their successors; they are most of those that are decided: 29 of 33
//! million after 3 × 10⁸ nodes of 8x8/2 over 7 pieces, with 141 million open ones beside them.
//!
//! [`Positions`] has its operations, for a search alone and for threads that share a table.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::numbers::Outcome;
use super::slot::{Key, Known, LEAST_BUCKETS, MOST_PROOFS, Slot, join, split};
use crate::board::{Board, Position};
use crate::egdb;
use portable_atomic::AtomicU128;
use serde::{Deserialize, Serialize};

/// Slots of a bucket.
const SLOTS: usize = 4;

/// A line of the cache.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([AtomicU128; SLOTS]);

/// The place of a position in the table, until another one enters it.
pub(super) type SlotId = usize;

/// Tables with no more buckets are in a cache, mostly.
const FETCHED: usize = 1 << 14;

/// The positions that a search has expanded, and those that their captures have decided.
pub(super) struct Table {
    board: Board,
    /// A power of two.
    buckets: Vec<Bucket>,
    /// The number of buckets that it may grow to.
    most: usize,
    is_spent: AtomicBool,
    /// The time of the latest proof. With one thread it is the number of proofs so far.
    pub(super) time: u64,
}

/// The head of a table in its file, before its slots.
#[derive(Serialize, Deserialize)]
pub(super) struct TableHead {
    buckets: u64,
    is_spent: bool,
    time: u64,
}

/// A way to make a slot free for a position.
enum Room {
    /// This one is free, or has what can be forgotten.
    Here(SlotId),
    /// The position of the first slot goes to the second one, in its other bucket.
    Move(SlotId, SlotId),
}

impl Table {
    /// An empty table that will take at most `bytes`, and, while it grows, half as much again.
    pub(super) fn new(board: &Board, bytes: u64) -> Self {
        let buckets = usize::try_from(bytes / size_of::<Bucket>() as u64).unwrap_or(usize::MAX);
        let least = 1 << LEAST_BUCKETS;
        Table {
            board: board.clone(),
            buckets: empty(least),
            most: (buckets / 2 + 1).next_power_of_two().max(least),
            is_spent: false.into(),
            time: 0,
        }
    }

    /// The most bytes that a table of `positions` positions takes.
    pub(super) fn most_bytes(positions: u64) -> u64 {
        // At the latest with half of its slots in use it has room for one more.
        let slots = positions.saturating_mul(4).max((SLOTS as u64) << LEAST_BUCKETS);
        (1u64 << slots.ilog2()).saturating_mul(size_of::<Slot>() as u64)
    }

    pub(super) fn key(&self, position: &Position) -> Key {
        Key::of(&self.board, position)
    }

    /// Fetches from memory the buckets of a key that is about to be looked up. Each look-up in a
    /// large table misses the caches; buckets that are fetched early come while other work is done.
    pub(super) fn fetch(&self, key: Key) {
        if self.buckets.len() > FETCHED {
            let (home, rest) = split(key, self.bits());
            prefetch(&self.buckets[home]);
            prefetch(&self.buckets[other(home, rest, self.bits())]);
        }
    }

    pub(super) fn find(&self, position: &Position) -> Option<SlotId> {
        self.place(self.key(position)).map(|(at, _)| at)
    }

    pub(super) fn position(&self, at: SlotId) -> Position {
        self.position_of(at, self.at(at))
    }

    pub(super) fn known(&self, at: SlotId) -> Known {
        self.at(at).known()
    }

    /// Says what is known of the position in a slot.
    pub(super) fn set(&mut self, at: SlotId, known: Known) {
        let slot = self.at(at);
        self.put(at, slot.with_known(known));
    }

    /// Whether decided positions take so large a share of the table that a search should end. There
    /// is still room for the positions on its path.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }

    /// Whether a search has to end for want of room, or of times for its proofs.
    pub(super) fn is_over(&self) -> bool {
        // Positions on the path can still be proved.
        self.is_spent() || self.time >= MOST_PROOFS / 2
    }

    /// Says that a search should end.
    pub(super) fn set_spent(&self) {
        self.is_spent.store(true, Ordering::Relaxed);
    }

    pub(super) fn bytes(&self) -> u64 {
        self.buckets.len() as u64 * size_of::<Bucket>() as u64
    }

    /// The bytes that it may grow to.
    pub(super) fn limit(&self) -> u64 {
        self.most as u64 * size_of::<Bucket>() as u64
    }

    /// Makes the table twice as large, if it may grow.
    pub(super) fn grow(&mut self) {
        if self.buckets.len() >= self.most {
            return;
        }
        let buckets = empty(2 * self.buckets.len());
        let bits = self.bits();
        let old = std::mem::replace(&mut self.buckets, buckets);
        for (bucket, mut slots) in old.into_iter().enumerate() {
            for slot in slots.0.iter_mut().map(|slot| Slot(*slot.get_mut())) {
                if slot.is_free() {
                    continue;
                }
                let key = key_of(bucket, slot, bits);
                if let Some((at, there)) = self.place(key) {
                    // Two threads have put it there.
                    self.put(at, there.with_found(slot.known()));
                } else if let Some((at, rest, is_in_other)) = self.make_room(key) {
                    self.put(at, slot.with_place(rest, is_in_other));
                }
            }
        }
    }

    /// Returns the head of the table's file.
    pub(super) fn head(&self) -> TableHead {
        TableHead { buckets: self.buckets.len() as u64, is_spent: self.is_spent(), time: self.time }
    }

    /// Writes the slots.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut slots = self.buckets.iter().flat_map(|bucket| &bucket.0);
        slots.try_for_each(|slot| out.write_all(&slot.load(Ordering::Relaxed).to_le_bytes()))
    }

    /// Reads what [`Table::write`] has written of a table with the same limit.
    pub(super) fn read(&mut self, head: &TableHead, input: &mut impl Read) -> io::Result<()> {
        let &TableHead { buckets, is_spent, time } = head;
        if !buckets.is_power_of_two() || buckets < 1 << LEAST_BUCKETS || buckets > self.most as u64
        {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.buckets = empty(buckets as usize);
        (self.is_spent, self.time) = (is_spent.into(), time);
        for slot in self.buckets.iter_mut().flat_map(|bucket| &mut bucket.0) {
            *slot.get_mut() = u128::from_le_bytes(read(input)?);
        }
        Ok(())
    }

    /// The binary logarithm of the number of buckets.
    fn bits(&self) -> u32 {
        self.buckets.len().ilog2()
    }

    fn atom(&self, at: SlotId) -> &AtomicU128 {
        &self.buckets[at / SLOTS].0[at % SLOTS]
    }

    pub(super) fn at(&self, at: SlotId) -> Slot {
        Slot(self.atom(at).load(Ordering::Acquire))
    }

    /// Puts something into a slot if what is there is still this. Says whether it was.
    pub(super) fn swap(&self, at: SlotId, old: Slot, new: Slot) -> bool {
        let done = Ordering::AcqRel;
        let failed = Ordering::Acquire;
        self.atom(at).compare_exchange(old.0, new.0, done, failed).is_ok()
    }

    #[inline]
    pub(super) fn put(&mut self, at: SlotId, slot: Slot) {
        *self.buckets[at / SLOTS].0[at % SLOTS].get_mut() = slot.0;
    }

    fn position_of(&self, at: SlotId, slot: Slot) -> Position {
        key_of(at / SLOTS, slot, self.bits()).position(&self.board)
    }

    /// Returns the place of a position that is in the table, and its slot.
    pub(super) fn place(&self, key: Key) -> Option<(SlotId, Slot)> {
        find(key, self.bits(), |at| self.at(at))
    }

    /// The slots in which a position may be.
    fn slots_of(&self, key: Key) -> impl Iterator<Item = SlotId> + Clone + use<> {
        let (home, rest) = split(key, self.bits());
        [home, other(home, rest, self.bits())].into_iter().flat_map(slots)
    }

    /// The first slot of these in which there is nothing.
    fn free(&self, mut among: impl Iterator<Item = SlotId>) -> Option<SlotId> {
        among.find(|&at| self.at(at).is_free())
    }

    /// Of these slots the one whose position can be forgotten and took the least work, and that.
    fn least_work(&self, among: impl Iterator<Item = SlotId>) -> Option<(u32, SlotId)> {
        among
            .filter_map(|at| {
                let slot = self.at(at);
                self.can_go(at, slot).then(|| (slot.work(), at))
            })
            .min()
    }

    /// Returns a way to make room for a position that is not in the table; `None` if that takes a
    /// larger table, or all positions there have to stay.
    fn room(&self, key: Key) -> Option<Room> {
        let here = self.slots_of(key);
        if let Some(at) = self.free(here.clone()) {
            return Some(Room::Here(at));
        }
        let elsewhere = |at| other(at / SLOTS, self.at(at).rest(), self.bits());
        // Eight lines come in the time of one if all are asked for first.
        here.clone().for_each(|at| prefetch(&self.buckets[elsewhere(at)]));
        let can_move = here.clone().filter(|&at| self.at(at).threads() == 0);
        let moves = can_move.map(|at| (at, slots(elsewhere(at))));
        if let Some(room) = moves.clone().find_map(|(at, to)| Some(Room::Move(at, self.free(to)?)))
        {
            return Some(room);
        }
        if self.buckets.len() < self.most {
            return None;
        }
        if let Some((_, at)) = self.least_work(here) {
            return Some(Room::Here(at));
        }
        let onto = |(at, to)| self.least_work(to).map(|(work, to)| (work, at, to));
        moves.filter_map(onto).min().map(|(_, at, to)| Room::Move(at, to))
    }

    /// Returns a place for a position if nothing moves, for threads that share the table.
    pub(super) fn room_here(&self, key: Key) -> Option<SlotId> {
        let here = self.slots_of(key);
        self.free(here.clone()).or_else(|| {
            let is_at_limit = self.buckets.len() == self.most;
            is_at_limit.then(|| self.least_work(here)).flatten().map(|(_, at)| at)
        })
    }

    /// Whether what is in a slot can be forgotten, if there is anything.
    pub(super) fn can_go(&self, at: SlotId, slot: Slot) -> bool {
        let is_open = matches!(slot.known(), Known::Open(_));
        slot.is_free()
            || slot.threads() == 0
                && (is_open || self.board.can_capture(&self.position_of(at, slot)))
    }

    /// Returns the slot of a position in one of its buckets when nothing is known of it.
    pub(super) fn new_slot(&self, key: Key, at: SlotId) -> Slot {
        let (home, rest) = split(key, self.bits());
        Slot::new(rest, at / SLOTS != home)
    }

    /// A slot for a position that is not in the table, with the rest of its key and whether that is
    /// in its other bucket. `None` if there is none: the table is spent.
    fn make_room(&mut self, key: Key) -> Option<(SlotId, u128, bool)> {
        loop {
            let at = match self.room(key) {
                Some(Room::Here(at)) => at,
                Some(Room::Move(at, to)) => {
                    let slot = self.at(at);
                    self.put(to, slot.moved());
                    at
                }
                None if self.buckets.len() < self.most => {
                    self.grow();
                    continue;
                }
                None => {
                    *self.is_spent.get_mut() = true;
                    return None;
                }
            };
            let (home, rest) = split(key, self.bits());
            return Some((at, rest, at / SLOTS != home));
        }
    }

    /// Like [`Table::place`], for a thread that has the table alone.
    #[inline]
    pub(super) fn place_alone(&mut self, key: Key) -> Option<(SlotId, Slot)> {
        let bits = self.bits();
        let buckets = &mut self.buckets;
        find(key, bits, |at| Slot(*buckets[at / SLOTS].0[at % SLOTS].get_mut()))
    }

    /// The slot of a position, which is put into the table if it is not there.
    #[inline]
    pub(super) fn slot_of(&mut self, key: Key) -> Option<(SlotId, Slot)> {
        self.place_alone(key).or_else(|| {
            let (at, rest, is_in_other) = self.make_room(key)?;
            Some((at, Slot::new(rest, is_in_other)))
        })
    }
}

/// Returns the place of a key in a table of 2^`bits` buckets, and its slot.
fn find(key: Key, bits: u32, mut at: impl FnMut(SlotId) -> Slot) -> Option<(SlotId, Slot)> {
    let (home, rest) = split(key, bits);
    for (bucket, is_in_other) in [(home, false), (other(home, rest, bits), true)] {
        let mut is_full = true;
        for i in slots(bucket) {
            let slot = at(i);
            if slot.is_of(rest, is_in_other) {
                return Some((i, slot));
            }
            is_full &= !slot.is_free();
        }
        // Only what finds its own bucket full goes to the other, and it stays full.
        if !is_full {
            return None;
        }
    }
    None
}

fn slots(bucket: usize) -> std::ops::Range<SlotId> {
    SLOTS * bucket..SLOTS * bucket + SLOTS
}

/// The other bucket of a slot with this rest of a key.
fn other(bucket: usize, rest: u128, bits: u32) -> usize {
    let hash = (rest as u64 ^ (rest >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bucket ^ (hash >> (64 - bits) | 1) as usize
}

fn key_of(bucket: usize, slot: Slot, bits: u32) -> Key {
    let rest = slot.rest();
    join(if slot.is_in_other() { other(bucket, rest, bits) } else { bucket }, rest, bits)
}

/// Asks for a line of the cache without waiting for it.
fn prefetch(bucket: &Bucket) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: this is only a hint, and the address is that of a bucket.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(bucket).cast()) }
    }
}

/// The next bytes.
pub(super) fn read<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).map(|()| bytes)
}

fn empty(buckets: usize) -> Vec<Bucket> {
    egdb::table(buckets, Bucket::default)
}

/// The positions of a table, as a search uses them.
pub(super) trait Positions {
    /// Whether other threads use it, too.
    const IS_SHARED: bool;
    fn table(&self) -> &Table;
    /// Returns what is known of a position that is in the table.
    fn look_up(&mut self, key: Key) -> Option<Slot>;
    /// Puts a position on a path, and into the table if it is not there. Returns whether there is
    /// room for it.
    fn enter(&mut self, key: Key) -> bool;
    /// Takes a position off the path, with what was found of it and the nodes that were expanded
    /// below it. Returns what is known of it now.
    fn leave(&mut self, key: Key, found: Known, nodes: u64) -> Known;
    /// Notes what is known of a position that is not on the path, if there is room for it.
    fn note(&mut self, key: Key, found: Known);
    /// Returns the table's form of an outcome. A proof gets the present time, when everything that
    /// it rests on has been read: it is later than the times of those positions.
    fn stamp(&mut self, outcome: Outcome) -> Known;
}

impl Positions for Table {
    const IS_SHARED: bool = false;

    fn table(&self) -> &Table {
        self
    }

    fn look_up(&mut self, key: Key) -> Option<Slot> {
        self.place_alone(key).map(|(_, slot)| slot)
    }

    fn enter(&mut self, key: Key) -> bool {
        let Some((at, slot)) = self.slot_of(key) else { return false };
        self.put(at, slot.with_threads(1));
        true
    }

    fn leave(&mut self, key: Key, found: Known, nodes: u64) -> Known {
        let Some((at, slot)) = self.slot_of(key) else { return found };
        let slot = slot.with_threads(0).with_found(found).with_more_work(nodes);
        self.put(at, slot);
        slot.known()
    }

    fn note(&mut self, key: Key, found: Known) {
        if let Some((at, slot)) = self.slot_of(key) {
            self.put(at, slot.with_found(found));
        }
    }

    fn stamp(&mut self, outcome: Outcome) -> Known {
        self.time += u64::from(outcome == Outcome::Proved);
        Known::of(outcome, self.time)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Known, Positions, Table};
    use crate::board::{Board, Position, Side};
    use crate::search::numbers::ProofNumbers;
    use crate::search::slot::MOST_PROOFS;

    /// Positions of a king against a man and a king on a 6x6 board, for both sides.
    pub(in crate::search) fn positions(board: &Board) -> Vec<Position> {
        let mut all = Vec::new();
        for (one, two, three) in (0..18u32)
            .flat_map(|a| (0..18u32).flat_map(move |b| (0..18u32).map(move |c| (a, b, c))))
        {
            for turn in [Side::Black, Side::White] {
                let kings = 1 << one | 1 << two;
                all.extend(board.position(1 << one, 1 << two | 1 << three, kings, turn));
            }
        }
        all
    }

    pub(in crate::search) const OPEN: Known = Known::Open(ProofNumbers { proof: 3, disproof: 7 });

    #[test]
    fn entries_are_read_as_written() {
        let board = Board::new(6, 6).expect("a board");
        let mut table = Table::new(&board, 1 << 22);
        for position in positions(&board) {
            assert_eq!(table.find(&position), None);
            let key = table.key(&position);
            assert!(table.enter(key));
            assert_eq!(table.look_up(key).expect("it was entered").threads(), 1);
            assert_eq!(table.leave(key, OPEN, 1000), OPEN);
        }
        for position in positions(&board) {
            let at = table.find(&position).expect("it was entered");
            assert_eq!((table.position(at), table.known(at)), (position, OPEN));
            for known in [
                Known::Visited(u32::MAX),
                Known::Proved(1),
                Known::Proved(u64::from(u32::MAX) + 1),
                Known::Proved(MOST_PROOFS - 1),
                Known::TentativelyDisproved,
                Known::Disproved,
            ] {
                table.set(at, known);
                assert_eq!(table.known(at), known);
            }
            let slot = table.look_up(table.key(&position)).expect("it was entered");
            assert_eq!((slot.work(), slot.threads()), (9, 0));
        }
    }

    #[test]
    fn first_proofs_are_kept() {
        let board = Board::new(6, 6).expect("a board");
        let mut table = Table::new(&board, 0);
        let key = table.key(&positions(&board)[0]);
        for (found, there) in [
            (OPEN, OPEN),
            (Known::TentativelyDisproved, Known::TentativelyDisproved),
            (OPEN, Known::TentativelyDisproved),
            (Known::Proved(5), Known::Proved(5)),
            (Known::Proved(6), Known::Proved(5)),
            (OPEN, Known::Proved(5)),
        ] {
            table.enter(key);
            assert_eq!(table.leave(key, found, 1), there);
        }
    }
}
