//! The moves of a game while its text is read, where a text may still mean one of several moves.

use super::super::{Board, Position};
use super::source::is_separator;
use super::{half_moves_after_set_up, half_moves_before};
use crate::notation::{Move, MoveError};

/// The most meanings of the text that are followed at a time; below it, over how many moves. Each
/// meaning is tried with the moves that follow; if several remain, the first counts.
const MEANINGS: usize = 16;
const UNDECIDED: usize = 256;

/// The meaning of a text.
pub(super) struct Played {
    pub(super) is_capture: bool,
    /// Whether the text names several moves.
    pub(super) is_ambiguous: bool,
    /// Whether the text names some of the squares between the ends of a capture, but not all.
    pub(super) is_partial: bool,
}

/// The moves of a game from its start.
pub(super) struct Line {
    /// The position at which the undecided moves begin.
    root: Position,
    /// The number of single moves before the next one, by the numbering of moves.
    half_moves: usize,
    /// The positions after the decided moves.
    decided: Vec<Position>,
    /// The continuations that the text may mean, at least one, in canonical order of their moves.
    open: Vec<Vec<Position>>,
}

impl Line {
    pub(super) fn new(start: Position) -> Self {
        let half_moves = half_moves_before(&start);
        Line { root: start, half_moves, decided: Vec::new(), open: vec![Vec::new()] }
    }

    /// The number of moves.
    pub(super) fn len(&self) -> usize {
        self.decided.len() + self.open[0].len()
    }

    /// The number of single moves before the next one, by the numbering of moves.
    pub(super) fn half_moves(&self) -> usize {
        self.half_moves
    }

    fn last_of(&self, open: &[Position]) -> Position {
        *open.last().unwrap_or(&self.root)
    }

    /// Whether a text names a legal move in the current position.
    pub(super) fn allows(&self, board: &Board, text: &str) -> bool {
        self.open.iter().any(|open| board.meanings(&self.last_of(open), text).is_ok())
    }

    /// Sets up another position: the moves after it do not decide what moves before it meant.
    pub(super) fn set_up(&mut self, position: Position) {
        self.decide();
        self.root = position;
        self.half_moves = half_moves_after_set_up(self.half_moves, &position);
    }

    pub(super) fn play(&mut self, board: &Board, text: &str) -> Result<Played, MoveError> {
        let mut first_error = None;
        let mut played: Option<Played> = None;
        let squares = 1 + text.chars().filter(|&c| is_separator(c)).count();
        let mut longer: Vec<Vec<Position>> = Vec::new();
        for open in &self.open {
            match board.meanings(&self.last_of(open), text) {
                Ok(meanings) => {
                    let is_ambiguous = meanings.len() > 1;
                    for Move { after, is_capture, paths } in meanings {
                        let is_partial = squares > 2 && paths.iter().all(|p| p.len() != squares);
                        played.get_or_insert(Played { is_capture, is_ambiguous, is_partial });
                        // If two meanings lead to equal positions, the first one stands for both.
                        let is_new = longer.iter().all(|o| o.last() != Some(&after));
                        if is_new && longer.len() < MEANINGS {
                            longer.push([&open[..], &[after]].concat());
                        }
                    }
                }
                Err(e) => drop(first_error.get_or_insert(e)),
            }
        }
        let played = match (played, first_error) {
            (None, Some(error)) => return Err(error),
            // At least one meaning so far.
            (played, _) => played.unwrap_or(Played {
                is_capture: false,
                is_ambiguous: false,
                is_partial: false,
            }),
        };
        self.open = longer;
        self.half_moves += 1;
        if self.open.len() == 1 || self.open[0].len() >= UNDECIDED {
            self.decide();
        }
        Ok(played)
    }

    /// Decides on the first meaning.
    fn decide(&mut self) {
        self.root = self.last_of(&self.open[0]);
        self.decided.append(&mut self.open[0]);
        self.open.truncate(1);
    }

    /// The positions after each move.
    pub(super) fn finish(mut self) -> Vec<Position> {
        self.decide();
        self.decided
    }
}
