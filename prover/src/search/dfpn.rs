//! Df-pn⁺: does one side, the *attacker*, win from here? (Nagai 2002; the "+" are proof and disproof
//! numbers that begin with a heuristic estimate.)
//!
//! A *proof* is a win for the attacker, a *disproof* shows that the other side, the *defender*, does
//! not lose. The attacker's positions are Or nodes, the defender's And nodes.
//!
//! **Repetition.** A position that is already on the path is not won by going round: for the
//! position below it counts as disproved. But a disproof that leaned on this holds only *if* that position
//! on the path is disproved in the end, and to take it for one that holds outright is the mistake (the
//! graph-history interaction, Kishimoto and Müller 2004) that makes plain df-pn answer with no proof to
//! show. Here such a disproof is stored, used everywhere, and *believed* only. Proofs never lean on a
//! disproof, so they hold; but when the root is disproved, [`close`] looks for the greatest closed set
//! among what is believed (`SPEC.md` §2: a set of positions in which the defender can stay, or leave it for
//! one that is known not to be lost). What is in it is disproved for good, by the theorem that a closed
//! set is not lost, whatever the paths were on which it was found. What is not is open again, and if the
//! root is among that the search goes on. Each time there is less to find out: a disproof that fell leaned
//! on a position that turned out to be won or was left undecided, and is now looked into from elsewhere.
//! Where tracking what each disproof leans on goes over the same positions again and again on other paths,
//! this takes no longer than plain df-pn and some dozens of closures.
//!
//! **Captures.** Where the side to move has to capture, the numbers come from what the captures lead to,
//! and so on until nothing can be captured (quiescence). Most such positions are decided by that, in
//! the database, and go into the table; without it each would cost a node as soon as the search came to it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::checkpoint::Checkpoint;
use super::closed::{Failures, close};
use super::lessons::Lessons;
use super::table::{INFINITE, Key, Known, SlotId, Table};
use crate::board::{Board, Position, Side};
use crate::egdb::{Value, Values};

/// The watch hears of so many nodes at a time.
const TELL: u64 = 1 << 14;
/// The most positions for each node, on average, that are decided by their captures: a bound on the table. It is
/// one or fewer in most searches.
const DECIDED_BY_CAPTURES: u64 = 4;

