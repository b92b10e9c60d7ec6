//! Df-pn⁺: does one side, the *attacker*, win from here? (Nagai 2002; the "+" are proof and disproof
//! numbers that begin with a heuristic estimate.)
//!
//! A *proof* is a win for the attacker, a *disproof* shows that the other side, the *defender*, does
//! not lose. The attacker's positions are Or nodes, the defender's And nodes.
//!
//! **Repetition.** A position that is already on the path is not won by going round: for the
//! position below it counts as disproved. But the disproof then holds only *if* that position on the
//! path is disproved in the end, and to store it as if it held outright is the mistake (the
//! graph-history interaction) that makes plain df-pn answer with no proof to show. Here a disproof
//! carries its *support*: the positions on the path that it leaned on. When a position's own
//! disproof leans on nothing but itself, it stands: staying in the cycle is not losing (the closed
//! sets of `SPEC.md` §2). A disproof with support is kept and used again wherever each position of
//! its support is on the current path, or is disproved, or has a disproof whose own support is fit
//! for use in the same way; in that last case the supports may lean on each other in a circle, which
//! again is a closed set. Positions on the path that this rests on become the support there.
//! A proof never uses a repetition: its positions were all proved before, one after the other.
//!
//! Every position that ever had a disproof, with or without support, is a candidate for the closed
//! set that [`super::Strategy`] extracts at the end by taking the greatest closed subset, so that a
//! wrong bookkeeping of supports could only lead to an extraction that fails, not to a wrong proof.
//!
//! The table keeps every position that was expanded: a search is bounded by its budget of nodes, not
//! by a table size, and forgets nothing.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::board::{Board, Position, Side};
use crate::egdb::{Value, Values};

/// Proof numbers at and above this are infinite.
pub const INFINITE: u32 = 1 << 30;
/// A support is looked into no further than this many positions.
const MAX_LOOK: usize = 512;

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

/// What is known of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Status {
    /// Neither proved nor disproved.
    Open,
    /// The attacker wins; the number grows with the time of the proof.
    Proved(u32),
    /// The defender does not lose.
    Disproved,
}

/// A position in the table.
pub(super) struct Entry {
    pub(super) position: Position,
    pub(super) status: Status,
    /// A disproof that holds if these entries are disproved; not used once `status` is decided.
    pub(super) support: Option<Box<[u32]>>,
    proof: u32,
    disproof: u32,
    on_path: bool,
}

/// A child of a position on the path.
struct Child {
    position: Position,
    proof: u32,
    disproof: u32,
    /// If disproved: what that leans on.
    support: Vec<u32>,
}

/// A position on the path.
struct Frame {
    entry: u32,
    /// Where its children begin.
    children: usize,
    /// The child that was gone to.
    best: usize,
    max_proof: u32,
    max_disproof: u32,
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

/// A search for one attacker, with its table.
pub struct Search<'a> {
    pub(super) board: &'a Board,
    pub(super) database: &'a Values,
    pub(super) attacker: Side,
    index: KeyMap<u32>,
    pub(super) entries: Vec<Entry>,
    nodes: u64,
    /// Successors looked up, and those of them that were known.
    probes: (u64, u64),
    proofs: u32,
    /// Working memory for successors.
    successors: Vec<Position>,
}

impl<'a> Search<'a> {
    /// A search with an empty table.
    pub fn new(board: &'a Board, database: &'a Values, attacker: Side) -> Self {
        Search {
            board,
            database,
            attacker,
            index: KeyMap::default(),
            entries: Vec::new(),
            nodes: 0,
            probes: (0, 0),
            proofs: 0,
            successors: Vec::new(),
        }
    }

    /// Positions expanded so far, each time counted.
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

    /// The table entry of a position.
    pub(super) fn find(&self, position: &Position) -> Option<u32> {
        self.index.get(&position.key()).copied()
    }

