//! The transposition table of df-pn: an open-addressing hash table of 21 bytes a position.
//!
//! One byte of them is a tag, a few bits of the position's hash. Tags are in an array of their own:
//! most positions that are looked up have never been entered, and that shows without touching
//! anything else.
//!
//! The table grows up to its limit. Then positions are forgotten, those first that took the least
//! work to get where they are (SmallTreeGC, Nagai 2002). Decided ones in which nothing can be
//! captured stay, since a proof will need them. The others follow from their successors; they are
//! most of those that are decided: 29 of 33 million after 3 × 10⁸ nodes of 8x8/2 over 7 pieces,
//! with 141 million open ones beside them.

use std::hint::black_box;
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use super::numbers::{INFINITE, ProofNumbers};
use crate::board::{Board, Position, Side};
use crate::egdb::ask_for_large_pages;

/// Where a position is in the table, until another one enters it.
pub(super) type SlotId = usize;

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Neither proved nor disproved.
    Open(ProofNumbers),
    /// On the path, and so not decided.
    OnPath,
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

/// A position's pieces of Black and of White and its kings, as masks of squares. If White is to
/// move, the empty squares count as kings, too: there always are some, as the masks are of 32
/// squares and a board of 32 pieces has no moves.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Key([u32; 3]);

#[derive(Clone, Copy, Default)]
struct Slot {
    key: Key,
    /// From the lowest bit: 25 bits of a proof number or a mark, 6 of the binary logarithm of the
    /// nodes that were expanded below the position, one that says that it is on the path.
    head: u32,
    /// The disproof number, or the number that belongs to the mark.
    number: u32,
}

/// The bytes of a slot and its tag.
const BYTES: u64 = size_of::<Slot>() as u64 + 1;

/// Tables with no more slots are in a cache, mostly.
const FETCHED: usize = 1 << 24;

const PROOF: u32 = (1 << 25) - 1;
const WORK: u32 = 25;
const ON_PATH: u32 = 1 << 31;
// Marks. All from the last one on say that the position is proved, and have the upper bits of the
// time.
const DISPROVED: u32 = INFINITE;
const TENTATIVE: u32 = INFINITE + 1;
const VISITED: u32 = INFINITE + 2;
const PROVED: u32 = INFINITE + 3;

/// Times of proofs are below this: a search of 10⁶ proofs a second would take a hundred years.
pub(super) const MOST_PROOFS: u64 = ((PROOF - PROVED + 1) as u64) << 32;

/// The numbers of a table's slots and of those that are used, and whether it is spent.
#[derive(Serialize, Deserialize)]
pub(super) struct TableHead {
    slots: u64,
    used: u64,
    is_spent: bool,
}

/// The positions that a search has expanded, and those that their captures have decided.
pub(super) struct Table {
    board: Board,
    /// A power of two.
    slots: Vec<Slot>,
    /// For each slot that is used the tag of its key, and 0 for each that is not.
    tags: Vec<u8>,
    used: usize,
    /// The number of slots that it may grow to.
    most: usize,
    is_spent: bool,
}

impl Table {
    /// Slots of a new table.
    const FIRST: usize = 1 << 8;

    /// An empty table that will take at most `bytes`, and, while it grows, half as much again.
    pub(super) fn new(board: &Board, bytes: u64) -> Self {
        let slots = usize::try_from(bytes / BYTES).unwrap_or(usize::MAX);
        let most = (slots / 2 + 1).next_power_of_two().max(Self::FIRST);
        let (slots, tags) = (empty(Self::FIRST), empty(Self::FIRST));
        Table { board: board.clone(), slots, tags, used: 0, most, is_spent: false }
    }

    /// The bytes of a table for so many positions.
    pub(super) fn most_bytes(positions: u64) -> u64 {
        let slots = (positions / 7).saturating_mul(8).max(Self::FIRST as u64) + 1;
        slots.checked_next_power_of_two().unwrap_or(1 << 63).saturating_mul(BYTES)
    }

