//! Fits the weights of patterns on 8x8: `cargo run --release -p prover --example fit_patterns --
//! --help`.
//!
//! The program plays against itself by short searches, from random openings and with a move at
//! random now and then, until the database knows the value. The positions on the way are labelled
//! with it, and features and patterns are fitted together by logistic regression. The next round
//! plays with the weights so found. The same options give the same weights on any machine.
#![allow(clippy::cast_possible_truncation)]

#[path = "../fit/play.rs"]
mod play;
mod regression;

use std::path::PathBuf;

use clap::Parser;
use play::Player;
use prover::board::Game;
use prover::egdb::{BuildSession, Cover, Store};
use prover::heuristic::{Evaluation, PatternTable, Weights};
use regression::Regression;

/// Fits the weights of patterns and plays a match against features alone.
#[derive(Parser, Debug)]
struct Options {
    /// Directory of the databases
    #[arg(long, default_value = "egdb")]
    db: PathBuf,
    /// Use the database of a cover, such as 6 or 7,8:4
    #[arg(long, default_value = "6")]
    pieces: Cover,
    /// Games of each round
    #[arg(long, default_value_t = 30_000)]
    games: u64,
    /// Rounds of play and regression
    #[arg(long, default_value_t = 2)]
    rounds: u64,
    /// Nodes for each move
    #[arg(long, default_value_t = 2500)]
    nodes: u64,
    /// Openings of the match, each played twice with colours exchanged
    #[arg(long, default_value_t = 200)]
    openings: u64,
    /// Where random numbers begin
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write the table of weights
    #[arg(long, default_value = "patterns.bin")]
    out: PathBuf,
}

/// One in so many moves is made at random.
const RANDOM_MOVE: u64 = 40;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    let game: Game = "8x8".parse()?;
    let store = Store::new(&options.db, &game.board);
    let database = BuildSession::new(&store, &options.pieces, 8 << 30)?.load_all(|_| ())?;
    let features_alone = Evaluation::new(&game.board, &Weights::FITTED);
    let (mut evaluation, mut samples) = (features_alone.clone(), Vec::new());
    let player = |round: u64| Player {
        game: &game,
        database: &database,
        nodes: options.nodes,
        seed: options.seed << 32 | round << 24,
        random_move: Some(RANDOM_MOVE),
    };
    for round in 0..options.rounds {
        samples.extend(player(round).games(&evaluation, options.games));
        let mut regression = Regression::new(&game.board).ok_or("a board without patterns")?;
        let loss = regression.fit(&samples);
        println!("round {}: {} positions, mean loss {loss:.4}", round + 1, samples.len());
        let table: PatternTable = regression.table();
        std::fs::write(&options.out, table.to_bytes())?;
        evaluation = Evaluation::with_patterns(&game.board, &table).ok_or("no patterns")?;
    }
    let pair = [&evaluation, &features_alone];
    let [wins, draws, losses] = player(options.rounds).duel(pair, options.openings);
    println!("against features alone: +{wins} ={draws} -{losses}");
    Ok(())
}
