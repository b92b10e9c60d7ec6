//! Fits the weights of the evaluation: `cargo run --release -p prover --example fit -- --help`.
//!
//! No weight is tuned by hand. Games are played by short searches from random openings until the
//! database has the value; the positions of the games are labelled with it. Together with positions
//! from the database itself they are fitted by logistic regression, and the next round plays with
//! the resulting weights. Equal options give equal weights on any machine.
#![allow(clippy::cast_possible_truncation)]

mod database;
mod play;
#[path = "../shared/random.rs"]
mod random;
mod regression;

use std::path::PathBuf;

use clap::Parser;
use draughtproof_egdb::{BuildSession, Cover, Store, Values};
use draughtproof_game::Game;
use draughtproof_proof::heuristic::{Evaluation, NAMES, Weights};
use play::{Player, Sample};
use regression::fit;

/// Fits the weights of the evaluation and plays a match against material alone.
#[derive(Parser, Debug)]
struct Options {
    /// The game
    #[arg(long, default_value = "8x8")]
    game: Game,
    /// Directory of the databases
    #[arg(long, default_value = "egdb")]
    db: PathBuf,
    /// Use the database of a cover, such as 6 or 7,8:4 [default: all that is there]
    #[arg(long)]
    pieces: Option<Cover>,
    /// Games of each round
    #[arg(long, default_value_t = 2000)]
    games: u64,
    /// Rounds; with 0 there is only the match, of the weights in use
    #[arg(long, default_value_t = 2)]
    rounds: u64,
    /// Nodes for each move
    #[arg(long, default_value_t = 1500)]
    nodes: u64,
    /// Openings of the match, each played twice with colours exchanged
    #[arg(long, default_value_t = 200)]
    openings: u64,
    /// Where random numbers begin
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    let store = Store::new(&options.db, &options.game.board);
    let cover = match options.pieces.clone() {
        Some(cover) => cover,
        None => store.manifest()?.cover,
    };
    let database = BuildSession::new(&store, &cover, 8 << 30)?.load_all(|_| ())?;
    let mut weights = if options.rounds == 0 { Weights::FITTED } else { Weights::MATERIAL };
    let mut samples: Vec<Sample> = Vec::new();
    let board = &options.game.board;
    let evaluation = |weights: &Weights| Evaluation::new(board, weights);
    for round in 0..options.rounds {
        let player = player(&options, &database, round);
        samples.extend(player.games(&evaluation(&weights), options.games));
        samples.extend(database::samples(&player, samples.len() as u64 / 16));
        let (fitted, loss) = fit(&samples, &evaluation(&weights), board.squares().into());
        weights = fitted;
        println!("round {}: {} positions, mean losses {loss:.4?}", round + 1, samples.len());
        print_table("many", &weights.many);
        print_table("few", &weights.few);
    }
    let player = player(&options, &database, options.rounds);
    let pair = [&weights, &Weights::MATERIAL].map(evaluation);
    let [wins, draws, losses] = player.duel(pair.each_ref(), options.openings);
    println!("against material alone: +{wins} ={draws} -{losses}");
    Ok(())
}

fn player<'a>(options: &'a Options, database: &'a Values, round: u64) -> Player<'a> {
    let seed = options.seed << 32 | round << 24;
    Player { game: &options.game, database, nodes: options.nodes, seed, random_move: None }
}

fn print_table(name: &str, weights: &[i32]) {
    println!("        {name}: [");
    for (weight, what) in weights.iter().zip(NAMES) {
        println!("            {weight}, // {what}");
    }
    println!("        ],");
}
