//! Work items and results as bytes: everything that a worker has to know, and what it says.
//!
//! A result is a function of the item alone, so an item may be done twice, elsewhere, or long ago. No
//! result is believed: a strategy is replayed, and numbers only steer the search.

use certificate_spec::Digest;
use certificate_spec::leaves::Leaf;

use crate::board::{Board, Position, Side};
use crate::egdb::Values;
use crate::heuristic::{Heuristic, Limits};
use crate::search::{
    Checkpoint, INFINITE, Outcome, Replay, Search, Strategy, StrategyError, Watch, known, pack,
    suits,
};

/// The kind of search; results of another kind are not used again.
const SEARCH: u8 = 4;
/// Scores are within this, wins included.
const MOST_SCORE: u32 = 100_000;
/// Bytes of an item.
const ITEM: usize = 74;
/// Bytes of a guess.
const GUESS: usize = 13;

/// What an item is searched in.
pub struct Ground<'a> {
    /// The board.
    pub board: &'a Board,
    /// The database.
    pub database: &'a Values,
    /// The root of the database; zeros if there is none.
    pub root: Digest,
}

/// A position to be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Who tries to win.
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
    pub fn encode(&self, ground: &Ground<'_>) -> Vec<u8> {
        let board = ground.board;
        let mut bytes = Vec::with_capacity(ITEM);
        bytes.extend([SEARCH, board.rows(), board.columns(), ground.database.pieces()]);
        bytes.extend(ground.root.0);
        bytes.extend([self.attacker as u8, self.position.turn as u8]);
        for set in [self.position.black, self.position.white, self.position.kings] {
            bytes.extend(board.to_dense(set).to_le_bytes());
        }
        for number in [self.nodes, self.table, self.heuristic_nodes] {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    /// Reads an item; `None` if these are not the bytes of an item of this ground.
    pub fn decode(bytes: &[u8], ground: &Ground<'_>) -> Option<Item> {
        let side = |byte: u8| match byte {
            0 => Some(Side::Black),
            1 => Some(Side::White),
            _ => None,
        };
        let u32_at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let u64_at = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let turn = side(*bytes.get(37)?)?;
        let position = ground.board.position(u32_at(38)?, u32_at(42)?, u32_at(46)?, turn)?;
        let attacker = side(*bytes.get(36)?)?;
        let (nodes, table, heuristic_nodes) = (u64_at(50)?, u64_at(58)?, u64_at(66)?);
        let item = Item { attacker, position, nodes, table, heuristic_nodes };
        (item.encode(ground) == bytes).then_some(item)
    }
}

/// What is guessed of a successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guess {
    /// Its proof number.
    pub proof: u32,
    /// Its disproof number.
    pub disproof: u32,
    /// How the attacker stands, in hundredths of a man.
    pub score: i32,
    /// Whether the principal variation ends in a draw of the database.
    pub ends_in_draw: bool,
}

/// What a search found.
#[derive(Debug, Clone)]
pub enum Found {
    /// The position is decided: by a strategy to win, of the attacker, or not to lose.
    Decided {
        /// Whether the attacker wins.
        won: bool,
        /// The strategy, packed.
        leaf: Leaf<Vec<u8>>,
    },
    /// It is too hard; a guess for each successor, in canonical order. Those of successors that are
    /// known mean nothing.
    TooHard(Vec<Guess>),
}

/// A result.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Nodes that df-pn expanded.
    pub nodes: u64,
    /// Positions that it looked up, and those of them that the database knew.
    pub probes: (u64, u64),
    /// What was found.
    pub found: Found,
}

