//! Work items and results as bytes: everything that a worker has to know, and what it says.
//!
//! A result is a function of the item alone, so an item may be done twice, elsewhere, or long ago.
//! No result is believed: a strategy is replayed where it is made and where it comes from outside,
//! and numbers only steer the search.

use certificate_spec::Digest;
use certificate_spec::leaves::Leaf;

use crate::board::{Board, Position, Side};
use crate::egdb::Values;
use crate::heuristic::{Heuristic, Limits};
use crate::search::{
    Checkpoint, Goal, INFINITE, Outcome, PackedStrategy, Probes, ProgressCallback, ProofNumbers,
    Search, StrategyError,
};

/// The kind of search; results of another kind are not used again.
const SEARCH: u8 = 4;
/// Scores are within this, wins included.
const MOST_SCORE: u32 = 100_000;
/// Bytes of an item.
const ITEM: usize = 74;
/// Bytes of a guess.
const GUESS: usize = 13;

/// The board and the database that items are searched with.
pub struct SearchContext<'a> {
    /// The board.
    pub board: &'a Board,
    /// The database.
    pub database: &'a Values,
    /// The root of the database; zeros if there is none.
    pub database_root: Digest,
}

impl<'a> SearchContext<'a> {
    /// To decide whether a side wins.
    pub fn goal(&self, attacker: Side) -> Goal<'a> {
        Goal { board: self.board, database: self.database, attacker }
    }
}

/// A position to be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// The side that tries to win.
    pub attacker: Side,
    /// The position.
    pub position: Position,
    /// The nodes that df-pn may expand.
    pub nodes: u64,
    /// The bytes that its table may grow to.
    pub table: u64,
    /// The nodes of the heuristic search of each successor, if that is not enough.
    pub heuristic_nodes: u64,
}

impl Item {
    /// The item as bytes, the same for the same item.
    pub fn encode(&self, context: &SearchContext<'_>) -> Vec<u8> {
        let board = context.board;
        let mut bytes = Vec::with_capacity(ITEM);
        bytes.extend([SEARCH, board.rows(), board.columns(), context.database.pieces()]);
        bytes.extend(context.database_root.0);
        bytes.extend([self.attacker as u8, self.position.turn as u8]);
        for set in [self.position.black, self.position.white, self.position.kings] {
            bytes.extend(board.to_dense(set).to_le_bytes());
        }
        for number in [self.nodes, self.table, self.heuristic_nodes] {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    /// Reads an item; `None` if these are not the bytes of an item of this context.
    pub fn decode(bytes: &[u8], context: &SearchContext<'_>) -> Option<Item> {
        let side = |byte: u8| match byte {
            0 => Some(Side::Black),
            1 => Some(Side::White),
            _ => None,
        };
        let u32_at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let u64_at = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let turn = side(*bytes.get(37)?)?;
        let position = context.board.position(u32_at(38)?, u32_at(42)?, u32_at(46)?, turn)?;
        let attacker = side(*bytes.get(36)?)?;
        let (nodes, table, heuristic_nodes) = (u64_at(50)?, u64_at(58)?, u64_at(66)?);
        let item = Item { attacker, position, nodes, table, heuristic_nodes };
        (item.encode(context) == bytes).then_some(item)
    }

    /// Guesses for the successors, in canonical order, whose proof and disproof numbers are these.
    fn guesses(&self, goal: &Goal<'_>, numbers: &[ProofNumbers]) -> Vec<Guess> {
        let mut heuristic = Heuristic::new(goal.board, goal.database);
        let limits = Limits { nodes: self.heuristic_nodes, ..Limits::default() };
        let mut successors = Vec::new();
        goal.board.successors(&self.position, &mut successors);
        let guess = |(&numbers, successor): (&ProofNumbers, &Position)| {
            if goal.known(successor).is_some() {
                return Guess { numbers, score: 0, ends_in_draw: false };
            }
            let analysis = heuristic.search(successor, limits, |_| ());
            let sign = if goal.is_or(successor) { 1 } else { -1 };
            let (score, ends_in_draw) = (sign * analysis.score, analysis.ends_in_draw);
            Guess { numbers, score, ends_in_draw }
        };
        numbers.iter().zip(&successors).map(guess).collect()
    }
}

/// What is guessed of a successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guess {
    /// Its proof and disproof number.
    pub numbers: ProofNumbers,
    /// The heuristic score for the attacker, in hundredths of a man.
    pub score: i32,
    /// Whether the principal variation ends in a draw of the database.
    pub ends_in_draw: bool,
}

/// What a search found.
#[derive(Debug, Clone)]
pub enum Found {
    /// The position is decided by this strategy.
    Decided(PackedStrategy),
    /// It is too hard; a guess for each successor, in canonical order. Those of successors that are
    /// known mean nothing.
    TooHard(Vec<Guess>),
}

/// A result.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Nodes that df-pn expanded.
    pub nodes: u64,
    /// Its look-ups in the database.
    pub probes: Probes,
    /// What was found.
    pub found: Found,
}

