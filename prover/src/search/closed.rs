//! The closed set in what a search believes to be disproved.
//!
//! From the root, the set takes all moves of the attacker and one of the defender; where a move leads to
//! a position that is not believed, the position it came from falls, and with it those that lean on it,
//! except that the defender chooses another move as long as there is one. So what is left is closed, and
//! if the root falls then there is no closed set of believed positions that contains it. Every position
//! is looked at once and then once for each of its choices that falls.
//!
//! A position that has captures may have been forgotten. Then it belongs to the set for as long as what its captures lead to
//! does, as if it were believed: a closed set is not lost, whoever has looked at its positions before.
//!
//! If nothing was kept and nothing proved since the last time, the search might come to believe the same
//! things again: of two moves of the defender, the first leads to a position whose disproof leans on it and
//! is then left for the second, which leads to the same position and is believed. So the positions that
//! fall get disproof numbers that grow with the number of such failures in a row. What a belief leans on is
//! then searched further before it is left, in the end until it is decided; then beliefs lean only on what
//! is decided, and if one falls there is one more proof to show for it.

use super::dfpn::{KeyMap, Search, estimate};
use super::table::{INFINITE, Known, SlotId};
use crate::board::Position;

/// No edge, no node.
const NONE: u32 = u32::MAX;

/// A position that the set has come to: one that is believed, or that has captures and has been forgotten, so that what
/// they lead to says what it is worth.
struct Node {
    place: Place,
    /// The first of the edges that lead here.
    edges: u32,
    /// In a position of the defender the edge of its chosen move, if it leads to a node.
    choice: u32,
    has_fallen: bool,
}

#[derive(Clone, Copy)]
enum Place {
    Slot(SlotId),
    Forgotten(Position),
}

/// An edge, in a list of those that lead to the same node.
struct Edge {
    from: u32,
    next: u32,
}

/// What closures have come to, as far as the next one has to know.
#[derive(Debug, Default)]
pub(super) struct Failures {
    /// Failures in a row, each of which kept nothing, with nothing proved in between.
    pub(super) in_a_row: u32,
    /// Whether the last one kept nothing.
    pub(super) kept_nothing: bool,
    /// What was proved until then.
    pub(super) proofs: u32,
}

struct Closure<'s, 'a> {
    search: &'s mut Search<'a>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// The nodes of positions that were forgotten.
    forgotten: KeyMap<u32>,
    /// Nodes to look at.
    new: Vec<u32>,
    /// Nodes that have fallen and on which others may lean.
    fallen: Vec<u32>,
}

/// Goes over what is believed, from the root, which is believed: what is closed is disproved from now on, the
/// rest is open again. Returns whether the root is disproved.
pub(super) fn close(search: &mut Search<'_>, root: &Position) -> bool {
    let Some(slot) = search.table.find(root) else { return false };
    if search.table.known(slot) == Known::Disproved {
        return true;
    }
    let proofs = search.proofs;
    let is_stuck = search.failures.kept_nothing && search.failures.proofs == proofs;
    search.failures.in_a_row = if is_stuck { search.failures.in_a_row + 1 } else { 0 };
    let (nodes, edges, new, fallen) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let forgotten = KeyMap::default();
    let mut closure = Closure { search, nodes, edges, forgotten, new, fallen };
    closure.visit(Place::Slot(slot));
    closure.run();
    let mut kept_nothing = true;
    for node in closure.nodes.iter().filter(|node| !node.has_fallen) {
        if let Place::Slot(slot) = node.place {
            closure.search.table.set(slot, Known::Disproved);
            kept_nothing = false;
        }
    }
    let is_closed = !closure.nodes[0].has_fallen;
    (search.failures.kept_nothing, search.failures.proofs) = (kept_nothing, proofs);
    is_closed
}

