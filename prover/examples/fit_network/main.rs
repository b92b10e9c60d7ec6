//! Fits the network that evaluates positions of 8x8: `cargo run --release -p prover --example
//! fit_network -- --help`.
//!
//! `play` writes positions of games of the program against itself, from random openings and with
//! some random moves, each with the score of a search and the result of the game. `fit` fits a
//! network to them. `duel` plays two networks against each other.
#![allow(clippy::cast_possible_truncation)]

mod play;
#[path = "../shared/random.rs"]
mod random;
mod training;

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use draughtproof_egdb::atomic::write_file;
use draughtproof_egdb::{BuildSession, Cover, Store, Values};
use draughtproof_game::Game;
use draughtproof_proof::heuristic::Evaluation;
use draughtproof_proof::heuristic::network::{Inputs, Parameters};
use play::{Player, Sample};
use random::Random;
use rayon::prelude::*;
use training::{Example, Training, loss};

/// Fits the network that evaluates positions of 8x8.
#[derive(Parser, Debug)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Writes positions of games of the program against itself
    Play(Play),
    /// Fits a network to positions
    Fit(Fit),
    /// Plays a match between two networks
    Duel(Duel),
}

/// The options of games.
#[derive(Args, Debug)]
struct Games {
    /// Directory of the databases
    #[arg(long, default_value = "egdb")]
    db: PathBuf,
    /// Use the database of a cover, such as 6 or 7,8:4
    #[arg(long, default_value = "6")]
    pieces: Cover,
    /// Nodes for each move
    #[arg(long, default_value_t = 2500)]
    nodes: u64,
    /// The seed of random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Args, Debug)]
struct Play {
    #[command(flatten)]
    games: Games,
    /// The network that plays [default: that in use]
    #[arg(long)]
    network: Option<PathBuf>,
    /// Thousands of games
    #[arg(long, default_value_t = 100)]
    thousands: u64,
    /// One in this number of moves is made at random
    #[arg(long, default_value_t = 40)]
    random_move: usize,
    /// Positions are added at the end of this file
    #[arg(long)]
    out: PathBuf,
}

#[derive(Args, Debug)]
struct Fit {
    /// Files of positions
    #[arg(required = true)]
    positions: Vec<PathBuf>,
    /// The number of times that all positions are gone over
    #[arg(long, default_value_t = 20)]
    passes: u32,
    /// The greatest step of a parameter
    #[arg(long, default_value_t = 2e-3)]
    pace: f32,
    /// The part of the result of the game in what is learnt; the rest is that of the search
    #[arg(long, default_value_t = 0.25)]
    result: f32,
    /// The score at which a win is e times as likely as a loss, in hundredths of a man
    #[arg(long, default_value_t = 145.0)]
    unit: f32,
    /// The seed of random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The network that is made
    #[arg(long, default_value = "network.bin")]
    out: PathBuf,
}

#[derive(Args, Debug)]
struct Duel {
    #[command(flatten)]
    games: Games,
    /// Openings, each played twice with colours exchanged
    #[arg(long, default_value_t = 200)]
    openings: u64,
    /// Two networks; "-" is the evaluation in use
    #[arg(num_args = 2)]
    networks: Vec<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    match Options::parse().command {
        Command::Play(options) => play(&options),
        Command::Fit(options) => fit(&options),
        Command::Duel(options) => duel(&options),
    }
}

fn play(options: &Play) -> Result<(), Box<dyn Error>> {
    let game: Game = "8x8".parse()?;
    let database = options.games.database(&game)?;
    let evaluation = evaluation(&game, options.network.as_deref())?;
    for number in 0..options.thousands {
        let seed = options.games.seed << 32 | number << 20;
        let random_move = Some(options.random_move);
        let nodes = options.games.nodes;
        let player = Player { game: &game, database: &database, nodes, seed, random_move };
        play::append(&options.out, &player.games(&evaluation, 1000))?;
        println!("{} thousand games", number + 1);
    }
    Ok(())
}

fn duel(options: &Duel) -> Result<(), Box<dyn Error>> {
    let game: Game = "8x8".parse()?;
    let database = options.games.database(&game)?;
    let in_use = Path::new("-");
    let read = |path: &PathBuf| evaluation(&game, Some(path.as_path()).filter(|p| *p != in_use));
    let (first, second) = (read(&options.networks[0])?, read(&options.networks[1])?);
    let (nodes, seed) = (options.games.nodes, options.games.seed << 32);
    let player = Player { game: &game, database: &database, nodes, seed, random_move: None };
    let [wins, draws, losses] = player.duel([&first, &second], options.openings);
    println!("+{wins} ={draws} -{losses}");
    Ok(())
}

impl Games {
    fn database(&self, game: &Game) -> Result<Values, Box<dyn Error>> {
        let store = Store::new(&self.db, &game.board);
        Ok(BuildSession::new(&store, &self.pieces, 8 << 30)?.load_all(|_| ())?)
    }
}

fn evaluation(game: &Game, network: Option<&Path>) -> Result<Evaluation, Box<dyn Error>> {
    let Some(path) = network else { return Ok(Evaluation::fitted(&game.board)) };
    let not_one = || format!("{}: not the parameters of a network", path.display());
    let parameters = Parameters::from_bytes(&std::fs::read(path)?).ok_or_else(not_one)?;
    Ok(Evaluation::with_network(&game.board, &parameters).ok_or("8x8 has networks")?)
}

fn fit(options: &Fit) -> Result<(), Box<dyn Error>> {
    let mut samples: Vec<Sample> = Vec::new();
    for path in &options.positions {
        samples.extend(play::read(path)?);
    }
    let example = |sample: &Sample| {
        let by_search = 1.0 / (1.0 + (-sample.score as f32 / options.unit).exp());
        let expected = by_search + options.result * (sample.result as f32 - by_search);
        Example { inputs: Inputs::of(&sample.position), expected }
    };
    let mut examples: Vec<Example> = samples.par_iter().map(example).collect();
    // The positions of whole games are held back.
    let held_back = examples.split_off(examples.len() - examples.len() / 50);
    println!("{} positions, {} held back", examples.len(), held_back.len());

    let mut random = Random::new(options.seed);
    let mut training = Training::new(beginning(&mut random));
    let mut order: Vec<u32> = (0..examples.len() as u32).collect();
    for pass in 0..options.passes {
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        // The step size falls to zero along half a cosine wave.
        let pace = |done: f32| {
            let part = (pass as f32 + done) / options.passes as f32;
            options.pace * (0.5 + 0.5 * (std::f32::consts::PI * part).cos())
        };
        let seen = training.pass(&examples, &order, pace);
        let parameters = &training.parameters;
        let unseen = held_back.par_iter().map(|e| loss(parameters, e)).sum::<f64>();
        let unseen = unseen / held_back.len() as f64;
        println!("pass {}: mean loss {seen:.5}, {unseen:.5} of those held back", pass + 1);
        let bytes = parameters.to_bytes();
        write_file(&options.out, |file| std::io::Write::write_all(file, &bytes))?;
    }
    Ok(())
}

/// Small random parameters: with zeros all units would stay equal.
fn beginning(random: &mut Random) -> Parameters {
    let mut parameters = Parameters::zero();
    for value in parameters.values_mut() {
        *value = (random.next() >> 40) as f32 / (1 << 24) as f32 * 0.5 - 0.25;
    }
    parameters
}
