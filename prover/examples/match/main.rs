//! A match between two engines: `cargo run --release -p prover --example match -- --help`.
//!
//! Each opening is played twice with colours exchanged. Every move of an engine is checked by the
//! rules of [`draughtproof_game`]; the engines' own rules do not count.

mod engine;
mod game;
mod log;
mod openings;
#[path = "../shared/random.rs"]
mod random;
mod schedule;
mod score;

use std::collections::HashSet;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use draughtproof_egdb::{Store, Values};
use draughtproof_game::Game;
use draughtproof_proof::prepare_database::{Holding, Room, load_finished};
use draughtproof_proof::progress::Progress;

use engine::EngineSetup;
use game::{Effort, Rules};

use log::{Log, Played, Report};
use openings::Openings;
use schedule::Match;
use score::{Score, Sprt};

/// The memory for the values of the database that ends games, in bytes.
const DATABASE_MEMORY: u64 = 256 << 20;

/// Plays a match between two engines that speak Hub.
#[derive(Parser, Debug)]
#[command(after_help = "Examples:
  match --first \"target/release/prove engine\" --second /opt/simple --games 400 --log games.tsv
  match --first \"new engine\" --second \"old engine\" --move-time 0.05 --sprt 0,10 --adjudicate egdb

A game is won when the other side has no move, and drawn when a position comes up for the third time. An engine that \
ends, makes an illegal move or takes longer than its time and --margin loses the game; such faults are counted. \
An interrupted match with --log goes on with the same command. What engines write to standard error is not shown.")]
struct Options {
    /// The command of the first engine: a program and its arguments
    #[arg(long, value_name = "COMMAND", value_parser = command)]
    first: Words,
    /// The command of the second engine
    #[arg(long, value_name = "COMMAND", value_parser = command)]
    second: Words,
    /// A parameter of the first engine; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    first_set: Vec<(String, String)>,
    /// A parameter of the second engine
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    second_set: Vec<(String, String)>,
    /// Games, two from each opening
    #[arg(long, default_value_t = 312)]
    games: usize,
    /// Seconds for a move
    #[arg(long, value_name = "SECONDS", default_value = "0.3", value_parser = seconds)]
    move_time: Duration,
    /// Seconds that a move may take longer before the game is lost
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    margin: Duration,
    /// Games at a time; an engine has one thread, if it has a parameter `threads`
    #[arg(long, value_name = "N", default_value_t = 2)]
    concurrency: usize,
    /// A table of ballots with the columns moves and deck; those of the kinds normal and new are
    /// played [default: the 156 of the American Checker Federation]
    #[arg(long, value_name = "FILE")]
    ballots: Option<PathBuf>,
    /// Begin with N random moves from the start instead of ballots
    #[arg(long, value_name = "N", conflicts_with = "ballots")]
    random_plies: Option<usize>,
    /// The seed of the order of ballots and of random moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Plies without a capture or a move of a man after which a game is drawn
    #[arg(long, value_name = "N", default_value_t = 160)]
    draw_plies: usize,
    /// End games by the values of the databases in this directory
    #[arg(long, value_name = "DIR")]
    adjudicate: Option<PathBuf>,
    /// End the match as soon as one of two differences in Elo is accepted, each with an error
    /// of 5 %
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// The file of the games, which a match that was interrupted goes on from
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write all games in PDN; the file is replaced
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// A line for each game, and the result
    Text,
    /// The result as a table of one line
    Tsv,
}

/// A program and its arguments.
#[derive(Debug, Clone)]
struct Words(Vec<String>);

/// Splits a text at blanks outside of quotation marks.
fn command(text: &str) -> Result<Words, String> {
    let (mut words, mut is_quoted) = (Vec::new(), false);
    for (i, part) in text.split('"').enumerate() {
        is_quoted = i % 2 == 1;
        if is_quoted {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(ToOwned::to_owned));
        }
    }
    if is_quoted || words.is_empty() {
        return Err("expected a program and its arguments, quotation marks in pairs".into());
    }
    Ok(Words(words))
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.into(), value.into()))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "expected a number of seconds".into())
}