    /// The slot of a position that is in the table.
    pub(super) fn find(&self, position: &Position) -> Option<SlotId> {
        self.find_key(self.key(position))
    }

    /// The same by its key.
    pub(super) fn find_key(&self, key: Key) -> Option<SlotId> {
        self.place(key, key.hash()).ok()
    }

    /// Fetches from memory where keys are that are about to be looked up, all at once: in a large
    /// table each look-up misses the caches, and here none of them has to wait for another.
    pub(super) fn fetch(&self, keys: &[Key]) {
        const AT_ONCE: usize = 16;
        let mask = self.tags.len() - 1;
        if self.tags.len() <= FETCHED {
            return;
        }
        for keys in keys.chunks(AT_ONCE) {
            let mut places = [0; AT_ONCE];
            for (place, key) in places.iter_mut().zip(keys) {
                *place = key.hash() as usize & mask;
            }
            black_box(places[..keys.len()].iter().fold(0, |tags, &place| tags ^ self.tags[place]));
        }
    }

    /// What stands for a position in this table.
    pub(super) fn key(&self, position: &Position) -> Key {
        Key::of(&self.board, position)
    }

    /// The slot of a position, which is put into the table if it is not there.
    pub(super) fn enter(&mut self, key: Key) -> SlotId {
        if self.is_full() {
            self.make_room();
        }
        let hash = key.hash();
        self.place(key, hash).unwrap_or_else(|free| {
            (self.slots[free], self.tags[free]) = (Slot { key, head: 1, number: 1 }, tag(hash));
            self.used += 1;
            free
        })
    }

    /// The bytes that it may grow to.
    pub(super) fn limit(&self) -> u64 {
        self.most as u64 * BYTES
    }

    /// What is written of the table before its slots.
    pub(super) fn head(&self) -> TableHead {
        let (slots, used) = (self.slots.len() as u64, self.used as u64);
        TableHead { slots, used, is_spent: self.is_spent }
    }