/// A hash of a position's key: a multiplication and a fold (the key is no adversary).
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(b.into()));
    }
    fn write_u64(&mut self, n: u64) {
        let wide = u128::from(self.0 ^ n) * 0x9e37_79b9_7f4a_7c15_u128;
        self.0 = wide as u64 ^ (wide >> 64) as u64;
    }
    fn write_u128(&mut self, n: u128) {
        self.write_u64(n as u64);
        self.write_u64((n >> 64) as u64);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map from positions ([`Position::key`]) that hashes the same way in every run.
pub type KeyMap<V> = HashMap<u128, V, BuildHasherDefault<KeyHasher>>;

/// A child of a position on the path.
pub(super) struct Child {
    pub(super) position: Position,
    pub(super) key: Key,
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

impl Child {
    fn numbers(&self) -> (u32, u32) {
        (self.proof, self.disproof)
    }
}

/// A position on the path.
pub(super) struct Frame {
    pub(super) position: Position,
    pub(super) key: Key,
    /// Where its children begin.
    pub(super) children: usize,
    /// The child that was gone to.
    pub(super) best: usize,
    pub(super) max_proof: u32,
    pub(super) max_disproof: u32,
    /// Nodes expanded before it.
    pub(super) before: u64,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The attacker wins.
    Proved,
    /// The defender does not lose.
    Disproved,
    /// The budget ran out, with these numbers at the root.
    Unknown {
        /// Proof number.
        proof: u32,
        /// Disproof number.
        disproof: u32,
    },
}

/// Hears of so many more nodes from a search, and of the proof and disproof numbers of its root while it is under
/// way; says whether it is to stop.
pub type Watch<'a> = dyn Fn(u64, Option<(u32, u32)>) -> bool + Sync + 'a;

/// A search for one attacker, with its table.
pub struct Search<'a> {
    pub(super) board: &'a Board,
    pub(super) database: &'a Values,
    pub(super) attacker: Side,
    pub(super) table: Table,
    watch: Option<&'a Watch<'a>>,
    checkpoint: Option<Checkpoint<'a>>,
    pub(super) nodes: u64,
    /// The number of nodes at which a run ends, while there is one.
    pub(super) end: Option<u64>,
    /// Nodes that the watch has heard of.
    pub(super) told: u64,
    is_stopped: bool,
    /// Successors looked up, and those of them that were known.
    pub(super) probes: (u64, u64),
    pub(super) proofs: u32,
    pub(super) failures: Failures,
    pub(super) lessons: Lessons,
    /// Positions decided by their captures.
    pub(super) decided_by_captures: u64,
    /// From the root to where the search is.
    pub(super) path: Vec<Frame>,
    /// The children of all positions on the path.
    pub(super) children: Vec<Child>,
    /// Working memory for successors and their keys, for each of the positions under way whose captures are looked at.
    successors: Vec<(Vec<Position>, Vec<Key>)>,
}

impl<'a> Search<'a> {
    /// A search with an empty table that may grow to so many bytes.
    pub fn new(board: &'a Board, database: &'a Values, attacker: Side, bytes: u64) -> Self {
        Search {
            board,
            database,
            attacker,
            table: Table::new(board, bytes),
            watch: None,
            checkpoint: None,
            nodes: 0,
            end: None,
            told: 0,
            is_stopped: false,
            probes: (0, 0),
            proofs: 0,
            failures: Failures::default(),
            lessons: Lessons::new(),
            decided_by_captures: 0,
            path: Vec::new(),
            children: Vec::new(),
            successors: Vec::new(),
        }
    }

    /// The most bytes that the table of a search of so many nodes can take.
    pub fn most_bytes(nodes: u64) -> u64 {
        Table::most_bytes(nodes.saturating_mul(1 + DECIDED_BY_CAPTURES))
    }

    /// The search, heard of by a watch.
    pub fn watched(self, watch: &'a Watch<'a>) -> Self {
        Search { watch: Some(watch), ..self }
    }

    /// The search, kept in a file while it is under way; it goes on from there if it was kept before.
    pub fn kept(mut self, checkpoint: Checkpoint<'a>) -> Self {
        let mut found = Search::new(self.board, self.database, self.attacker, self.table.limit());
        if checkpoint.restore(&mut found) {
            self = Search { watch: self.watch, ..found };
        }
        Search { checkpoint: Some(checkpoint), ..self }
    }

    /// Whether the watch has stopped the search.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Positions expanded so far, each time counted; not those that were looked at for their captures.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Successors that were looked up in the database, and how many of them it knew.
    pub fn probes(&self) -> (u64, u64) {
        self.probes
    }

    /// See [`known`].
    pub(super) fn known(&self, position: &Position) -> Option<bool> {
        known(self.database, self.attacker, position)
    }

    /// Searches `root` until it is decided, `budget` nodes have been expanded, the table is full of decided
    /// positions or the watch wants it to stop.
    pub fn run(&mut self, root: &Position, budget: u64) -> Outcome {
        if let Some(won) = self.known(root) {
            return if won { Outcome::Proved } else { Outcome::Disproved };
        }
        self.end.get_or_insert(self.nodes.saturating_add(budget));
        let outcome = loop {
            let outcome = match self.numbers(root) {
                // It was kept on its way.
                _ if !self.path.is_empty() => self.descend(root),
                (0, _) => Outcome::Proved,
                (_, 0) => Outcome::Disproved,
                (proof, disproof) if self.is_over() => Outcome::Unknown { proof, disproof },
                _ => self.descend(root),
            };
            self.tell();
            if outcome != Outcome::Disproved || close(self, root) {
                break outcome;
            }
            self.keep();
        };
        self.end = None;
        outcome
    }

    /// Whether the search has to end.
    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| self.nodes >= end) || self.is_stopped || self.table.is_spent()
    }

    fn tell(&mut self) {
        if let Some(watch) = self.watch {
            self.is_stopped = watch(self.nodes - self.told, self.root_numbers());
        }
        self.told = self.nodes;
    }

    /// The numbers of the root with all that has been found so far. Those that it would get from its children are of the time
    /// when the search went to one of them, which may be hours ago.
    fn root_numbers(&self) -> Option<(u32, u32)> {
        let mut end = self.children.len();
        let mut below = None;
        for frame in self.path.iter().rev() {
            let numbers = (frame.children..end).map(|i| match below {
                Some(numbers) if i == frame.best => numbers,
                _ => self.children[i].numbers(),
            });
            let look = Look::at(frame.position.turn == self.attacker, numbers);
            below = Some((look.proof, look.disproof));
            end = frame.children;
        }
        below
    }

    /// Writes the search down, if it is time to.
    fn keep(&mut self) {
        if let Some(mut checkpoint) = self.checkpoint.take() {
            if checkpoint.is_due(self.is_stopped) {
                checkpoint.keep(self);
            }
            self.checkpoint = Some(checkpoint);
        }
    }

    /// Searches, from where it is, until the root is proved, or disproved in all belief, or the search has to end.
    fn descend(&mut self, root: &Position) -> Outcome {
        if self.path.is_empty() {
            self.enter((root, self.table.key(root)), INFINITE, INFINITE);
        }
        loop {
            if self.nodes - self.told >= TELL {
                self.tell();
                self.keep();
            }
            let Some(frame) = self.path.last() else { unreachable!("the root returns below") };
            let is_or = frame.position.turn == self.attacker;
            let look = Look::at(is_or, self.children[frame.children..].iter().map(Child::numbers));
            let solved = look.proof == 0 || look.disproof == 0;
            let enough = look.proof >= frame.max_proof || look.disproof >= frame.max_disproof;
            if solved || enough || self.is_over() {
                self.leave(&look);
                match self.path.last() {
                    None => return look.outcome(),
                    Some(parent) => {
                        let child = &mut self.children[parent.best];
                        (child.proof, child.disproof) = (look.proof, look.disproof);
                    }
                }
                continue;
            }
            let (max_proof, max_disproof) = look.limits(is_or, frame.max_proof, frame.max_disproof);
            let best = frame.children + look.best;
            let Child { position, key, .. } = self.children[best];
            // It may have been decided on another way since this one was looked at.
            let now = self.numbers_by_key(&position, key);
            if now.0 == 0 || now.1 == 0 {
                (self.children[best].proof, self.children[best].disproof) = now;
                continue;
            }
            if let Some(frame) = self.path.last_mut() {
                frame.best = best;
            }
            self.enter((&position, key), max_proof, max_disproof);
        }
    }

    /// The proof and disproof numbers of the successors of a position, in canonical order: as far as the
    /// table has them, else as estimated.
    pub fn numbers_below(&self, position: &Position) -> Vec<(u32, u32)> {
        let mut successors = Vec::new();
        self.board.successors(position, &mut successors);
        let numbers = |s: &Position| match self.table.find(s).map(|at| self.table.known(at)) {
            Some(Known::Open { proof, disproof }) => (proof, disproof),
            _ => estimate(self.board, self.attacker, s),
        };
        successors.iter().map(numbers).collect()
    }

    /// Puts a position on the path and looks at its children.
    fn enter(&mut self, (position, key): (&Position, Key), max_proof: u32, max_disproof: u32) {
        let at = self.table.enter(key);
        self.table.set(at, Known::OnPath);
        self.path.push(Frame {
            position: *position,
            key,
            children: self.children.len(),
            best: 0,
            max_proof,
            max_disproof,
            before: self.nodes,
        });
        self.nodes += 1;
        self.put_successors(position);
    }

    /// Puts the successors of a position behind the children that are there, with their numbers.
    fn put_successors(&mut self, position: &Position) {
        let (mut successors, mut keys) = self.successors.pop().unwrap_or_default();
        self.board.successors(position, &mut successors);
        keys.clear();
        keys.extend(successors.iter().map(|s| self.table.key(s)));
        self.table.fetch(&keys);
        for (s, &key) in successors.iter().zip(&keys) {
            let known = self.known(s);
            self.probes.0 += 1;
            self.probes.1 += u64::from(known.is_some());
            let (proof, disproof) = match known {
                Some(true) => (0, INFINITE),
                Some(false) => (INFINITE, 0),
                None if self.is_to_capture(s, key) => self.quiesce(s, key),
                None => self.numbers_by_key(s, key),
            };
            self.children.push(Child { position: *s, key, proof, disproof });
        }
        self.successors.push((successors, keys));
    }

    /// Whether captures are to say what the numbers of a position are.
    fn is_to_capture(&self, position: &Position, key: Key) -> bool {
        self.board.can_capture(position)
            && self.table.find_key(key).is_none()
            && !self.table.is_spent()
            && self.decided_by_captures < self.nodes * DECIDED_BY_CAPTURES
    }

    /// The numbers of a position in which there are captures and which is not in the table. It goes there if
    /// they decide it.
    fn quiesce(&mut self, position: &Position, key: Key) -> (u32, u32) {
        let first = self.children.len();
        self.put_successors(position);
        let look = Look::at(
            position.turn == self.attacker,
            self.children[first..].iter().map(Child::numbers),
        );
        self.children.truncate(first);
        if !matches!(look.outcome(), Outcome::Unknown { .. }) {
            self.decided_by_captures += 1;
            let at = self.table.enter(key);
            self.store(at, &look);
        }
        (look.proof, look.disproof)
    }

    /// The proof and disproof number of a position that the database does not know.
    fn numbers(&self, position: &Position) -> (u32, u32) {
        self.numbers_by_key(position, self.table.key(position))
    }

    fn numbers_by_key(&self, position: &Position, key: Key) -> (u32, u32) {
        match self.table.find_key(key).map(|at| self.table.known(at)) {
            None => {
                let (proof, disproof) = estimate(self.board, self.attacker, position);
                (self.lessons.corrected(self.board, position, proof), disproof)
            }
            Some(Known::Open { proof, disproof }) => (proof, disproof),
            Some(Known::Proved(_)) => (0, INFINITE),
            // To go round in a circle is not to win.
            Some(Known::OnPath) => (INFINITE, 0),
            Some(Known::Believed | Known::Visited(_) | Known::Disproved) => (INFINITE, 0),
        }
    }

    /// Takes the last position off the path, and stores what was found of it.
    fn leave(&mut self, look: &Look) {
        let Some(frame) = self.path.pop() else { unreachable!("there is one") };
        self.children.truncate(frame.children);
        let Some(at) = self.table.find_key(frame.key) else { unreachable!("it was entered") };
        self.store(at, look);
        self.table.add_work(at, self.nodes - frame.before);
        if look.proof < INFINITE {
            let (proof, _) = estimate(self.board, self.attacker, &frame.position);
            self.lessons.learn(self.board, &frame.position, proof, look.proof);
        }
    }

    /// Says in the table what a look at all children has shown.
    fn store(&mut self, at: SlotId, look: &Look) {
        let known = match look.outcome() {
            Outcome::Proved => {
                self.proofs += 1;
                Known::Proved(self.proofs)
            }
            Outcome::Disproved => Known::Believed,
            Outcome::Unknown { proof, disproof } => Known::Open { proof, disproof },
        };
        self.table.set(at, known);
    }
}

