//! Replays leaf strategies (`SPEC.md` §7) by recursion with the prover's moves, to make new ones
//! and to find what a strategy rests on.

use crate::prelude::*;

/// Whether the side that makes the claim is to move.
pub(super) fn claimant_moves(question: Question, p: &WirePosition) -> bool {
    (p.turn == 1) == question.claimant_is_white()
}

/// Whether the database has the value of a position: the meaning of the clauses of a cover, worked
/// out here and not by [`Cover::admits`].
pub(super) fn in_database(p: &WirePosition, cover: &Cover) -> bool {
    has(cover, p.black.count_ones(), p.white.count_ones())
}

/// Whether positions with `black` and `white` pieces are in the database.
pub(super) fn has(cover: &Cover, black: u32, white: u32) -> bool {
    let fits = |most: u8, there: u32| there <= most.into();
    let mut clauses = cover.clauses().iter();
    black > 0
        && white > 0
        && clauses.any(|clause| {
            fits(clause.pieces, black + white)
                && fits(clause.side, black)
                && fits(clause.side, white)
        })
}

/// The state of a replay.
pub(super) struct Replay<'a> {
    rules: &'a Rules,
    cover: &'a Cover,
    question: Question,
    ranks: BTreeMap<WirePosition, u32>,
    rank: u32,
    most: usize,
    seen: HashSet<WirePosition>,
    /// The positions expanded so far, each with the successors that it needs.
    pub(super) expanded: Vec<(WirePosition, Vec<WirePosition>)>,
}

impl<'a> Replay<'a> {
    /// A replay from a leaf of this rank, of at most `most` positions.
    pub(super) fn new(
        rules: &'a Rules,
        cover: &'a Cover,
        part: &Part,
        rank: u32,
        most: usize,
    ) -> Self {
        Replay {
            rules,
            cover,
            question: part.question,
            ranks: part.nodes.iter().map(|node| (node.position, node.rank)).collect(),
            rank,
            most,
            seen: HashSet::new(),
            expanded: Vec::new(),
        }
    }

    /// Expands a position; `choose` returns the number of a successor, given how many there are.
    /// `None` if it returns none, if there is no successor, or if there are too many positions.
    pub(super) fn expand(
        &mut self,
        p: WirePosition,
        choose: &mut dyn FnMut(usize) -> Option<usize>,
    ) -> Option<()> {
        if self.expanded.len() == self.most {
            return None;
        }
        self.seen.insert(p);
        let mut needed = self.rules.successors(&p);
        if claimant_moves(self.question, &p) {
            let choice = choose(needed.len())?;
            needed = vec![*needed.get(choice)?];
        }
        self.expanded.push((p, needed.clone()));
        for y in needed {
            let lower = |rank: &u32| !self.question.is_win() || *rank < self.rank;
            let is_known = in_database(&y, self.cover)
                || self.seen.contains(&y)
                || self.ranks.get(&y).is_some_and(lower);
            if !is_known {
                self.expand(y, choose)?;
            }
        }
        Some(())
    }
}