/// Why an answer is rejected.
#[derive(Debug, thiserror::Error)]
pub enum BadAnswer {
    /// The bytes are no answer to the item.
    #[error("bytes that are no answer to the item")]
    Bytes,
    /// The strategy does not stand up to its replay.
    #[error("a strategy that does not hold: {0}")]
    Strategy(#[from] StrategyError),
}

impl Answer {
    /// Does an item, with a fresh table or from where it was when it was kept; `None` if the
    /// callback stops the search. A strategy in it has been replayed.
    pub fn of<'a>(
        item: &Item,
        context: &SearchContext<'a>,
        progress: &'a ProgressCallback<'a>,
        checkpoint: Option<Checkpoint<'a>>,
    ) -> Option<Answer> {
        let goal = context.goal(item.attacker);
        let mut search = Search::new(goal, item.table).with_progress(progress);
        if let Some(checkpoint) = checkpoint {
            search = search.with_checkpoint(checkpoint);
        }
        let outcome = search.run(&item.position, item.nodes);
        if search.is_stopped() {
            return None;
        }
        let decided = match outcome {
            Outcome::Unknown(_) => None,
            // A strategy that does not stand up to its replay counts as none.
            _ => search.strategy(&item.position).ok().map(Found::Decided),
        };
        let found = decided.unwrap_or_else(|| {
            Found::TooHard(item.guesses(&goal, &search.successor_numbers(&item.position)))
        });
        Some(Answer { nodes: search.nodes(), probes: search.probes(), found })
    }

    /// The answer as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let kind = match &self.found {
            Found::Decided(PackedStrategy { is_win: true, .. }) => 1,
            Found::Decided(PackedStrategy { is_win: false, .. }) => 2,
            Found::TooHard(_) => 3,
        };
        bytes.push(kind);
        for n in [self.nodes, self.probes.looked_up, self.probes.known] {
            bytes.extend(n.to_le_bytes());
        }
        match &self.found {
            Found::Decided(PackedStrategy { leaf, .. }) => {
                bytes.extend(leaf.positions.to_le_bytes());
                bytes.extend(&leaf.strategy);
            }
            Found::TooHard(guesses) => {
                for guess in guesses {
                    bytes.extend(guess.numbers.proof.to_le_bytes());
                    bytes.extend(guess.numbers.disproof.to_le_bytes());
                    bytes.extend(guess.score.to_le_bytes());
                    bytes.push(guess.ends_in_draw.into());
                }
            }
        }
        bytes
    }

    /// Reads an answer to an item that comes from outside, and replays the strategy in it.
    ///
    /// # Errors
    /// [`BadAnswer`] if it is not one, or the strategy does not hold.
    pub fn decode(
        bytes: &[u8],
        item: &Item,
        context: &SearchContext<'_>,
    ) -> Result<Answer, BadAnswer> {
        let answer = Self::parse(bytes, item, context).ok_or(BadAnswer::Bytes)?;
        if let Found::Decided(PackedStrategy { is_win, leaf }) = &answer.found {
            let replay = context.goal(item.attacker).replay(*is_win);
            replay.unpack(leaf, &item.position, |_| false)?;
        }
        Ok(answer)
    }

    /// Reads an answer to an item that a thread of this process has made ([`Answer::of`]); `None`
    /// if it is none. The strategy in it is not replayed.
    pub fn parse(bytes: &[u8], item: &Item, context: &SearchContext<'_>) -> Option<Answer> {
        let (head, rest) = bytes.split_at_checked(25)?;
        let u64_of = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
        let number = |at: usize| u64_of(&head[at..at + 8]);
        let (nodes, probes) = (number(1)?, Probes { looked_up: number(9)?, known: number(17)? });
        let found = match head[0] {
            kind @ (1 | 2) => {
                let (positions, strategy) = rest.split_at_checked(8)?;
                let leaf = Leaf { positions: u64_of(positions)?, strategy: strategy.to_vec() };
                Found::Decided(PackedStrategy { is_win: kind == 1, leaf })
            }
            3 => {
                let mut successors = Vec::new();
                context.board.successors(&item.position, &mut successors);
                if rest.len() != GUESS * successors.len() {
                    return None;
                }
                let four = |bytes: &[u8]| <[u8; 4]>::try_from(bytes).ok();
                // What is open costs something, and no guess says how a position ends.
                let number = |bytes: &[u8]| {
                    let n = u32::from_le_bytes(four(bytes)?);
                    (1..INFINITE).contains(&n).then_some(n)
                };
                let guess = |bytes: &[u8]| {
                    let (proof, disproof) = (number(&bytes[..4])?, number(&bytes[4..8])?);
                    let numbers = ProofNumbers { proof, disproof };
                    let score = i32::from_le_bytes(four(&bytes[8..12])?);
                    let ends_in_draw = match bytes[12] {
                        0 => false,
                        1 => true,
                        _ => return None,
                    };
                    let guess = Guess { numbers, score, ends_in_draw };
                    (score.unsigned_abs() <= MOST_SCORE).then_some(guess)
                };
                Found::TooHard(rest.chunks_exact(GUESS).map(guess).collect::<Option<_>>()?)
            }
            _ => return None,
        };
        Some(Answer { nodes, probes, found })
    }
}