/// Proof and disproof numbers for a position that nobody has looked into: the more the attacker is
/// ahead, the easier a proof and the harder a disproof; and the more moves the side to move has, the more there
/// is to do for its opponent, who has to answer all of them. A man counts 8, a king 10, a move 2. (The weights
/// are those that needed the fewest nodes among some dozens, on 6x6, 5x7/2, 8x4, 4x8, 6x4 and 5x5/2 with
/// databases of 3 to 6 pieces and on samples of 8x8 positions of 7 and 8: without the moves it takes 1.7 times
/// as many.)
pub fn estimate(board: &Board, attacker: Side, position: &Position) -> (u32, u32) {
    let worth = |side| {
        let pieces = position.of(side);
        8 * pieces.count_ones() + 2 * (pieces & position.kings).count_ones()
    };
    let (mine, theirs) = (worth(attacker), worth(attacker.opponent()));
    let even = 8;
    let moves = 2 * u32::try_from(board.mobility(position)).unwrap_or(u32::MAX / 2);
    let proof = (even + theirs).saturating_sub(mine).max(1);
    let disproof = (even + mine).saturating_sub(theirs).max(1);
    if position.turn == attacker { (proof, disproof + moves) } else { (proof + moves, disproof) }
}

/// What is known of a position without searching: the database's answer, or that the side to move
/// has no piece left. `Some(true)` is a win for the attacker.
pub fn known(database: &Values, attacker: Side, position: &Position) -> Option<bool> {
    let value = match database.probe(position) {
        None if position.of(position.turn) == 0 => Value::Loss,
        value => value?,
    };
    let won = if position.turn == attacker { Value::Win } else { Value::Loss };
    Some(value == won)
}