fn main() {
    let options = Options::parse();
    if let Err(error) = run(&options) {
        eprintln!("match: {error}");
        std::process::exit(3);
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let game: Game = "8x8".parse()?;
    let database = options.adjudicate.as_deref().map(|dir| open(dir, &game)).transpose()?;
    let openings = match options.random_plies {
        Some(plies) => Openings::Random { plies, seed: options.seed },
        None => Openings::ballots(&game, options.ballots.as_deref(), options.seed)?,
    };
    let setup = |words: &Words, parameters: &[(String, String)]| EngineSetup {
        command: words.0.clone(),
        parameters: parameters.to_vec(),
    };
    let planned = Match {
        rules: Rules {
            game: &game,
            draw_plies: options.draw_plies,
            database: database.as_ref(),
            move_time: options.move_time,
            margin: options.margin,
        },
        openings: &openings,
        engines: [
            setup(&options.first, &options.first_set),
            setup(&options.second, &options.second_set),
        ],
        concurrency: options.concurrency.max(1),
    };
    let names = names([planned.start(0)?.name.clone(), planned.start(1)?.name.clone()]);
    let (log, done) = match &options.log {
        Some(path) => {
            let (log, done) = Log::open(path, &game, &description(options, &names))?;
            (Some(log), done)
        }
        None => (None, Vec::new()),
    };
    let pdn = options.pdn.as_ref().map(File::create).transpose()?;
    let mut books = Books { game: &game, log, pdn, report: report(options, names) };
    for played in &done {
        books.count(played)?;
    }
    let seen: HashSet<usize> = done.iter().map(|played| played.number).collect();
    let left = (0..options.games).filter(|number| !seen.contains(number)).collect();
    if !books.report.is_decided() {
        play(&planned, left, &mut books, options.format)?;
    }
    match options.format {
        Format::Text => print!("{}", books.report.text()),
        Format::Tsv => print!("{}", books.report.tsv()),
    }
    Ok(())
}

/// The log and the report of a match.
struct Books<'a> {
    game: &'a Game,
    log: Option<Log>,
    pdn: Option<File>,
    report: Report,
}

impl Books<'_> {
    /// Adds a game that was just played.
    fn add(&mut self, played: &Played) -> Result<(), Box<dyn Error>> {
        if let Some(log) = &mut self.log {
            log.add(self.game, played)?;
        }
        self.count(played)
    }

    /// Counts a game that is in the log.
    fn count(&mut self, played: &Played) -> Result<(), Box<dyn Error>> {
        self.report.add(played);
        if let Some(pdn) = &mut self.pdn {
            let [first, second] = &self.report.names;
            writeln!(pdn, "{}", played.pdn(self.game, [first, second])?)?;
        }
        Ok(())
    }
}

fn play(
    planned: &Match<'_>,
    games: Vec<usize>,
    books: &mut Books<'_>,
    format: Format,
) -> Result<(), Box<dyn Error>> {
    let mut failure = None;
    planned.play(games, |played| {
        if let Err(error) = books.add(&played) {
            failure = Some(error);
            return ControlFlow::Break(());
        }
        if format == Format::Text {
            println!("{}", books.report.game(&played));
        }
        if books.report.is_decided() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    failure.map_or(Ok(()), Err)
}

fn report(options: &Options, names: [String; 2]) -> Report {
    Report {
        names,
        planned: options.games,
        score: Score::default(),
        effort: [Effort::default(); 2],
        faults: [0; 2],
        sprt: options.sprt,
    }
}

/// Describes a match in a line: a log with another description is not resumed.
fn description(options: &Options, names: &[String; 2]) -> String {
    let openings = match (options.random_plies, &options.ballots) {
        (Some(plies), _) => format!("{plies} random plies"),
        (None, Some(file)) => format!("ballots {}", file.display()),
        (None, None) => "ballots".into(),
    };
    format!(
        "{} - {}, {} s a move, {openings}, seed {}, {}",
        names[0],
        names[1],
        options.move_time.as_secs_f64(),
        options.seed,
        if options.adjudicate.is_some() { "adjudicated" } else { "played out" },
    )
}

/// The names of the engines, made different if they are equal.
fn names([first, second]: [String; 2]) -> [String; 2] {
    if first == second {
        [format!("{first} (first)"), format!("{second} (second)")]
    } else {
        [first, second]
    }
}

/// Opens a database for look-ups of single positions.
fn open(directory: &Path, game: &Game) -> Result<Values, Box<dyn Error>> {
    let store = Store::new(directory, &game.board);
    let cover = store.manifest()?.cover;
    let room = Room { memory: DATABASE_MEMORY, holding: Some(Holding::Cached), map_space: None };
    Ok(load_finished(&store, &cover, &room, &Progress::Quiet)?)
}
