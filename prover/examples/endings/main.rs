//! Plays endings that the database decides: `cargo run --release -p prover --example endings --
//! --help`.
//!
//! Positions are drawn from the database with a fixed seed, with equal chance from all positions of
//! a number of pieces that are won for a side (or drawn). Won positions are played against the best
//! defence: the loser moves by stored depths, or otherwise by depths that are found. A game counts
//! as won when the loser has no move, and as repeated when a position has come up three times.
//!
//! The plies of a game are compared with the sum of the stored depths of its phases: of its first
//! position and of the position after each conversion (a capture, a crowning or a move of a man).
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]

mod drawn;
mod positions;
#[path = "../shared/random.rs"]
mod random;
mod table;
mod won;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use draughtproof_egdb::{BuildSession, Cover, Depths, Store, Value, Values};
use draughtproof_game::{Game, Position};
use draughtproof_play::lookup::Lookup;
use draughtproof_play::opponent::Opponent;
use draughtproof_proof::heuristic::{Heuristic, Limits};

/// The most bytes that loading the database may take.
const MEMORY: u64 = 8 << 30;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Plays endings that the database decides
#[derive(Parser, Debug)]
#[command(after_help = "Examples:
  cargo run --release -p prover --example endings -- --db egdb --pieces 3,4,5,6 --positions 1000
  cargo run --release -p prover --example endings -- --db egdb --pieces 6 --without-depths --time 0.3
  cargo run --release -p prover --example endings -- --db egdb --pieces 5,6 --drawn 20000")]
struct Options {
    /// The game
    #[arg(long, default_value = "8x8")]
    game: Game,
    /// Directory of the databases
    #[arg(long, default_value = "egdb")]
    db: PathBuf,
    /// Numbers of pieces
    #[arg(long, value_delimiter = ',', default_value = "3,4,5,6")]
    pieces: Vec<u8>,
    /// Positions of each number
    #[arg(long, default_value_t = 1000)]
    positions: usize,
    /// Play these positions instead of random ones
    #[arg(long, value_name = "FEN")]
    fen: Vec<String>,
    /// Where random numbers begin
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds for a move of the winner [default: no limit]
    #[arg(long)]
    time: Option<f64>,
    /// The players do not see stored depths
    #[arg(long)]
    without_depths: bool,
    /// Play drawn positions instead, against a search of this number of nodes that uses no database
    #[arg(long, value_name = "NODES")]
    drawn: Option<u64>,
    /// Threads, each with a game
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// How results are printed
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// A form of the results.
#[derive(ValueEnum, Debug, Clone, Copy)]
enum Format {
    /// For people
    Text,
    /// For programs
    Tsv,
}

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let board = &options.game.board;
    let read = options.fen.iter().map(|fen| Ok(board.read_fen(fen)?));
    let given = read.collect::<Result<Vec<Position>, Failure>>()?;
    let counts: Vec<u8> = match given.as_slice() {
        [] => options.pieces.clone(),
        given => given.iter().map(|position| position.pieces() as u8).collect(),
    };
    let cover = Cover::up_to(counts.into_iter().max().ok_or("expected numbers of pieces")?);
    let store = Store::new(&options.db, board);
    let values = BuildSession::new(&store, &cover, MEMORY)?.load_all(|_| ())?;
    let depths = Depths::open(&options.db, board)?;
    let run = Run { options: &options, values: &values, depths: &depths };
    let mut lines = vec![run.head()];
    if given.is_empty() {
        for &pieces in &options.pieces {
            let sample = positions::Sample { board, values: &values, pieces, seed: options.seed };
            let is_drawn = options.drawn.is_some();
            let drawn = sample.draw(options.positions, |v| (v == Value::Draw) == is_drawn)?;
            lines.push(run.line(&pieces.to_string(), &drawn)?);
        }
    } else {
        lines.push(run.line("given", &given)?);
    }
    table::print(options.format, &lines);
    Ok(())
}

/// The parameters that all games share.
struct Run<'a> {
    options: &'a Options,
    values: &'a Values,
    depths: &'a Depths,
}

impl<'a> Run<'a> {
    fn player(&self, limits: Limits) -> Opponent<'a> {
        let (board, values) = (&self.options.game.board, self.values);
        let depths = (!self.options.without_depths).then_some(self.depths);
        let lookup = Lookup { board, values, depths, proofs: &[] };
        Opponent { limits, ..Opponent::new(lookup, Heuristic::new(board, values)) }
    }

    fn head(&self) -> Vec<String> {
        let head = if self.options.drawn.is_some() { &drawn::HEAD[..] } else { &won::HEAD[..] };
        head.iter().map(ToString::to_string).collect()
    }

    /// Plays positions, and makes a row of the table of the games.
    fn line(&self, name: &str, positions: &[Position]) -> Result<Vec<String>, Failure> {
        let Options { game, time, threads, drawn, .. } = self.options;
        let limits = Limits { time: time.map(Duration::from_secs_f64), ..Limits::default() };
        let player = || self.player(limits);
        if let Some(nodes) = *drawn {
            let games = in_threads(*threads, positions, player, |player, start| {
                drawn::play(player, game, *start, nodes)
            })?;
            return Ok(drawn::line(name, &games));
        }
        let players = || [player(), self.player(Limits::default())];
        let games = in_threads(*threads, positions, players, |[winner, defender], start| {
            won::Players { winner, defender }.play(game, *start, self.depths)
        })?;
        for game in games.iter().filter(|game| !game.is_won) {
            eprintln!("not won: {}", self.values.board().write_fen(&game.start));
        }
        Ok(won::line(name, &games))
    }
}

/// Calls a function for each of `items`, and returns the results in order. Each thread has a player
/// of its own: a player waits for rounds that use all threads of the pool, so games are no tasks of
/// the pool.
fn in_threads<T: Sync, P, R: Send>(
    threads: usize,
    items: &[T],
    begin: impl Fn() -> P + Sync,
    each: impl Fn(&mut P, &T) -> Result<R, Failure> + Sync,
) -> Result<Vec<R>, Failure> {
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut own, mut done) = (begin(), Vec::new());
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(i) else { return Ok::<_, Failure>(done) };
            done.push((i, each(&mut own, item)?));
        }
    };
    let done = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let joined =
            threads.into_iter().map(|thread| thread.join().map_err(|_| "a thread ended")?);
        joined.collect::<Result<Vec<_>, Failure>>()
    })?;
    let mut all: Vec<(usize, R)> = done.into_iter().flatten().collect();
    all.sort_by_key(|(i, _)| *i);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}
