//! The greatest closed set among the positions that a search has tentatively disproved.
//!
//! From the root, the set takes all moves of the attacker and one of the defender; where a move
//! leads to a position that is not disproved, the position it came from falls, and with it those
//! that lean on it, except that the defender chooses another move as long as there is one. So what
//! is left is closed, and if the root falls then no closed set of tentatively disproved positions
//! contains it. Every position is looked at once and then once for each of its choices that falls.
//!
//! A position that has captures may have been forgotten. Then it belongs to the set for as long as
//! what its captures lead to does, as if it were tentatively disproved: a closed set is not lost,
//! whichever of its positions were searched before.
//!
//! If nothing was kept and nothing proved since the last time, the search might come to the same
//! disproofs again: of two moves of the defender, the first leads to a position whose disproof
//! leans on it and is then left for the second, which leads to the same position and is disproved.
//! So the positions that fall get disproof numbers that grow with the number of such failures in a
//! row. What a disproof leans on is then searched further before it is left, in the end until it is
//! decided; then disproofs lean only on what is decided, and if one falls there is one more proof
//! to show for it.

use super::estimate::Goal;
use super::numbers::{INFINITE, ProofNumbers};
use super::slot::{KeyMap, Known};
use super::table::{SlotId, Table};
use crate::board::Position;
use serde::{Deserialize, Serialize};

/// No edge, no node.
const NONE: u32 = u32::MAX;

/// A position that the set has come to: one that is tentatively disproved, or that has captures and
/// has been forgotten, so that what they lead to says what it is worth.
struct Node {
    place: Location,
    /// The first of the edges that lead here.
    edges: u32,
    /// In a position of the defender the edge of its chosen move, if it leads to a node.
    choice: u32,
    has_fallen: bool,
}

#[derive(Clone, Copy)]
enum Location {
    Slot(SlotId),
    /// The number of the position among those that were forgotten.
    Forgotten(u32),
}

/// An edge, in a list of those that lead to the same node.
struct Edge {
    from: u32,
    next: u32,
}

/// The results of closures, as far as the next one has to know them.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Failures {
    /// Failures in a row, each of which kept nothing, with nothing proved in between.
    in_a_row: u32,
    kept_nothing: bool,
    /// The time of the latest proof until then.
    time: u64,
}

struct Closure<'s> {
    goal: &'s Goal<'s>,
    table: &'s mut Table,
    /// By how much the disproof numbers of positions that fall are multiplied.
    factor: u32,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Positions that were forgotten. They are few, so a node has no room for one.
    positions: Vec<Position>,
    /// Their nodes.
    forgotten: KeyMap<u32>,
    /// Nodes to look at.
    new: Vec<u32>,
    /// Nodes that have fallen and on which others may lean.
    fallen: Vec<u32>,
}

/// Goes over what is tentatively disproved, from the root, which is: what is closed is disproved
/// from now on, the rest is open again. Returns whether the root is disproved.
pub(super) fn find_closed_set(
    goal: &Goal<'_>,
    table: &mut Table,
    failures: &mut Failures,
    root: &Position,
) -> bool {
    let time = table.time;
    let Some(slot) = table.find(root) else { return false };
    if table.known(slot) == Known::Disproved {
        return true;
    }
    let is_stuck = failures.kept_nothing && failures.time == time;
    failures.in_a_row = if is_stuck { failures.in_a_row + 1 } else { 0 };
    let mut closure = Closure {
        goal,
        table,
        factor: 1 << failures.in_a_row.min(24),
        nodes: Vec::new(),
        edges: Vec::new(),
        positions: Vec::new(),
        forgotten: KeyMap::default(),
        new: Vec::new(),
        fallen: Vec::new(),
    };
    closure.visit(Location::Slot(slot));
    closure.run();
    let mut kept_nothing = true;
    for node in closure.nodes.iter().filter(|node| !node.has_fallen) {
        if let Location::Slot(slot) = node.place {
            closure.table.set(slot, Known::Disproved);
            kept_nothing = false;
        }
    }
    (failures.kept_nothing, failures.time) = (kept_nothing, time);
    !closure.nodes[0].has_fallen
}

impl Closure<'_> {
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
                        self.expand(from, &mut successors);
                    }
                    edge = next;
                }
            } else if let Some(node) = self.new.pop() {
                self.expand(node, &mut successors);
            } else {
                return;
            }
        }
    }

    fn visit(&mut self, place: Location) -> u32 {
        let n = self.nodes.len() as u32;
        self.nodes.push(Node { place, edges: NONE, choice: NONE, has_fallen: false });
        match place {
            Location::Slot(slot) => self.table.set(slot, Known::Visited(n)),
            Location::Forgotten(at) => {
                self.forgotten.insert(self.positions[at as usize].key(), n);
            }
        }
        self.new.push(n);
        n
    }

    /// Looks where the moves of a node lead, for the first time or because one leads to a node that
    /// has fallen.
    fn expand(&mut self, n: u32, successors: &mut Vec<Position>) {
        let place = self.nodes[n as usize].place;
        let position = match place {
            Location::Slot(slot) => self.table.position(slot),
            Location::Forgotten(at) => self.positions[at as usize],
        };
        self.goal.board.successors(&position, successors);
        let holds = if self.goal.is_or(&position) {
            successors.iter().all(|s| match self.goal.known(s) {
                Some(won) => !won,
                None => self.lean(n, s),
            })
        } else {
            self.choose(n, successors)
        };
        if !holds {
            self.nodes[n as usize].has_fallen = true;
            self.fallen.push(n);
            if let Location::Slot(slot) = place {
                let ProofNumbers { proof, disproof } = self.goal.estimate(&position);
                let disproof = disproof.saturating_mul(self.factor).min(INFINITE - 1);
                self.table.set(slot, Known::Open(ProofNumbers { proof, disproof }));
            }
        }
    }

    /// Chooses a move of the defender: one that needs no more of the set, else one to a position
    /// that is in it, else to one that is tentatively disproved, else to one whose captures are to
    /// be looked at.
    fn choose(&mut self, n: u32, successors: &[Position]) -> bool {
        self.nodes[n as usize].choice = NONE;
        let effort = |s: &Position| match self.goal.known(s) {
            Some(won) => (!won).then_some(0),
            None => match self.table.find(s).map(|slot| self.table.known(slot)) {
                Some(Known::Disproved) => Some(0),
                Some(Known::Visited(_)) => Some(1),
                Some(Known::TentativelyDisproved) => Some(2),
                Some(_) => None,
                None => match self.forgotten.get(&s.key()) {
                    Some(&node) => (!self.nodes[node as usize].has_fallen).then_some(1),
                    None => self.goal.board.can_capture(s).then_some(3),
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
        let to = match self.table.find(on) {
            Some(slot) => match self.table.known(slot) {
                Known::Disproved => return true,
                Known::Visited(node) => node,
                Known::TentativelyDisproved => self.visit(Location::Slot(slot)),
                _ => return false,
            },
            None => match self.forgotten.get(&on.key()) {
                Some(&node) if self.nodes[node as usize].has_fallen => return false,
                Some(&node) => node,
                None if self.goal.board.can_capture(on) => {
                    self.positions.push(*on);
                    self.visit(Location::Forgotten(self.positions.len() as u32 - 1))
                }
                None => return false,
            },
        };
        let next = self.nodes[to as usize].edges;
        self.nodes[to as usize].edges = self.edges.len() as u32;
        self.edges.push(Edge { from, next });
        true
    }
}
