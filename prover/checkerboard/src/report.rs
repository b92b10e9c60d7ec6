//! Lines for a status bar.

use std::time::Duration;

use draughtproof_egdb::numbers::{self, grouped};
use draughtproof_game::{Board, Position};
use draughtproof_proof::heuristic::Analysis;

/// The most moves of a line of play that are shown.
const MOST_MOVES: usize = 12;

/// A line about a search: depth, value, nodes, speed and principal variation.
pub fn progress(board: &Board, position: &Position, found: &Analysis, elapsed: Duration) -> String {
    let Analysis { depth, nodes, score, proven, .. } = found;
    let value = if proven.value().is_some() { proven.to_string() } else { numbers::score(*score) };
    let per_second = u128::from(*nodes) * 1000 / elapsed.as_millis().max(1);
    let per_second = u64::try_from(per_second).unwrap_or(u64::MAX);
    let line = line(board, position, &found.pv);
    let [nodes, speed] = [*nodes, per_second].map(grouped);
    format!("depth {depth}  value {value}  {nodes} nodes  {speed} nodes/s  {line}")
}

/// The names of the moves of a line, at most [`MOST_MOVES`].
fn line(board: &Board, position: &Position, after: &[Position]) -> String {
    let before = std::iter::once(position).chain(after);
    let moves = before.zip(after).take(MOST_MOVES);
    let names = moves.map_while(|(before, after)| board.write_move(before, after).ok());
    names.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::progress;
    use draughtproof_egdb::{Value, ValueRange};
    use draughtproof_game::Game;
    use draughtproof_proof::heuristic::Analysis;

    #[test]
    fn a_line_of_progress() {
        let game: Game = "8x8".parse().unwrap();
        let pv = game.board.read_line(&game.start(), "11-15 23-19 8-11").unwrap();
        let mut found = Analysis {
            score: -124,
            depth: 3,
            nodes: 5000,
            pv,
            proven: ValueRange::AT_LEAST_DRAW,
            ends_in_draw: false,
        };
        let shown =
            |found: &Analysis| progress(&game.board, &game.start(), found, Duration::from_secs(2));
        let line = "5,000 nodes  2,500 nodes/s  11-15 23-19 8-11";
        assert_eq!(shown(&found), format!("depth 3  value -1.24  {line}"));
        found.proven = ValueRange::exact(Value::Draw);
        assert_eq!(shown(&found), format!("depth 3  value draw  {line}"));
    }
}