    /// Writes the slots that are used.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for slot in self.slots.iter().filter(|slot| slot.is_used()) {
            for number in slot.key.0.into_iter().chain([slot.head, slot.number]) {
                out.write_all(&number.to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Reads what [`Table::write`] has written of a table with the same limit. Where a position is
    /// may differ: nothing depends on that.
    pub(super) fn read(&mut self, head: &TableHead, input: &mut impl Read) -> io::Result<()> {
        let &TableHead { slots, used, is_spent } = head;
        if !slots.is_power_of_two() || slots > self.most as u64 || used > slots / 8 * 7 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let (slots, used) = (slots as usize, used as usize);
        (self.slots, self.tags) = (empty(slots), empty(slots));
        (self.used, self.is_spent) = (used, is_spent);
        for _ in 0..used {
            let mut numbers = [0; 5];
            for number in &mut numbers {
                *number = u32::from_le_bytes(read(input)?);
            }
            let [black, white, kings, head, number] = numbers;
            let key = Key([black, white, kings]);
            self.put_back(std::iter::once(Slot { key, head, number }));
        }
        Ok(())
    }

    /// Whether nothing can enter without another position's being forgotten.
    fn is_full(&self) -> bool {
        self.used >= self.slots.len() / 8 * 7
    }

    /// Whether so much of the table is decided that a search should end. There is still room for
    /// what is on its path.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// The position in a slot.
    pub(super) fn position(&self, at: SlotId) -> Position {
        self.slots[at].key.position(&self.board)
    }

    /// What is known of the position in a slot.
    pub(super) fn known(&self, at: SlotId) -> Known {
        let Slot { head, number, .. } = self.slots[at];
        match head & PROOF {
            _ if head & ON_PATH != 0 => Known::OnPath,
            DISPROVED => Known::Disproved,
            TENTATIVE => Known::TentativelyDisproved,
            VISITED => Known::Visited(number),
            mark @ PROVED.. => Known::Proved(u64::from(mark - PROVED) << 32 | u64::from(number)),
            proof => Known::Open(ProofNumbers { proof, disproof: number }),
        }
    }

    /// Says what is known of the position in a slot.
    pub(super) fn set(&mut self, at: SlotId, known: Known) {
        let slot = &mut self.slots[at];
        let (head, number) = match known {
            Known::Open(ProofNumbers { proof, disproof }) => (proof, disproof),
            Known::OnPath => (slot.head & PROOF | ON_PATH, slot.number),
            Known::Proved(time) => (PROVED + (time >> 32) as u32, time as u32),
            Known::Disproved => (DISPROVED, 0),
            Known::TentativelyDisproved => (TENTATIVE, 0),
            Known::Visited(n) => (VISITED, n),
        };
        (slot.head, slot.number) = (slot.head & 63 << WORK | head, number);
    }

    /// Adds to the nodes that were expanded below the position in a slot.
    pub(super) fn add_work(&mut self, at: SlotId, nodes: u64) {
        let head = &mut self.slots[at].head;
        let before = 1u64 << (*head >> WORK & 63).min(62);
        *head = *head & !(63 << WORK) | (before + nodes - 1).max(1).ilog2() << WORK;
    }

    /// Where a key is, or else where it would be.
    fn place(&self, key: Key, hash: u64) -> Result<SlotId, SlotId> {
        let (mask, tag) = (self.tags.len() - 1, tag(hash));
        let mut at = hash as usize & mask;
        loop {
            match self.tags[at] {
                0 => return Err(at),
                there if there == tag && self.slots[at].key == key => return Ok(at),
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn make_room(&mut self) {
        if self.slots.len() < self.most {
            let slots = 2 * self.slots.len();
            let old = std::mem::replace(&mut self.slots, empty(slots));
            self.tags = empty(slots);
            self.put_back(old.into_iter().filter(Slot::is_used));
        } else {
            self.forget();
        }
    }

    /// Forgets positions until half of the slots are free, or those that took the most work are all
    /// that is left of them.
    fn forget(&mut self) {
        let work_of = |slot: &Slot| {
            let is_decided = || slot.head & PROOF >= INFINITE;
            let has_captures = || self.board.can_capture(&slot.key.position(&self.board));
            let can_go =
                slot.is_used() && slot.head & ON_PATH == 0 && (!is_decided() || has_captures());
            can_go.then_some((slot.head >> WORK & 63) as usize)
        };
        let mut count = [0; 64];
        self.slots.iter().filter_map(work_of).for_each(|work| count[work] += 1);
        let (mut left, mut least) = (self.used, 0);
        while left > self.slots.len() / 2 && least < count.len() {
            left -= count[least];
            least += 1;
        }
        let keep = |slot: &Slot| slot.is_used() && work_of(slot).is_none_or(|work| work >= least);
        let kept: Vec<Slot> = self.slots.iter().filter(|slot| keep(slot)).copied().collect();
        self.used = kept.len();
        self.is_spent = self.used > self.slots.len() / 4 * 3;
        self.slots.fill(Slot::default());
        self.tags.fill(0);
        self.put_back(kept.into_iter());
    }

    fn put_back(&mut self, slots: impl Iterator<Item = Slot>) {
        for slot in slots {
            let hash = slot.key.hash();
            if let Err(free) = self.place(slot.key, hash) {
                (self.slots[free], self.tags[free]) = (slot, tag(hash));
            }
        }
    }
}

/// The next bytes.
pub(super) fn read<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).map(|()| bytes)
}

fn empty<T: Copy + Default>(slots: usize) -> Vec<T> {
    let mut empty = Vec::with_capacity(slots);
    ask_for_large_pages(empty.spare_capacity_mut());
    empty.resize(slots, T::default());
    empty
}

/// Of a hash the bits that say least of the place, and not 0.
fn tag(hash: u64) -> u8 {
    (hash >> 57) as u8 | 1 << 7
}

impl Slot {
    /// Whether it has a position: none has neither pieces nor empty squares that count as kings.
    fn is_used(&self) -> bool {
        self.key != Key::default()
    }
}

impl Key {
    fn of(board: &Board, position: &Position) -> Self {
        let [black, white, kings] =
            [position.black, position.white, position.kings].map(|set| board.to_dense(set));
        let turn = if position.turn == Side::White { !(black | white) } else { 0 };
        Key([black, white, kings | turn])
    }

    pub(super) fn position(self, board: &Board) -> Position {
        let Key([black, white, kings]) = self;
        let empty = !(black | white);
        let turn = if kings & empty != 0 { Side::White } else { Side::Black };
        let [black, white, kings] =
            [black, white, kings & !empty].map(|dense| board.from_dense(dense));
        Position { black, white, kings, turn }
    }

    /// Two multiplications, each folded.
    fn hash(self) -> u64 {
        let Key([black, white, kings]) = self;
        let fold = |n: u64, factor: u64| {
            let wide = u128::from(n) * u128::from(factor);
            wide as u64 ^ (wide >> 64) as u64
        };
        let pieces = fold(u64::from(black) << 32 | u64::from(white), 0x9e37_79b9_7f4a_7c15);
        fold(pieces ^ u64::from(kings), 0xd6e8_feb8_6659_fd93)
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, MOST_PROOFS, ProofNumbers, Table};
    use crate::board::{Board, Position, Side};

    /// All positions of one man against one king on a 6x6 board, for both sides.
    fn positions(board: &Board) -> Vec<Position> {
        let mut all = Vec::new();
        for (man, king) in (0..18u32).flat_map(|man| (0..18u32).map(move |king| (man, king))) {
            for turn in [Side::Black, Side::White] {
                all.extend(board.position(1 << man, 1 << king, 1 << king, turn));
            }
        }
        all
    }

    #[test]
    fn positions_come_back_as_they_went_in() {
        let board = Board::new(6, 6).expect("a board");
        let mut table = Table::new(&board, 1 << 20);
        for position in positions(&board) {
            assert_eq!(table.find(&position), None);
            let at = table.enter(table.key(&position));
            assert_eq!(table.position(at), position);
            table.set(at, Known::Open(ProofNumbers { proof: 3, disproof: 7 }));
        }
        for position in positions(&board) {
            let at = table.find(&position).expect("it was entered");
            table.add_work(at, 1000);
            table.set(at, Known::OnPath);
            assert_eq!(table.known(at), Known::OnPath);
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
        }
    }

    #[test]
    fn what_follows_from_captures_or_took_little_work_is_forgotten_first() {
        let board = Board::new(6, 6).expect("a board");
        // 256 slots.
        let mut table = Table::new(&board, 21 * 256);
        let (captures, quiet): (Vec<_>, Vec<_>) =
            positions(&board).into_iter().partition(|p| board.can_capture(p));
        let (proved, rest) = quiet.split_at(50);
        for position in proved.iter().chain(&captures[..20]) {
            let at = table.enter(table.key(position));
            table.set(at, Known::Proved(1));
        }
        for (i, position) in rest.iter().enumerate() {
            let at = table.enter(table.key(position));
            table.set(at, Known::Open(ProofNumbers { proof: 2, disproof: 2 }));
            table.add_work(at, if i < 40 { 100 } else { 1 });
        }
        let there = |p: &&Position| table.find(p).is_some();
        assert_eq!(proved.iter().filter(there).count(), 50);
        assert_eq!(captures[..20].iter().filter(there).count(), 0);
        assert_eq!(rest[..40].iter().filter(there).count(), 40);
        assert!(rest[40..].iter().filter(there).count() < 256 / 8 * 7 - 90);
        assert!(!table.is_spent());
    }
}