    /// Searches `root` until it is decided or `budget` nodes have been expanded.
    pub fn run(&mut self, root: &Position, budget: u64) -> Outcome {
        if let Some(won) = self.known(root) {
            return if won { Outcome::Proved } else { Outcome::Disproved };
        }
        let end = self.nodes + budget;
        let (mut path, mut children) = (Vec::new(), Vec::new());
        self.enter(root, INFINITE, INFINITE, &mut path, &mut children);
        loop {
            let Some(frame) = path.last_mut() else { unreachable!("the root returns below") };
            let is_or = self.entries[frame.entry as usize].position.turn == self.attacker;
            let look = Look::at(is_or, &children[frame.children..]);
            let solved = look.proof == 0 || look.disproof == 0;
            let enough = look.proof >= frame.max_proof || look.disproof >= frame.max_disproof;
            if solved || enough || self.nodes >= end {
                let result = self.leave(is_or, &look, &mut path, &mut children);
                match path.last() {
                    None => return result.1,
                    Some(parent) => children[parent.best].take(result),
                }
                continue;
            }
            let (max_proof, max_disproof) = look.limits(is_or, frame.max_proof, frame.max_disproof);
            let at = frame.children + look.best;
            frame.best = at;
            let position = children[at].position;
            if let Some(known) = self.find(&position).and_then(|e| self.decided(e)) {
                children[at].take((Vec::new(), known));
                continue;
            }
            self.enter(&position, max_proof, max_disproof, &mut path, &mut children);
        }
    }

    /// The proof and disproof numbers of the successors of a position, in canonical order: as far as the
    /// table has them, else as estimated.
    pub fn numbers_below(&self, position: &Position) -> Vec<(u32, u32)> {
        let mut successors = Vec::new();
        self.board.successors(position, &mut successors);
        let numbers = |s: &Position| {
            let entry = self.find(s).map(|id| &self.entries[id as usize]);
            match entry.filter(|e| e.status == Status::Open) {
                // On the path of a search that ran out of nodes it may not have its numbers yet.
                Some(entry) => {
                    let open = |n: u32| n.clamp(1, INFINITE - 1);
                    (open(entry.proof), open(entry.disproof))
                }
                None => estimate(self.attacker, s),
            }
        };
        successors.iter().map(numbers).collect()
    }

    fn decided(&self, entry: u32) -> Option<Outcome> {
        match self.entries[entry as usize].status {
            Status::Open => None,
            Status::Proved(_) => Some(Outcome::Proved),
            Status::Disproved => Some(Outcome::Disproved),
        }
    }

    /// Puts a position on the path and looks at its children.
    fn enter(
        &mut self,
        position: &Position,
        max_proof: u32,
        max_disproof: u32,
        path: &mut Vec<Frame>,
        children: &mut Vec<Child>,
    ) {
        self.nodes += 1;
        let next = self.entries.len() as u32;
        let entry = *self.index.entry(position.key()).or_insert(next);
        if entry == next {
            self.entries.push(Entry {
                position: *position,
                status: Status::Open,
                support: None,
                proof: 1,
                disproof: 1,
                on_path: false,
            });
        }
        self.entries[entry as usize].on_path = true;
        path.push(Frame { entry, children: children.len(), best: 0, max_proof, max_disproof });
        let mut successors = std::mem::take(&mut self.successors);
        self.board.successors(position, &mut successors);
        children.extend(successors.iter().map(|s| self.child(s)));
        self.successors = successors;
    }

    fn child(&mut self, position: &Position) -> Child {
        let mut child =
            Child { position: *position, proof: INFINITE, disproof: 0, support: Vec::new() };
        let known = self.known(position);
        self.probes.0 += 1;
        self.probes.1 += u64::from(known.is_some());
        match known {
            Some(true) => (child.proof, child.disproof) = (0, INFINITE),
            Some(false) => {}
            None => match self.find(position) {
                None => (child.proof, child.disproof) = estimate(self.attacker, position),
                Some(entry) => self.recall(entry, &mut child),
            },
        }
        child
    }

    /// Fills in what the table knows of a child.
    fn recall(&self, id: u32, child: &mut Child) {
        let entry = &self.entries[id as usize];
        match entry.status {
            Status::Proved(_) => (child.proof, child.disproof) = (0, INFINITE),
            Status::Disproved => {}
            Status::Open if entry.on_path => child.support.push(id),
            Status::Open => match self.supported(id) {
                Some(support) => child.support = support,
                None => (child.proof, child.disproof) = (entry.proof, entry.disproof),
            },
        }
    }

