//! Playing a game: its record, and an opponent that moves by a proof, a database or a search.

mod choice;
mod record;

pub use choice::{Choice, Opponent, Source};
pub use record::{GameRecord, GameResult};
