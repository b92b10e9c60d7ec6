//! The fastest way to the next conversion where depths are not stored and tables are not in memory:
//! retrograde analysis of the positions that can come up before the next capture, crowning or move
//! of a man, which are looked up one by one.

use draughtproof_proof::search::KeyMap;

use super::{Lookup, LookupError};
use crate::board::Position;
use crate::egdb::{Value, converts};

/// The most positions that are looked up: about a second of work.
const POSITIONS: usize = 400_000;
/// The number of positions between two polls whether to stop.
const CLOCK_INTERVAL: usize = 256;

/// A position that can come up.
struct Node {
    position: Position,
    moves: Vec<Move>,
    /// The plies to the next conversion, once they are known.
    depth: Option<u32>,
}

/// A move: of the winner, if it keeps the win; of the loser, any move. The node that it leads to;
/// none if it converts.
type Move = Option<usize>;

impl Lookup<'_> {
    /// The keys of positions that can come up from a won position before the next capture, crowning
    /// or move of a man, with the plies until then: the winner hurries and keeps the win, the loser
    /// delays. `None` if the known values do not show one for the position, if too many positions
    /// come up, or if `is_stopped` returns true.
    pub(super) fn depths_before_conversion(
        &self,
        start: &Position,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<(u128, u32)>>, LookupError> {
        let Some(mut nodes) = self.before_conversion(start, is_stopped)? else { return Ok(None) };
        let mut open: Vec<usize> = (0..nodes.len()).collect();
        for depth in 0.. {
            // The nodes whose depth is this number of plies, from the nodes of smaller depths.
            let is_now = |&i: &usize| {
                is_known(&nodes, &nodes[i], nodes[i].position.turn == start.turn, depth)
            };
            let (found, rest): (Vec<usize>, Vec<usize>) = open.into_iter().partition(is_now);
            found.iter().for_each(|&i| nodes[i].depth = Some(depth));
            if nodes[0].depth.is_some() {
                break;
            }
            if depth > 0 && found.is_empty() || is_stopped() {
                return Ok(None);
            }
            open = rest;
        }
        let known = |node: &Node| Some((node.position.key(), node.depth?));
        Ok(Some(nodes.iter().filter_map(known).collect()))
    }

    /// The positions that can come up before the next conversion, beginning with `start`.
    fn before_conversion(
        &self,
        start: &Position,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Node>>, LookupError> {
        let node = |position| Node { position, moves: Vec::new(), depth: None };
        let mut nodes = vec![node(*start)];
        let mut index = KeyMap::default();
        index.insert(start.key(), 0);
        let mut successors = Vec::new();
        let mut at = 0;
        while at < nodes.len() {
            let position = nodes[at].position;
            self.board.successors(&position, &mut successors);
            for &after in &successors {
                let is_winner = position.turn == start.turn;
                if is_winner && self.values.known(&after)?.value() != Some(Value::Loss) {
                    continue;
                }
                let there = (!converts(&position, &after)).then(|| {
                    *index.entry(after.key()).or_insert_with(|| {
                        nodes.push(node(after));
                        nodes.len() - 1
                    })
                });
                nodes[at].moves.push(there);
            }
            let is_due = at.is_multiple_of(CLOCK_INTERVAL);
            if nodes.len() > POSITIONS || is_due && is_stopped() {
                return Ok(None);
            }
            at += 1;
        }
        Ok(Some(nodes))
    }
}

/// Whether a node has converted after at most `depth` plies: by one move of the winner, or by all
/// moves of the loser.
fn is_known(nodes: &[Node], node: &Node, is_winner: bool, depth: u32) -> bool {
    let mut moves = node.moves.iter().map(|m| match *m {
        None => depth > 0,
        Some(there) => nodes[there].depth.is_some(),
    });
    if is_winner { moves.any(|known| known) } else { moves.all(|known| known) }
}
