//! The command line of `prove`: a folder for each kind of work, with a file for each command. It
//! turns options into calls of the libraries, and results into text.

mod database;
mod failure;
mod farm;
mod help;
mod manual;
mod options;
mod output;
mod play;
mod prove;
mod serve;
mod stop;

pub use failure::Failure;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::egdb::OutOfMemory;
use crate::egdb::limits::raise_open_files;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use database::{db, plan, probe, stats};
use options::notes;
use play::{analyse, annotate, book, engine, game, perft, replay};
use prove::{certify, combine, expand, explain, report, solve, trim};

/// Solves checkers: builds endgame databases, proves the value of a position, writes a certificate.
///
/// Without a subcommand `prove` does the whole job: it builds the endgame databases that are not
/// there yet, proves the value of the start position (or of --fen, --moves or --opening), and
/// writes the certificate to the directory given by --emit. `check` verifies it without trusting
/// anything that `prove` did.
#[derive(Parser, Debug)]
#[command(
    name = "prove",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    after_help = notes("prove")
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    certify: certify::Options,
    /// Print help with all options
    #[arg(long, exclusive = true)]
    help_all: bool,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Build endgame databases, or extend, copy and compare those that are there.
    Db(Box<db::Options>),
    /// Forecast time, memory and disk for building databases on this machine, or for a proof.
    #[command(mut_arg("cover", |cover| cover.required(false)))]
    Plan(plan::Options),
    /// Count wins, draws and losses of a database, slice by slice.
    Stats(stats::Options),
    /// Look positions up in a database.
    Probe(probe::Options),
    /// Play a game against a proof, a database or a search.
    Play(game::Options),
    /// Answer questions about certificates and databases over HTTP.
    Serve(serve::Options),
    /// Play for another program: speak the Hub protocol on standard input and output.
    Engine(engine::Options),
    /// Make an opening book by deep search, or go on with it.
    Book(book::Options),
    /// Search positions for their value.
    Solve(solve::Options),
    /// Join certificates of positions after some moves into one of the start.
    Combine(combine::Options),
    /// Describe a certificate: its size by distance and pieces, and what it rests on.
    Report(report::Options),
    /// Trade the database of a certificate for a smaller one and a larger certificate.
    Expand(expand::Options),
    /// Show why a position holds: a line of the proof, with the answer to each reply.
    Explain(explain::Options),
    /// Leave out of a certificate what its start does not need.
    Trim(trim::Options),
    /// Search positions for the best play, with a score.
    Analyse(analyse::Options),
    /// Say of each game in files of games (PDN) whether it is legal.
    Replay(replay::Options),
    /// Write a file of games (PDN) with the values of positions and the mistakes marked.
    Annotate(annotate::Options),
    /// Count the move sequences of each length.
    Perft(perft::Options),
    /// Write the manual pages of prove.
    Manual(manual::ManualOptions),
    /// Print the script that lets a shell complete the options of prove.
    Completions(manual::CompletionOptions),
    /// Search for managers on other machines, through a broker.
    Worker(farm::WorkerOptions),
    /// Look after a farm of workers.
    Farm(farm::Options),
}

/// Runs the command line of this process. A failure advises options that the command has.
///
/// # Errors
/// [`Failure`], which tells the exit status.
pub fn run() -> Result<(), Failure> {
    let matches = help::with_short_help(Cli::command()).try_get_matches();
    let matches = matches.unwrap_or_else(|error| match foreign_command(&error) {
        Some(advice) => Cli::command().error(error.kind(), advice).exit(),
        None => error.exit(),
    });
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let ended = catch_unwind(AssertUnwindSafe(|| cli.run()));
    let ended = ended.unwrap_or_else(|panic| match panic.downcast::<OutOfMemory>() {
        Ok(lack) => Err(Failure::Memory(*lack)),
        Err(panic) => resume_unwind(panic),
    });
    ended.map_err(|failure| {
        let program = Cli::command();
        let mut command = &program;
        let mut given = &matches;
        while let Some((name, inner)) = given.subcommand() {
            command = command.find_subcommand(name).unwrap_or(command);
            given = inner;
        }
        failure.advised(|option| command.get_arguments().any(|a| a.get_long() == Some(option)))
    })
}

/// Says where a command is that belongs to the program `check`.
fn foreign_command(error: &clap::Error) -> Option<String> {
    let name = std::env::args().nth(1)?;
    let usage = match &*name {
        "check" | "verify" => "CERT",
        "merge" | "keygen" | "reproduce" => &name,
        _ => return None,
    };
    let is_unknown =
        matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument);
    is_unknown.then(|| format!("checking is a program of its own: `check {usage}`"))
}

impl Cli {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`], which tells the exit status.
    pub fn run(self) -> Result<(), Failure> {
        options::machine::say_when_a_file_is_cut();
        raise_open_files();
        match self.command {
            None if self.help_all => help::print_all(),
            None => certify::run(&self.certify),
            Some(Command::Db(options)) => db::run(&options),
            Some(Command::Plan(options)) => plan::run(&options),
            Some(Command::Stats(options)) => stats::run(&options),
            Some(Command::Probe(options)) => probe::run(&options),
            Some(Command::Play(options)) => game::run(options),
            Some(Command::Serve(options)) => serve::run_server(options),
            Some(Command::Engine(options)) => engine::run(options),
            Some(Command::Book(options)) => book::run(&options),
            Some(Command::Solve(options)) => solve::run(&options),
            Some(Command::Combine(options)) => combine::run(&options),
            Some(Command::Report(options)) => report::run(&options),
            Some(Command::Expand(options)) => expand::run(&options),
            Some(Command::Explain(options)) => explain::run(&options),
            Some(Command::Trim(options)) => trim::run(&options),
            Some(Command::Analyse(options)) => analyse::run(&options),
            Some(Command::Replay(options)) => replay::run(&options),
            Some(Command::Annotate(options)) => annotate::run(&options),
            Some(Command::Perft(options)) => perft::run(&options),
            Some(Command::Manual(options)) => manual::run_manual(&options),
            Some(Command::Completions(options)) => manual::run_completions(&options),
            Some(Command::Worker(options)) => farm::run_worker(&options),
            Some(Command::Farm(options)) => farm::run_farm(&options),
        }
    }
}
