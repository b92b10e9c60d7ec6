//! Plays drawn positions against a search without a database, and counts its mistakes.

use draughtproof_egdb::{Value, Values};
use draughtproof_game::{Game, Position};
use draughtproof_play::opponent::{GameRecord, GameResult, Opponent};
use draughtproof_proof::heuristic::{Heuristic, Limits};

use super::Failure;

/// The number of plies after which a game that is still a draw ends as one.
const PLIES: u32 = 80;

/// The result of a game for the player with the database.
pub type Drawn = Value;

/// Plays a drawn position until it is decided. The side to move is the one that searches.
pub fn play(
    player: &mut Opponent<'_>,
    game: &Game,
    start: Position,
    nodes: u64,
) -> Result<Drawn, Failure> {
    let values = Values::empty(&game.board);
    let mut search = Heuristic::new(&game.board, &values);
    let limits = Limits { nodes, ..Limits::default() };
    let mut record = GameRecord::new(game.clone(), start);
    for _ in 0..PLIES {
        let position = *record.position();
        if record.result() != GameResult::Open {
            break;
        }
        let is_search = position.turn == start.turn;
        let after = if is_search {
            search.search(&position, limits, |_| ()).pv.first().copied()
        } else {
            player.choose(&record)?.map(|choice| choice.after)
        };
        let after = after.or_else(|| game.board.moves(&position).first().map(|m| m.after));
        record.push(after.ok_or("expected a move")?)?;
        let value = player.lookup.values.try_probe(record.position())?.unwrap_or(Value::Loss);
        match (value, is_search) {
            (Value::Draw, _) => {}
            (Value::Win, true) | (Value::Loss, false) => return Ok(Value::Win),
            (Value::Win, false) | (Value::Loss, true) => return Ok(Value::Loss),
        }
    }
    Ok(Value::Draw)
}

/// The headings of the table.
pub const HEAD: [&str; 5] = ["pieces", "positions", "became won", "drawn", "became lost"];

/// The row of the games with a number of pieces.
pub fn line(pieces: &str, games: &[Drawn]) -> Vec<String> {
    let count = |value| games.iter().filter(|game| **game == value).count();
    let [won, drawn, lost] = [Value::Win, Value::Draw, Value::Loss].map(count);
    let counts = [games.len(), won, drawn, lost].map(|count| count.to_string());
    [&[pieces.to_owned()], &counts[..]].concat()
}