impl Closure<'_, '_> {
    fn run(&mut self) {
        let mut successors = Vec::new();
        loop {
            if let Some(gone) = self.fallen.pop() {
                let mut edge = self.nodes[gone as usize].edges;
                while edge != NONE {
                    let Edge { from, next } = self.edges[edge as usize];
                    let node = &self.nodes[from as usize];
                    // A position of the attacker has no choice.
                    if !node.has_fallen && (node.choice == NONE || node.choice == edge) {
                        self.look(from, &mut successors);
                    }
                    edge = next;
                }
            } else if let Some(node) = self.new.pop() {
                self.look(node, &mut successors);
            } else {
                return;
            }
        }
    }

    fn visit(&mut self, place: Place) -> u32 {
        let n = self.nodes.len() as u32;
        self.nodes.push(Node { place, edges: NONE, choice: NONE, has_fallen: false });
        match place {
            Place::Slot(slot) => self.search.table.set(slot, Known::Visited(n)),
            Place::Forgotten(position) => {
                self.forgotten.insert(position.key(), n);
            }
        }
        self.new.push(n);
        n
    }

    /// Looks where the moves of a node lead, for the first time or because one leads to a node that has
    /// fallen.
    fn look(&mut self, n: u32, successors: &mut Vec<Position>) {
        let place = self.nodes[n as usize].place;
        let position = match place {
            Place::Slot(slot) => self.search.table.position(slot),
            Place::Forgotten(position) => position,
        };
        self.search.board.successors(&position, successors);
        let holds = if position.turn == self.search.attacker {
            successors.iter().all(|s| match self.search.known(s) {
                Some(won) => !won,
                None => self.lean(n, s),
            })
        } else {
            self.choose(n, successors)
        };
        if !holds {
            self.nodes[n as usize].has_fallen = true;
            self.fallen.push(n);
            if let Place::Slot(slot) = place {
                let (proof, disproof) =
                    estimate(self.search.board, self.search.attacker, &position);
                let disproof = disproof.saturating_mul(1 << self.search.failures.in_a_row.min(24));
                let disproof = disproof.min(INFINITE - 1);
                self.search.table.set(slot, Known::Open { proof, disproof });
            }
        }
    }

    /// Chooses a move of the defender: one that needs no more of the set, else one to a position that is
    /// in it, else any that is believed, else any whose captures are to be looked at.
    fn choose(&mut self, n: u32, successors: &[Position]) -> bool {
        self.nodes[n as usize].choice = NONE;
        let effort = |s: &Position| match self.search.known(s) {
            Some(won) => (!won).then_some(0),
            None => match self.search.table.find(s).map(|slot| self.search.table.known(slot)) {
                Some(Known::Disproved) => Some(0),
                Some(Known::Visited(_)) => Some(1),
                Some(Known::Believed) => Some(2),
                Some(_) => None,
                None => match self.forgotten.get(&s.key()) {
                    Some(&node) => (!self.nodes[node as usize].has_fallen).then_some(1),
                    None => self.search.board.can_capture(s).then_some(3),
                },
            },
        };
        let efforts = successors.iter().filter_map(|s| Some((effort(s)?, s)));
        match efforts.min_by_key(|(effort, _)| *effort) {
            None => false,
            Some((0, _)) => true,
            Some((_, s)) => {
                self.nodes[n as usize].choice = self.edges.len() as u32;
                self.lean(n, s)
            }
        }
    }

    /// Has a node lean on a position, if that may be disproved.
    fn lean(&mut self, from: u32, on: &Position) -> bool {
        let to = match self.search.table.find(on) {
            Some(slot) => match self.search.table.known(slot) {
                Known::Disproved => return true,
                Known::Visited(node) => node,
                Known::Believed => self.visit(Place::Slot(slot)),
                _ => return false,
            },
            None => match self.forgotten.get(&on.key()) {
                Some(&node) if self.nodes[node as usize].has_fallen => return false,
                Some(&node) => node,
                None if self.search.board.can_capture(on) => self.visit(Place::Forgotten(*on)),
                None => return false,
            },
        };
        let next = self.nodes[to as usize].edges;
        self.nodes[to as usize].edges = self.edges.len() as u32;
        self.edges.push(Edge { from, next });
        true
    }
}
