//! The top of a proof: from the start down to positions that certificates prove (Fig. 3 of the 2007 paper).
//!
//! All positions within some plies of the start are a [`Region`]. A position of it holds for a question
//! when it is covered - by a certificate, the database or the rules - or when the claimant is to move and
//! one successor holds, or the opponent is and all do. That is a least fixed point, found from the
//! positions farthest away upwards, so each position holds after those that it rests on: the order is a
//! rank (`SPEC.md` §2).

use super::read::claimant;
use super::union::{Cover, Union};
use crate::board::{Board, Position};
use crate::search::KeyMap;

/// What a missing position counts for that the database says does not hold.
const REFUTED: u64 = 1 << 40;

/// The positions within some plies of the start, nearest first.
pub struct Region {
    spots: Vec<Spot>,
    index: KeyMap<usize>,
}

struct Spot {
    position: Position,
    /// Plies from the start.
    ply: u32,
    /// The position that it was first reached from.
    parent: usize,
    /// Its successors in canonical order; none where the region ends.
    successors: Option<Vec<usize>>,
}

impl Region {
    /// All positions as far from `start` as the farthest of `goals`, but at most `plies`.
    pub fn new(board: &Board, start: &Position, goals: &[Position], plies: u32) -> Self {
        let mut region = Region { spots: Vec::new(), index: KeyMap::default() };
        region.spot(start, 0, 0);
        let (mut from, mut successors) = (0, Vec::new());
        for ply in 0..plies {
            if goals.iter().all(|goal| region.has(goal)) {
                break;
            }
            let to = region.spots.len();
            for parent in from..to {
                board.successors(&region.spots[parent].position, &mut successors);
                let below = successors.iter().map(|s| region.spot(s, ply + 1, parent)).collect();
                region.spots[parent].successors = Some(below);
            }
            from = to;
        }
        region
    }

    fn spot(&mut self, position: &Position, ply: u32, parent: usize) -> usize {
        let next = self.spots.len();
        let at = *self.index.entry(position.key()).or_insert(next);
        if at == next {
            self.spots.push(Spot { position: *position, ply, parent, successors: None });
        }
        at
    }

    /// Whether a position belongs to the region.
    pub fn has(&self, position: &Position) -> bool {
        self.index.contains_key(&position.key())
    }

    /// The moves that lead to a position of the region.
    fn moves(&self, board: &Board, at: usize) -> String {
        let mut line = Vec::new();
        let mut spot = &self.spots[at];
        while spot.ply > 0 {
            let before = &self.spots[spot.parent];
            // A successor has a name.
            line.push(board.write_move(&before.position, &spot.position).unwrap_or_default());
            spot = before;
        }
        line.reverse();
        line.join(" ")
    }
}

/// Why a position of a region holds.
#[derive(Debug, Clone, Copy)]
struct Held {
    /// About how much it takes to show it.
    cost: u64,
    above: Option<Above>,
}

/// A node to be put above the certificates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Above {
    /// The number of the chosen successor; none if all hold.
    pub(super) choice: Option<u32>,
    /// Larger than that of the nodes that it rests on.
    pub(super) order: u32,
}

/// An opening that no certificate proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The position.
    pub position: Position,
    /// The moves that lead there.
    pub moves: String,
    /// Whether the database says that it does not hold, so that nothing can be done about it.
    pub is_refuted: bool,
}

/// What of a region holds for a question.
pub struct Top<'a> {
    region: &'a Region,
    union: &'a Union<'a>,
    held: Vec<Option<Held>>,
}

impl<'a> Top<'a> {
    pub(super) fn new(region: &'a Region, union: &'a Union<'a>) -> Self {
        let covered = |spot: &Spot| match union.cover(&spot.position)? {
            Cover::Known => Some(Held { cost: 0, above: None }),
            Cover::Node(cost) => Some(Held { cost, above: None }),
        };
        let held = region.spots.iter().map(covered).collect();
        let mut top = Top { region, union, held };
        let mut order = 0;
        loop {
            let before = order;
            for at in (0..region.spots.len()).rev() {
                if top.held[at].is_none()
                    && let Some((choice, cost)) = top.rests(at)
                {
                    top.held[at] = Some(Held { cost, above: Some(Above { choice, order }) });
                    order += 1;
                }
            }
            if order == before {
                return top;
            }
        }
    }

    /// What a position may rest on: the choice, if the claimant is to move, and the cost.
    fn rests(&self, at: usize) -> Option<(Option<u32>, u64)> {
        let spot = &self.region.spots[at];
        let costs = || {
            let below = spot.successors.iter().flatten();
            below.map(|&s| self.held[s].map(|held| held.cost))
        };
        if spot.position.turn == claimant(self.union.question()) {
            let held = (0..).zip(costs()).filter_map(|(choice, cost)| Some((cost?, choice)));
            let (cost, choice) = held.min()?;
            return Some((Some(choice), cost.saturating_add(1)));
        }
        spot.successors.as_ref()?;
        let all = costs().try_fold(1u64, |sum, cost| Some(sum.saturating_add(cost?)));
        Some((None, all?))
    }

    /// Whether the start holds.
    pub fn holds(&self) -> bool {
        self.held[0].is_some()
    }

    /// The node above the certificates at a position, if it needs one.
    pub(super) fn node(&self, position: &Position) -> Option<Above> {
        self.held[*self.region.index.get(&position.key())?]?.above
    }

    /// What has to be proved still. Where the opponent is to move these are all successors that do not
    /// hold, where the claimant is, the one that needs the fewest positions at the end of the region; where
    /// no certificate bears on what comes after a position, it is this position.
    pub fn missing(&self, board: &Board) -> Vec<Missing> {
        let spots = &self.region.spots;
        // Only farther positions count, so that repetitions do not matter.
        let below = |at: usize| {
            let all = spots[at].successors.iter().flatten().copied();
            all.filter(move |&s| spots[s].ply > spots[at].ply)
        };
        let mut concerned = vec![false; spots.len()];
        let mut count = vec![0u64; spots.len()];
        let is_refuted = |at: usize| self.union.is_refuted(&spots[at].position);
        let chooses = |at: usize| spots[at].position.turn == claimant(self.union.question());
        let least = |at: usize, concerned: &[bool], count: &[u64]| {
            below(at).min_by_key(|&s| (count[s], !concerned[s], s))
        };
        for at in (0..spots.len()).rev() {
            let is_node = matches!(self.union.cover(&spots[at].position), Some(Cover::Node(_)));
            concerned[at] = is_node || below(at).any(|s| concerned[s]);
            count[at] = if self.held[at].is_some() {
                0
            } else if is_refuted(at) {
                REFUTED
            } else if spots[at].successors.is_none() {
                1
            } else if chooses(at) {
                least(at, &concerned, &count).map_or(1, |s| count[s])
            } else {
                below(at).map(|s| count[s]).sum::<u64>().clamp(1, REFUTED)
            };
        }
        let (mut seen, mut todo, mut found) = (vec![false; spots.len()], vec![0], Vec::new());
        while let Some(at) = todo.pop() {
            if self.held[at].is_some() || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if !concerned[at] {
                found.push(at);
            } else if chooses(at) {
                todo.extend(least(at, &concerned, &count));
            } else {
                todo.extend(below(at));
            }
        }
        found.sort_unstable();
        let show = |at: usize| Missing {
            position: spots[at].position,
            moves: self.region.moves(board, at),
            is_refuted: is_refuted(at),
        };
        found.into_iter().map(show).collect()
    }
}
