//! The command line of `prove`: a folder for each kind of work, with a file for each command. It
//! turns options into calls of the libraries, and results into text.

mod database;
mod failure;
mod farm;
mod help;
#[cfg(not(all(feature = "farm", feature = "serve")))]
mod left_out;
mod manual;
mod options;
mod output;
mod play;
mod prove;
mod serve;
mod stop;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use database::{db, plan, probe, stats};
use farm::worker;
use play::{analyse, annotate, book, engine, game, perft, replay};
use prove::{certify, combine, expand, literature, report, solve, trim};

use crate::egdb::OutOfMemory;
use crate::egdb::limits::raise_open_files;
pub use failure::Failure;

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
    after_help = "Examples:
  prove --emit cert                          6x6: databases, proof, certificate
  prove db --game 8x8 --pieces 4             only databases
  prove probe B:WK26,10:BK25,21              every move with value and depth, from the database
  prove analyse --time 10                    best play as far as can be seen
  prove play cert                            a game against the proof
  prove serve cert                           the proof and the databases, for a browser and programs
  prove engine                               plays for a program that speaks the Hub protocol
  prove --game 5x5/2 --emit cert-5x5         a small game that White wins
  prove --game 8x8 --pieces 4 --fen B:W18,24,K30:B12,K16 --emit cert-8x8
  prove --moves 4-7 --emit cert-4-7          the position after these moves
  prove combine all cert-1 cert-2            certificates of openings, joined into one of the start
  prove report all --format html --out all.html  what a certificate consists of
  prove expand all --pieces 4 --emit larger  the same over a smaller database
  prove trim all --emit trimmed              the same without what its start does not need
  prove literature corpus/endings.tsv        published values, against a database
  prove plan --game 8x8 --pieces 8           how long and how large databases would be
  prove plan --game 7x7                      how long and how large a proof would be
  prove stats --game 8x8 --format tsv        their contents, slice by slice
  prove book --out book.tsv                  an opening book for the engine
  prove replay games.pdn                     whether games are legal
  prove annotate games.pdn                   their values and mistakes
  prove perft --depth 10                     count move sequences
  prove manual --out man1                    manual pages; prove completions bash: for a shell
  prove --farm nats://host:4222 --emit cert  the searches are done by workers
  prove worker --farm nats://host:4222       one of them; as many as you like, on any machine
  prove farm status --farm nats://host:4222  how far it is

A game is RxC or RxC/k: rows, columns, and the rows that each side fills at the start.

Exit status: 0 done; 1 not decided within --max-nodes or before Ctrl-C (if something is emitted then, it is \
less than was asked for), or --claim does not hold, or openings are missing, or a published value disagrees, \
or a game has a fault, or a line of standard input is no position; 2 wrong usage, or a bad game, FEN or move; 3 a file or directory that cannot be read \
or written, or is damaged, or a limit of memory, or no broker answers `farm status`. \
Nothing that exists is overwritten by a failure."
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
    /// Leave out of a certificate what its start does not need.
    Trim(trim::Options),
    /// Compare published values of positions with certificates and a database.
    // It was `prove compare`, which `prove db compare` is easily taken for.
    Literature(literature::Options),
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
    Worker(worker::Options),
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
        "merge" | "keygen" | "reproduce" | "explain" => &name,
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
        options::values::say_when_a_file_is_cut();
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
            Some(Command::Trim(options)) => trim::run(&options),
            Some(Command::Literature(options)) => literature::run(&options),
            Some(Command::Analyse(options)) => analyse::run(&options),
            Some(Command::Replay(options)) => replay::run(&options),
            Some(Command::Annotate(options)) => annotate::run(&options),
            Some(Command::Perft(options)) => perft::run(&options),
            Some(Command::Manual(options)) => manual::run_manual(&options),
            Some(Command::Completions(options)) => manual::run_completions(&options),
            Some(Command::Worker(options)) => worker::run(&options),
            Some(Command::Farm(options)) => farm::run(&options),
        }
    }
}
