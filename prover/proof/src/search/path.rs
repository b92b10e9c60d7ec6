//! The path of a search: the positions from the root to where it is, each with its children.

use super::estimate::Goal;
use super::numbers::ProofNumbers;
use super::numbers::{BackupRule, NodeBackup};
use super::slot::Key;
use crate::board::Position;
use serde::{Deserialize, Serialize};

pub(super) struct Child {
    pub(super) position: Position,
    pub(super) key: Key,
    pub(super) seen: Seen,
    /// The first numbers before what was learned is applied; none if its numbers come from the
    /// table, the database or its captures.
    pub(super) estimate: Option<ProofNumbers>,
}

/// A thread's view of a position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) numbers: ProofNumbers,
    /// Its numbers for the choice of where to go: larger where other threads are. Nothing else
    /// comes of them. Stored, they would grow again at each position above; as a reason to leave a
    /// position, they would send threads to and fro that wait for each other.
    pub(super) guide: ProofNumbers,
}

impl Seen {
    /// Numbers of a position where no other thread is.
    pub(super) fn alone(numbers: ProofNumbers) -> Self {
        Seen { numbers, guide: numbers }
    }
}

pub(super) struct Frame {
    pub(super) position: Position,
    pub(super) key: Key,
    /// The numbers at which it is left.
    pub(super) limits: ProofNumbers,
    /// The first numbers of the position before what was learned is applied, if they were estimated
    /// in this visit of its parent: so that it need not be estimated again when it is left.
    pub(super) estimate: Option<ProofNumbers>,
    /// Nodes that were expanded before it.
    pub(super) nodes_before: u64,
    /// The place of its first child.
    children: usize,
    /// The child that is being searched.
    searched: usize,
}

/// The positions from the root to where the search is.
#[derive(Default)]
pub(super) struct Path {
    frames: Vec<Frame>,
    /// The children of all positions on the path, and behind them those of a position whose
    /// captures are being looked at.
    children: Vec<Child>,
}

impl Path {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn length(&self) -> usize {
        self.frames.len()
    }

    /// The keys of its positions, from the root on.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key> {
        self.frames.iter().map(|frame| frame.key)
    }

    pub(super) fn contains(&self, key: Key) -> bool {
        // Most repetitions are of positions of a few moves ago.
        self.frames.iter().rev().any(|frame| frame.key == key)
    }

    pub(super) fn last(&self) -> Option<&Frame> {
        self.frames.last()
    }

    pub(super) fn children(&self) -> &[Child] {
        self.last().map_or(&[], |frame| &self.children[frame.children..])
    }

    /// Goes on to a position that has no children as yet.
    pub(super) fn push(
        &mut self,
        position: Position,
        key: Key,
        limits: ProofNumbers,
        estimate: Option<ProofNumbers>,
        nodes_before: u64,
    ) {
        let children = self.children.len();
        let frame = Frame { position, key, limits, estimate, nodes_before, children, searched: 0 };
        self.frames.push(frame);
    }

    /// Goes back from the last position, whose numbers are these now.
    pub(super) fn pop(&mut self, numbers: ProofNumbers) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.children.truncate(frame.children);
        if let Some(parent) = self.frames.last() {
            self.children[parent.searched].seen = Seen::alone(numbers);
        }
        Some(frame)
    }

    /// Notes that this child of the last position is about to be searched.
    pub(super) fn set_searched(&mut self, child: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.searched = frame.children + child;
        }
    }

    /// Notes what a child of the last position looks like now.
    pub(super) fn set_seen(&mut self, child: usize, seen: Seen) {
        if let Some(frame) = self.frames.last() {
            self.children[frame.children + child].seen = seen;
        }
    }

    pub(super) fn add_child(&mut self, child: Child) {
        self.children.push(child);
    }

    /// The number of children of all positions: where those that are added next will begin.
    pub(super) fn mark(&self) -> usize {
        self.children.len()
    }

    /// Takes the children from a mark on away, and backs their numbers up.
    pub(super) fn take_from(&mut self, mark: usize, rule: BackupRule, is_or: bool) -> NodeBackup {
        let backup =
            NodeBackup::new(rule, is_or, self.children[mark..].iter().map(|c| c.seen.numbers));
        self.children.truncate(mark);
        backup
    }

    /// The numbers of the root with all that has been found so far, and the child of the root below
    /// which the search is, with its own. Those that they would get from their children are of the
    /// time when the search went on to one of these, which may be hours ago.
    pub(super) fn root_numbers(
        &self,
        goal: &Goal<'_>,
    ) -> (Option<ProofNumbers>, Option<(Position, ProofNumbers)>) {
        let mut end = self.children.len();
        let mut root = None;
        let mut below = None;
        for frame in self.frames.iter().rev() {
            below = root.map(|numbers| (self.children[frame.searched].position, numbers));
            let numbers = (frame.children..end).map(|i| match root {
                Some(numbers) if i == frame.searched => numbers,
                _ => self.children[i].seen.numbers,
            });
            root = Some(
                NodeBackup::new(goal.backup_rule(), goal.is_or(&frame.position), numbers).numbers,
            );
            end = frame.children;
        }
        (root, below)
    }

    /// The path as it is written.
    pub(super) fn to_wire(&self) -> WirePath {
        let mut wire = WirePath { frames: Vec::new(), children: Vec::new() };
        for frame in &self.frames {
            wire.frames.push(WireFrame {
                key: frame.key,
                limits: frame.limits,
                nodes_before: frame.nodes_before,
                children: frame.children as u64,
                searched: frame.searched as u64,
            });
        }
        for child in &self.children {
            wire.children.push(WireChild { key: child.key, numbers: child.seen.numbers });
        }
        wire
    }

    /// The path that was written; `None` if it cannot be one.
    pub(super) fn from_wire(wire: &WirePath, goal: &Goal<'_>) -> Option<Path> {
        let index = |n: u64| usize::try_from(n).ok().filter(|n| *n <= wire.children.len());
        let mut path = Path::default();
        for frame in &wire.frames {
            path.frames.push(Frame {
                position: frame.key.position(goal.board),
                key: frame.key,
                limits: frame.limits,
                estimate: None,
                nodes_before: frame.nodes_before,
                children: index(frame.children)?,
                searched: index(frame.searched)?,
            });
        }
        for &WireChild { key, numbers } in &wire.children {
            path.children.push(Child {
                position: key.position(goal.board),
                key,
                seen: Seen::alone(numbers),
                estimate: None,
            });
        }
        Some(path)
    }
}

/// A path as it is written. Positions follow from their keys.
#[derive(Serialize, Deserialize)]
pub(super) struct WirePath {
    frames: Vec<WireFrame>,
    children: Vec<WireChild>,
}

#[derive(Serialize, Deserialize)]
struct WireFrame {
    key: Key,
    limits: ProofNumbers,
    nodes_before: u64,
    children: u64,
    searched: u64,
}

#[derive(Serialize, Deserialize)]
struct WireChild {
    key: Key,
    numbers: ProofNumbers,
}
