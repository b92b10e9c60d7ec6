//! Games of the program against itself.

use prover::board::{Board, Game, Position, Side};
use prover::egdb::{Slice, Value, Values, position_at};
use prover::heuristic::{Evaluation, Features, Heuristic, Limits, Weights};
use rayon::prelude::*;

/// Games longer than this are drawn.
const LONGEST: u64 = 150;

/// A position and how it ended.
pub struct Sample {
    pub features: Features,
    /// Whether fewer than three eighths of the squares are taken.
    pub few: bool,
    /// 1 won, 0 lost, ½ drawn, for the side to move.
    pub result: f64,
}

/// Random numbers (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        random.below(1);
        random
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// Plays games.
pub struct Player<'a> {
    pub game: &'a Game,
    pub database: &'a Values,
    /// For each move.
    pub nodes: u64,
    pub seed: u64,
}

impl Player<'_> {
    fn board(&self) -> &Board {
        &self.game.board
    }

    /// The positions of games, with their results.
    pub fn games(&self, weights: &Weights, games: u64) -> Vec<Sample> {
        let evaluation = Evaluation::new(self.board(), weights);
        let one = |i| {
            let (start, mut sides) = (self.opening(i), [weights; 2].map(|w| self.heuristic(w)));
            let (line, result) = self.play(start, &mut sides);
            let quiet = line.into_iter().filter(|p| self.is_quiet(p));
            quiet.map(|p| self.sample(&evaluation, &p, result)).collect::<Vec<_>>()
        };
        (0..games).into_par_iter().map(one).collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// Positions of the database in which neither side is far ahead.
    pub fn database_samples(&self, count: u64) -> Vec<Sample> {
        let evaluation = Evaluation::new(self.board(), &Weights::MATERIAL);
        let mut slices = Slice::all(self.board(), self.database.cover());
        slices.retain(|s| (s.men + s.kings).abs_diff(s.enemy_men + s.enemy_kings) <= 1);
        let mut random = Random::new(self.seed);
        let mut samples = Vec::new();
        while (samples.len() as u64) < count {
            let slice = slices[random.below(slices.len() as u64) as usize];
            let index = random.below(1 << 30) << 30 | random.below(1 << 30);
            let index = index % slice.indices(self.board());
            let Some(position) = position_at(self.board(), slice, index) else { continue };
            if let Some(value) = self.database.probe(&position)
                && self.is_quiet(&position)
            {
                samples.push(self.sample(&evaluation, &position, for_black(&position, value)));
            }
        }
        samples
    }

    /// Wins, draws and losses of the first of two sets of weights.
    pub fn duel(&self, weights: [&Weights; 2], openings: u64) -> [u64; 3] {
        let one = |i: u64| {
            let start = self.opening(i / 2);
            let mut sides = weights.map(|w| self.heuristic(w));
            if i % 2 == 1 {
                sides.swap(0, 1);
            }
            let result = self.play(start, &mut sides).1;
            let mine = if i % 2 == 1 { 1.0 - result } else { result };
            [mine == 1.0, mine == 0.5, mine == 0.0].map(u64::from)
        };
        let add = |a: [u64; 3], b: [u64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        (0..2 * openings).into_par_iter().map(one).reduce(|| [0; 3], add)
    }

    fn heuristic(&self, weights: &Weights) -> Heuristic<'_> {
        Heuristic::with_weights(self.board(), self.database, weights)
    }

    /// Some random moves from the start.
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
                at = moves[random.below(moves.len() as u64) as usize];
            }
            return at;
        }
    }

    /// The positions of a game, and its result for Black, who is the first of the sides.
    fn play(&self, start: Position, sides: &mut [Heuristic<'_>; 2]) -> (Vec<Position>, f64) {
        let (mut line, mut at) = (vec![start], start);
        let limits = Limits { nodes: self.nodes, ..Limits::default() };
        for _ in 0..LONGEST {
            if let Some(value) = self.database.probe(&at) {
                return (line, for_black(&at, value));
            }
            let found = sides[at.turn as usize].search(&at, limits, |_| ());
            let Some(next) = found.pv.first() else {
                return (line, for_black(&at, Value::Loss));
            };
            at = *next;
            line.push(at);
        }
        (line, 0.5)
    }

    /// Whether an evaluation would be asked about it.
    fn is_quiet(&self, position: &Position) -> bool {
        position.both_sides()
            && !self.board().can_capture(position)
            && self.board().can_move(position)
    }

    fn sample(&self, evaluation: &Evaluation, position: &Position, for_black: f64) -> Sample {
        let black = position.turn == Side::Black;
        Sample {
            features: evaluation.features(position),
            few: 8 * position.pieces() < 3 * u32::from(self.board().squares()),
            result: if black { for_black } else { 1.0 - for_black },
        }
    }
}

fn for_black(position: &Position, value: Value) -> f64 {
    let mine = match value {
        Value::Win => 1.0,
        Value::Draw => 0.5,
        Value::Loss => 0.0,
    };
    if position.turn == Side::Black { mine } else { 1.0 - mine }
}