/// Why an answer is not believed.
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
    /// Does an item, with a fresh table or from where it was when it was kept; `None` if the watch wants the
    /// search to stop.
    pub fn of<'a>(
        item: &Item,
        ground: &Ground<'a>,
        watch: &'a Watch<'a>,
        checkpoint: Option<Checkpoint<'a>>,
    ) -> Option<Answer> {
        let Item { attacker, position, .. } = item;
        let (board, database) = (ground.board, ground.database);
        let mut search = Search::new(board, database, *attacker, item.table).watched(watch);
        if let Some(checkpoint) = checkpoint {
            search = search.kept(checkpoint);
        }
        let outcome = search.run(position, item.nodes);
        if search.is_stopped() {
            return None;
        }
        let (nodes, probes) = (search.nodes(), search.probes());
        let decided = match outcome {
            Outcome::Unknown { .. } => None,
            // A strategy that does not stand up to its replay counts as none.
            _ => search.strategy(position).ok().and_then(|strategy| {
                let leaf = pack(&strategy, board, database, position, |_| false).ok()?;
                Some(Found::Decided { won: strategy.is_win, leaf })
            }),
        };
        let found = decided.unwrap_or_else(|| {
            let guesses = search.numbers_below(position);
            let mut heuristic = Heuristic::new(board, database);
            let limits = Limits { nodes: item.heuristic_nodes, ..Limits::default() };
            let guess = |((proof, disproof), successor): ((u32, u32), &Position)| {
                if known(database, *attacker, successor).is_some() {
                    return Guess { proof, disproof, score: 0, ends_in_draw: false };
                }
                let analysis = heuristic.search(successor, limits, |_| ());
                let sign = if successor.turn == *attacker { 1 } else { -1 };
                let (score, ends_in_draw) = (sign * analysis.score, analysis.ends_in_draw);
                Guess { proof, disproof, score, ends_in_draw }
            };
            let mut successors = Vec::new();
            board.successors(position, &mut successors);
            Found::TooHard(guesses.into_iter().zip(&successors).map(guess).collect())
        });
        Some(Answer { nodes, probes, found })
    }

    /// The answer as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let kind = match &self.found {
            Found::Decided { won: true, .. } => 1,
            Found::Decided { won: false, .. } => 2,
            Found::TooHard(_) => 3,
        };
        bytes.push(kind);
        for n in [self.nodes, self.probes.0, self.probes.1] {
            bytes.extend(n.to_le_bytes());
        }
        match &self.found {
            Found::Decided { leaf, .. } => {
                bytes.extend(leaf.positions.to_le_bytes());
                bytes.extend(&leaf.strategy);
            }
            Found::TooHard(guesses) => {
                for guess in guesses {
                    bytes.extend(guess.proof.to_le_bytes());
                    bytes.extend(guess.disproof.to_le_bytes());
                    bytes.extend(guess.score.to_le_bytes());
                    bytes.push(guess.ends_in_draw.into());
                }
            }
        }
        bytes
    }

    /// Reads an answer to an item, and replays the strategy in it.
    ///
    /// # Errors
    /// [`BadAnswer`] if it is not one, or the strategy does not hold.
    pub fn decode(bytes: &[u8], item: &Item, ground: &Ground<'_>) -> Result<Answer, BadAnswer> {
        Self::parse(bytes, item, ground).ok_or(BadAnswer::Bytes).and_then(|answer| {
            if let Found::Decided { won, leaf } = &answer.found {
                unpack(leaf, *won, item.attacker, &item.position, ground.board, ground.database)?;
            }
            Ok(answer)
        })
    }

    fn parse(bytes: &[u8], item: &Item, ground: &Ground<'_>) -> Option<Answer> {
        let (head, rest) = bytes.split_at_checked(25)?;
        let u64_of = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
        let number = |at: usize| u64_of(&head[at..at + 8]);
        let (nodes, probes) = (number(1)?, (number(9)?, number(17)?));
        let found = match head[0] {
            kind @ (1 | 2) => {
                let (positions, strategy) = rest.split_at_checked(8)?;
                let leaf = Leaf { positions: u64_of(positions)?, strategy: strategy.to_vec() };
                Found::Decided { won: kind == 1, leaf }
            }
            3 => {
                let mut successors = Vec::new();
                ground.board.successors(&item.position, &mut successors);
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
                    let score = i32::from_le_bytes(four(&bytes[8..12])?);
                    let ends_in_draw = match bytes[12] {
                        0 => false,
                        1 => true,
                        _ => return None,
                    };
                    let guess = Guess { proof, disproof, score, ends_in_draw };
                    (score.unsigned_abs() <= MOST_SCORE).then_some(guess)
                };
                Found::TooHard(rest.chunks_exact(GUESS).map(guess).collect::<Option<_>>()?)
            }
            _ => return None,
        };
        Some(Answer { nodes, probes, found })
    }
}

/// Unpacks the strategy of a leaf, replaying it.
///
/// # Errors
/// [`StrategyError`] if it does not hold.
pub fn unpack(
    leaf: &Leaf<Vec<u8>>,
    won: bool,
    attacker: Side,
    position: &Position,
    board: &Board,
    database: &Values,
) -> Result<Strategy, StrategyError> {
    let claimant = if won { attacker } else { attacker.opponent() };
    let known = |p: &Position| Some(suits(database.probe(p)?, p.turn == claimant, won));
    Replay { board, claimant, is_win: won, known }.decode(leaf, position, |_| false)
}
