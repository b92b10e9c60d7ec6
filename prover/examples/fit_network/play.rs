//! Plays games of the program against itself.
//!
//! Positions of games with their scores and results, in a file.
//!
//! A record has 28 bytes: the bit sets of Black's pieces, of White's and of kings as the program
//! has them (8 bytes each, little-endian), the side to move (0 for Black), the result for that side
//! (0 lost, 1 drawn, 2 won), and its score in hundredths of a man (2 bytes).

use crate::random::Random;
use draughtproof_egdb::{Value, Values};
use draughtproof_game::{Board, Game, Position, Side};
use draughtproof_proof::heuristic::{Evaluation, Heuristic, Limits};
use rayon::prelude::*;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

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

const BYTES: usize = 28;

/// Appends positions to a file.
pub fn append(path: &Path, samples: &[Sample]) -> io::Result<()> {
    let mut out = BufWriter::new(OpenOptions::new().append(true).create(true).open(path)?);
    for sample in samples {
        let Position { black, white, kings, turn } = sample.position;
        for set in [black, white, kings] {
            out.write_all(&set.to_le_bytes())?;
        }
        out.write_all(&[turn as u8, (2.0 * sample.result) as u8])?;
        out.write_all(&(sample.score.clamp(-30_000, 30_000) as i16).to_le_bytes())?;
    }
    out.flush()
}

/// All positions of a file.
pub fn read(path: &Path) -> io::Result<Vec<Sample>> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes.chunks_exact(BYTES).map(record).collect())
}

fn record(bytes: &[u8]) -> Sample {
    let set = |at: usize| (0..8).fold(0, |set, i| set | u64::from(bytes[at + i]) << (8 * i));
    let turn = if bytes[24] == 0 { Side::Black } else { Side::White };
    Sample {
        position: Position { black: set(0), white: set(8), kings: set(16), turn },
        score: i16::from_le_bytes([bytes[26], bytes[27]]).into(),
        result: f64::from(bytes[25]) / 2.0,
    }
}
