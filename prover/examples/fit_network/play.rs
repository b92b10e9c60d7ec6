//! Plays games of the program against itself.

use draughtproof_egdb::{Value, Values};
use draughtproof_game::{Board, Game, Position, Side};
use draughtproof_proof::heuristic::{Evaluation, Heuristic, Limits};
use rayon::prelude::*;

use crate::random::Random;

/// The number of plies after which a game counts as a draw.
const LONGEST: u64 = 150;

/// A position, the score of a search of it, and the result of its game.
pub struct Sample {
    pub position: Position,
    /// The score for the side to move, in hundredths of a man.
    pub score: i32,
    /// The result for the side to move: 1 won, 0 lost, ½ drawn.
    pub result: f64,
}

/// Plays games.
pub struct Player<'a> {
    pub game: &'a Game,
    pub database: &'a Values,
    /// The budget of the search of each move, in nodes.
    pub nodes: u64,
    pub seed: u64,
    /// If this is N, one in N moves of [`Player::games`] is made at random, so that more kinds of
    /// positions come up.
    pub random_move: Option<usize>,
}

impl Player<'_> {
    fn board(&self) -> &Board {
        &self.game.board
    }

    /// The positions of games, with their results.
    pub fn games(&self, evaluation: &Evaluation, games: u64) -> Vec<Sample> {
        let one = |i| {
            let start = self.opening(i);
            let mut sides = [evaluation; 2].map(|evaluation| self.heuristic(evaluation));
            let mut random = Random::new(!(self.seed ^ i));
            let mut is_random = || match self.random_move {
                Some(moves) if random.below(moves) == 0 => Some(random.below(1 << 16)),
                _ => None,
            };
            let (line, result) = self.play(start, &mut sides, &mut is_random);
            let quiet = line.into_iter().filter(|(position, _)| self.is_quiet(position));
            quiet.map(|(position, score)| sample(position, score, result)).collect::<Vec<_>>()
        };
        (0..games).into_par_iter().map(one).collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// Wins, draws and losses of the first of two evaluations.
    pub fn duel(&self, evaluations: [&Evaluation; 2], openings: u64) -> [u64; 3] {
        let one = |i: u64| {
            let start = self.opening(i / 2);
            let mut sides = evaluations.map(|evaluation| self.heuristic(evaluation));
            if i % 2 == 1 {
                sides.swap(0, 1);
            }
            let result = self.play(start, &mut sides, &mut || None).1;
            let mine = if i % 2 == 1 { 1.0 - result } else { result };
            [mine == 1.0, mine == 0.5, mine == 0.0].map(u64::from)
        };
        let add = |a: [u64; 3], b: [u64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        (0..2 * openings).into_par_iter().map(one).reduce(|| [0; 3], add)
    }

    fn heuristic(&self, evaluation: &Evaluation) -> Heuristic<'_> {
        Heuristic::with_evaluation(self.board(), self.database, evaluation.clone())
    }

    /// A random opening: some random moves from the start.
    fn opening(&self, number: u64) -> Position {
        let mut random = Random::new(self.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut moves = Vec::new();
        'again: loop {
            let mut at = self.game.start();
            for _ in 0..4 + random.below(7) {
                self.board().successors(&at, &mut moves);
                if moves.is_empty() || self.database.covers(&at) {
                    continue 'again;
                }
                at = moves[random.below(moves.len())];
            }
            return at;
        }
    }

    /// The positions of a game with their scores, and its result for Black, who is the first of the
    /// sides. If `random` returns a number, that chooses the move.
    fn play(
        &self,
        start: Position,
        sides: &mut [Heuristic<'_>; 2],
        random: &mut impl FnMut() -> Option<usize>,
    ) -> (Vec<(Position, i32)>, f64) {
        let (mut line, mut at, mut moves) = (Vec::new(), start, Vec::new());
        let limits = Limits { nodes: self.nodes, ..Limits::default() };
        for _ in 0..LONGEST {
            if let Some(value) = self.database.probe(&at) {
                return (line, for_black(&at, value));
            }
            let found = sides[at.turn as usize].search(&at, limits, |_| ());
            line.push((at, found.score));
            let Some(next) = found.pv.first() else {
                return (line, for_black(&at, Value::Loss));
            };
            at = match random() {
                Some(number) => {
                    self.board().successors(&at, &mut moves);
                    moves[number % moves.len()]
                }
                None => *next,
            };
        }
        (line, 0.5)
    }

    /// Whether a search would evaluate this position statically.
    fn is_quiet(&self, position: &Position) -> bool {
        position.both_sides()
            && !self.board().can_capture(position)
            && self.board().can_move(position)
    }
}

fn sample(position: Position, score: i32, for_black: f64) -> Sample {
    let result = if position.turn == Side::Black { for_black } else { 1.0 - for_black };
    Sample { position, score, result }
}

fn for_black(position: &Position, value: Value) -> f64 {
    let mine = match value {
        Value::Win => 1.0,
        Value::Draw => 0.5,
        Value::Loss => 0.0,
    };
    if position.turn == Side::Black { mine } else { 1.0 - mine }
}
