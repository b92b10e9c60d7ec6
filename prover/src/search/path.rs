//! The path of a search: the positions from the root to where it is, each with its children.

use std::io::{self, Read, Write};

use super::backup::NodeBackup;
use super::checkpoint::{read_numbers, small, write_numbers};
use super::estimate::Goal;
use super::numbers::ProofNumbers;
use super::table::Key;
use crate::board::Position;

/// A child of a position on the path.
pub(super) struct Child {
    pub(super) position: Position,
    pub(super) key: Key,
    pub(super) numbers: ProofNumbers,
}

/// A position on the path.
pub(super) struct Frame {
    pub(super) position: Position,
    pub(super) key: Key,
    /// The numbers at which it is left.
    pub(super) limits: ProofNumbers,
    /// Nodes that were expanded before it.
    pub(super) nodes_before: u64,
    /// Where its children begin.
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

    /// The position where the search is.
    pub(super) fn last(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// Its children.
    pub(super) fn children(&self) -> &[Child] {
        self.last().map_or(&[], |frame| &self.children[frame.children..])
    }

    /// Goes on to a position that has no children as yet.
    pub(super) fn push(
        &mut self,
        position: Position,
        key: Key,
        limits: ProofNumbers,
        nodes_before: u64,
    ) {
        let children = self.children.len();
        self.frames.push(Frame { position, key, limits, nodes_before, children, searched: 0 });
    }

    /// Goes back from the last position, whose numbers are these now.
    pub(super) fn pop(&mut self, numbers: ProofNumbers) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.children.truncate(frame.children);
        if let Some(parent) = self.frames.last() {
            self.children[parent.searched].numbers = numbers;
        }
        Some(frame)
    }

    /// Notes that this child of the last position is about to be searched.
    pub(super) fn set_searched(&mut self, child: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.searched = frame.children + child;
        }
    }

    /// Notes new numbers of a child of the last position.
    pub(super) fn set_numbers(&mut self, child: usize, numbers: ProofNumbers) {
        if let Some(frame) = self.frames.last() {
            self.children[frame.children + child].numbers = numbers;
        }
    }

    /// Adds a child.
    pub(super) fn add_child(&mut self, child: Child) {
        self.children.push(child);
    }

    /// The number of children of all positions: where those that are added next will begin.
    pub(super) fn mark(&self) -> usize {
        self.children.len()
    }

    /// Takes the children from a mark on away, and backs their numbers up.
    pub(super) fn take_from(&mut self, mark: usize, is_or: bool) -> NodeBackup {
        let backup = NodeBackup::new(is_or, self.children[mark..].iter().map(|c| c.numbers));
        self.children.truncate(mark);
        backup
    }

    /// The numbers of the root with all that has been found so far. Those that it would get from
    /// its children are of the time when the search went on to one of them, which may be hours ago.
    pub(super) fn root_numbers(&self, goal: &Goal<'_>) -> Option<ProofNumbers> {
        let mut end = self.children.len();
        let mut below = None;
        for frame in self.frames.iter().rev() {
            let numbers = (frame.children..end).map(|i| match below {
                Some(numbers) if i == frame.searched => numbers,
                _ => self.children[i].numbers,
            });
            below = Some(NodeBackup::new(goal.is_or(&frame.position), numbers).numbers);
            end = frame.children;
        }
        below
    }

    /// Writes the path for [`Path::read`].
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for frame in &self.frames {
            frame.key.write(out)?;
            let [children, searched] = [frame.children, frame.searched].map(|n| n as u64);
            let ProofNumbers { proof, disproof } = frame.limits;
            let limits = [proof, disproof].map(u64::from);
            write_numbers(out, &[children, searched, limits[0], limits[1], frame.nodes_before])?;
        }
        for child in &self.children {
            child.key.write(out)?;
            let ProofNumbers { proof, disproof } = child.numbers;
            write_numbers(out, &[proof.into(), disproof.into()])?;
        }
        Ok(())
    }

    /// The lengths that [`Path::read`] has to know.
    pub(super) fn lengths(&self) -> [u64; 2] {
        [self.frames.len() as u64, self.children.len() as u64]
    }

    /// Reads what [`Path::write`] has written of a path with these lengths.
    pub(super) fn read(
        input: &mut impl Read,
        goal: &Goal<'_>,
        [frames, children]: [u64; 2],
    ) -> io::Result<Path> {
        let mut path = Path::default();
        for _ in 0..frames {
            let key = Key::read(input)?;
            let [children, searched, max_proof, max_disproof, nodes_before] = read_numbers(input)?;
            path.frames.push(Frame {
                position: key.position(goal.board),
                key,
                limits: ProofNumbers { proof: small(max_proof)?, disproof: small(max_disproof)? },
                nodes_before,
                children: small(children)?,
                searched: small(searched)?,
            });
        }
        for _ in 0..children {
            let key = Key::read(input)?;
            let [proof, disproof] = read_numbers(input)?;
            let numbers = ProofNumbers { proof: small(proof)?, disproof: small(disproof)? };
            path.children.push(Child { position: key.position(goal.board), key, numbers });
        }
        Ok(path)
    }
}
