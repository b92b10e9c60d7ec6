//! The path from the positions of the game to the one that is searched.

use crate::board::Position;

/// Positions, the oldest first, each with the number of reversible moves that lead up to it.
pub(super) struct Path {
    positions: Vec<(Position, u32)>,
    /// The index of the root of the search.
    root: usize,
}

impl Path {
    pub(super) fn new() -> Self {
        Path { positions: Vec::new(), root: 0 }
    }

    /// Begins at `root`, which a game reached through `earlier`.
    pub(super) fn begin(&mut self, earlier: &[Position], root: &Position) {
        self.positions.clear();
        earlier.iter().chain([root]).for_each(|position| self.push(position));
        self.root = earlier.len();
    }

    /// The number of moves made since the root.
    pub(super) fn ply(&self) -> usize {
        self.positions.len() - 1 - self.root
    }

    pub(super) fn push(&mut self, to: &Position) {
        let reversible = match self.positions.last() {
            Some((from, moves)) if only_a_king_moved(from, to) => moves + 1,
            _ => 0,
        };
        self.positions.push((*to, reversible));
    }

    pub(super) fn pop(&mut self) {
        self.positions.pop();
    }

    /// Whether the last position has occurred before.
    pub(super) fn repeats(&self) -> bool {
        let Some(&(position, reversible)) = self.positions.last() else { return false };
        let last = self.positions.len() - 1;
        (4..=reversible as usize).step_by(2).any(|back| self.positions[last - back].0 == position)
    }
}

/// Whether a move is reversible: no man moved, nothing was captured.
fn only_a_king_moved(from: &Position, to: &Position) -> bool {
    let enemy = from.turn.opponent();
    let men = |p: &Position| p.of(from.turn) & !p.kings;
    from.of(enemy) == to.of(enemy) && men(from) == men(to)
}
