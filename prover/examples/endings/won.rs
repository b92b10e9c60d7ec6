//! Plays won positions against the best defence.

use std::time::{Duration, Instant};

use draughtproof_egdb::{Depths, Value};
use draughtproof_game::{Game, Position};
use draughtproof_play::opponent::{GameRecord, GameResult, Opponent};

use super::Failure;

/// The number of plies after which a game is given up: it counts as not won.
const MOST_PLIES: u32 = 2_000;

/// The players of a game.
pub struct Players<'p, 'a> {
    pub winner: &'p mut Opponent<'a>,
    pub defender: &'p mut Opponent<'a>,
}

/// The course of a game.
pub struct Won {
    pub start: Position,
    pub is_won: bool,
    /// Whether it ended because a position came up three times.
    is_repeated: bool,
    plies: u32,
    /// The sum of the stored depths of its phases, if all are known.
    depth: Option<u32>,
    /// The moves of the winner; below it, the time of all of them and that of the longest.
    moves: u32,
    time: Duration,
    longest: Duration,
}

impl Players<'_, '_> {
    /// Plays a position that is won or lost for the side to move.
    pub fn play(self, game: &Game, start: Position, depths: &Depths) -> Result<Won, Failure> {
        let value = |position: &Position| -> Result<Value, Failure> {
            let value = self.winner.lookup.values.try_probe(position)?;
            Ok(value.unwrap_or(Value::Loss))
        };
        let is_to_move = value(&start)? == Value::Win;
        let winner = if is_to_move { start.turn } else { start.turn.opponent() };
        let mut record = GameRecord::new(game.clone(), start);
        let (mut plies, mut moves, mut longest) = (0, 0, Duration::ZERO);
        let mut time = Duration::ZERO;
        let phase = |position: &Position| -> Result<Option<u32>, Failure> {
            if !game.board.can_move(position) {
                return Ok(Some(0));
            }
            Ok(depths.depth(position, value(position)?)?)
        };
        let mut depth = phase(&start)?;
        while record.result() == GameResult::Open && plies < MOST_PLIES {
            let before = *record.position();
            let is_winner = before.turn == winner;
            let begin = Instant::now();
            let player = if is_winner { &mut *self.winner } else { &mut *self.defender };
            let choice = player.choose(&record)?.ok_or("expected a move")?;
            if is_winner {
                let taken = begin.elapsed();
                (moves, time, longest) = (moves + 1, time + taken, longest.max(taken));
            }
            record.push(choice.after)?;
            plies += 1;
            if converts(&before, &choice.after) {
                depth = depth.zip(phase(&choice.after)?).map(|(sum, next)| sum + next);
            }
        }
        let result = record.result();
        let (is_won, is_repeated) = (result == GameResult::Won(winner), result == GameResult::Draw);
        Ok(Won { start, is_won, is_repeated, plies, depth, moves, time, longest })
    }
}

/// Whether a move is a conversion: it captures, crowns or moves a man.
fn converts(before: &Position, after: &Position) -> bool {
    let men = |p: &Position| (p.black & !p.kings, p.white & !p.kings);
    men(before) != men(after) || before.pieces() != after.pieces()
}

/// The headings of the table.
pub const HEAD: [&str; 12] = [
    "pieces",
    "positions",
    "won",
    "repeated",
    "unfinished",
    "plies",
    "longest",
    "with depths",
    "plies/depth",
    "most",
    "ms a move",
    "most ms",
];

/// The row of the games with a number of pieces.
pub fn line(pieces: &str, games: &[Won]) -> Vec<String> {
    let count = |is: fn(&Won) -> bool| games.iter().filter(|game| is(game)).count();
    let won = || games.iter().filter(|game| game.is_won);
    let plies: u32 = won().map(|game| game.plies).sum();
    let longest = won().map(|game| game.plies).max().unwrap_or(0);
    let known: Vec<(u32, u32)> = won().filter_map(|game| Some((game.plies, game.depth?))).collect();
    let (all_plies, all_depths) = known.iter().fold((0, 0), |(a, b), (p, d)| (a + p, b + d));
    let ratio = |plies: u32, depth: u32| f64::from(plies) / f64::from(depth.max(1));
    let most = known.iter().map(|&(plies, depth)| ratio(plies, depth)).fold(0.0, f64::max);
    let moves: u32 = games.iter().map(|game| game.moves).sum();
    let time: Duration = games.iter().map(|game| game.time).sum();
    let most_time = games.iter().map(|game| game.longest).max().unwrap_or_default();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let (is_won, is_repeated) = (count(|game| game.is_won), count(|game| game.is_repeated));
    vec![
        pieces.to_owned(),
        games.len().to_string(),
        is_won.to_string(),
        is_repeated.to_string(),
        (games.len() - is_won - is_repeated).to_string(),
        format!("{:.1}", f64::from(plies) / is_won.max(1) as f64),
        longest.to_string(),
        known.len().to_string(),
        format!("{:.3}", ratio(all_plies, all_depths)),
        format!("{most:.3}"),
        format!("{:.2}", milliseconds(time) / f64::from(moves.max(1))),
        format!("{:.0}", milliseconds(most_time)),
    ]
}