/// The numbers of a position from its children's.
struct Look {
    proof: u32,
    disproof: u32,
    /// The child to go to, and its numbers.
    best: usize,
    best_numbers: (u32, u32),
    /// The second smallest of the numbers that are minimised.
    second: u32,
}

impl Look {
    /// In an Or node the proof number is the least of the children's, and the disproof number is to
    /// say what it takes to disprove all of them; in an And node the other way round. A sum would
    /// count what the children share again and again, and on these boards they share nearly all; so
    /// it is the largest of their numbers and one for each other child (weak proof numbers).
    fn at(is_or: bool, children: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let (mut least, mut second, mut best) = ((INFINITE, INFINITE), INFINITE, 0);
        let mut best_numbers = (0, 0);
        let (mut largest, mut undecided) = (0, 0);
        for (i, (proof, disproof)) in children.into_iter().enumerate() {
            let (any, all) = if is_or { (proof, disproof) } else { (disproof, proof) };
            if all > 0 {
                largest = largest.max(all);
                undecided += 1;
            }
            if (any, all) < least {
                second = least.0;
                least = (any, all);
                (best, best_numbers) = (i, (proof, disproof));
            } else {
                second = second.min(any);
            }
        }
        let all = match (largest, undecided) {
            (0, _) | (INFINITE, _) => largest,
            _ => (largest + undecided - 1).min(INFINITE - 1),
        };
        let (proof, disproof) = if is_or { (least.0, all) } else { (all, least.0) };
        Look { proof, disproof, best, best_numbers, second }
    }

    fn outcome(&self) -> Outcome {
        match (self.proof, self.disproof) {
            (0, _) => Outcome::Proved,
            (_, 0) => Outcome::Disproved,
            (proof, disproof) => Outcome::Unknown { proof, disproof },
        }
    }

    /// The numbers up to which the best child is to be searched: until another one looks better by
    /// a quarter, so as not to go to and fro between them, or this position reaches its own limits.
    fn limits(&self, is_or: bool, max_proof: u32, max_disproof: u32) -> (u32, u32) {
        let beyond = self.second.saturating_add((self.second / 4).max(1)).min(INFINITE);
        let (proof, disproof) = self.best_numbers;
        if is_or {
            let rest = self.disproof.saturating_sub(disproof);
            (max_proof.min(beyond), max_disproof.saturating_sub(rest))
        } else {
            let rest = self.proof.saturating_sub(proof);
            (max_proof.saturating_sub(rest), max_disproof.min(beyond))
        }
    }
}
