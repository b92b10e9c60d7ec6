//! Playing a game: its record, and an opponent that moves by a proof, a database or a search.

mod draws;
mod kept_value;
mod opponent;
mod proof_moves;
mod record;

pub use opponent::{Choice, Opponent, PlayError, Source};
pub use proof_moves::{ProofMoves, ProvedMoves, leaf_strategy};
pub use record::{GameRecord, GameResult};