    /// If the entry's disproof can be used on the current path: the positions of the path that it
    /// leans on, ascending.
    fn supported(&self, id: u32) -> Option<Vec<u32>> {
        self.entries[id as usize].support.as_ref()?;
        let (mut seen, mut at, mut leaned_on) = (vec![id], 0, Vec::new());
        while at < seen.len() {
            let entry = &self.entries[seen[at] as usize];
            if entry.on_path {
                leaned_on.push(seen[at]);
            } else {
                match (&entry.status, &entry.support) {
                    (Status::Disproved, _) => {}
                    (Status::Open, Some(support)) => {
                        for s in support {
                            if !seen.contains(s) {
                                seen.push(*s);
                            }
                        }
                        if seen.len() > MAX_LOOK {
                            return None;
                        }
                    }
                    _ => return None,
                }
            }
            at += 1;
        }
        leaned_on.sort_unstable();
        Some(leaned_on)
    }

    /// Takes the top position off the path and stores what was found.
    fn leave(
        &mut self,
        is_or: bool,
        look: &Look,
        path: &mut Vec<Frame>,
        children: &mut Vec<Child>,
    ) -> (Vec<u32>, Outcome) {
        let Some(frame) = path.pop() else { unreachable!("only called with a path") };
        let mut support = Vec::new();
        if look.disproof == 0 {
            let mine = &children[frame.children..];
            if is_or {
                support = mine.iter().flat_map(|c| c.support.iter().copied()).collect();
                support.sort_unstable();
                support.dedup();
            } else {
                // One disproved child is enough: the one that leans on the fewest.
                let disproved = mine.iter().filter(|c| c.disproof == 0);
                let least = disproved.min_by_key(|c| c.support.len());
                support = least.map(|c| c.support.clone()).unwrap_or_default();
            }
            support.retain(|&s| s != frame.entry);
        }
        children.truncate(frame.children);
        let entry = &mut self.entries[frame.entry as usize];
        entry.on_path = false;
        if look.proof == 0 {
            self.proofs += 1;
            entry.status = Status::Proved(self.proofs);
            return (support, Outcome::Proved);
        }
        if look.disproof == 0 {
            if support.is_empty() {
                entry.status = Status::Disproved;
            } else {
                entry.support = Some(support.clone().into());
            }
            return (support, Outcome::Disproved);
        }
        (entry.proof, entry.disproof) = (look.proof, look.disproof);
        (support, Outcome::Unknown { proof: look.proof, disproof: look.disproof })
    }
}

/// Proof and disproof numbers for a position that nobody has looked into: the more the attacker is
/// ahead, the easier a proof and the harder a disproof. A man counts 2, a king 3. (The weights are
/// those that needed the fewest nodes among a dozen tried on 6x6, 5x7/2, 8x4, 4x8 and 6x4.)
pub fn estimate(attacker: Side, position: &Position) -> (u32, u32) {
    let worth = |side| {
        let pieces = position.of(side);
        2 * pieces.count_ones() + (pieces & position.kings).count_ones()
    };
    let (mine, theirs) = (worth(attacker), worth(attacker.opponent()));
    let even = 8;
    let proof = (even + 4 * theirs).saturating_sub(4 * mine).max(1);
    let disproof = (even + 4 * mine).saturating_sub(4 * theirs).max(1);
    (proof, disproof)
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

impl Child {
    fn take(&mut self, (support, outcome): (Vec<u32>, Outcome)) {
        self.support = support;
        (self.proof, self.disproof) = match outcome {
            Outcome::Proved => (0, INFINITE),
            Outcome::Disproved => (INFINITE, 0),
            Outcome::Unknown { proof, disproof } => (proof, disproof),
        };
    }
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
    fn at(is_or: bool, children: &[Child]) -> Self {
        let (mut least, mut second, mut best) = ((INFINITE, INFINITE), INFINITE, 0);
        let (mut largest, mut undecided) = (0, 0);
        for (i, child) in children.iter().enumerate() {
            let (any, all) =
                if is_or { (child.proof, child.disproof) } else { (child.disproof, child.proof) };
            if all > 0 {
                largest = largest.max(all);
                undecided += 1;
            }
            if (any, all) < least {
                second = least.0;
                least = (any, all);
                best = i;
            } else {
                second = second.min(any);
            }
        }
        let all = match (largest, undecided) {
            (0, _) | (INFINITE, _) => largest,
            _ => (largest + undecided - 1).min(INFINITE - 1),
        };
        let (proof, disproof) = if is_or { (least.0, all) } else { (all, least.0) };
        let best_numbers = children.get(best).map_or((0, 0), |c| (c.proof, c.disproof));
        Look { proof, disproof, best, best_numbers, second }
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
