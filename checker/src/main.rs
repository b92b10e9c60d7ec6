//! The command line of `check`. What it prints last on standard output is the verdict, and its exit
//! status is the verdict's, unless the line could not be written.
// But for `stdout.rs`, which has to look before the library's start-up code runs.
#![deny(unsafe_code)]

mod arguments;
mod explain;
mod fen;
mod memory;
mod notation;
mod reproduce;
mod sentence;
mod stdout;

use arguments::CheckArguments;
use certificate_spec::cover::Cover;
use checker_audit::keys::{self, PrivateKey};
use checker_audit::{
    Description, Draft, Extent, Journal, Note, Notes, Statement, TableFolder, TrustedDatabase,
    Values, is_among,
};
use checker_core::{Game, Level, Stop, Verdict};
use clap::{Args, Parser, Subcommand};
use explain::ExplainArguments;
use std::io::Write;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Examples:
  check cert --db egdb                    a certificate, database values derived again
  check cert --db egdb --level consistent enough for claims of not losing
  check --db egdb --game 6x6              a database alone
  check --db egdb --game 8x8 --memory 4GiB --journal my.journal
                                          a large one, to go on with if it is interrupted
  check cert --shard 3/16 --attest 3.note one sixteenth of the work, and a note that says so
  check cert --shard 3/16 --tables DIR --attest 3.note
                                          a sixteenth of the time, too, if all shards have DIR
  check merge cert *.note --keys trusted.txt
                                          whether notes of trusted people are the whole work
  check cert --sample 1% --seed 7         a random sample of blocks, nodes and leaves
  check explain cert B:W18,24:B5,9        why a position holds
  check explain cert --moves \"11-15\"     why the position after these moves does
  check reproduce cert --prove ./prove    whether the prover makes the same again

The verdict is the last line on standard output; the same in a plain sentence is on standard error, unless
--quiet is given. Exit status:
  0  s VERIFIED     everything was checked and is right
  1  s REFUTED      something is wrong; the line says what and where
  2  s CONDITIONAL  right but for nodes that are assumed
  3  s DECLINED     a version or feature that is not known here, or notes that are not enough
  4  s ERROR        files could not be read, wrong usage, lack of memory
  5  s VERIFIED SHARD, s SAMPLED  what was looked at is right, and the rest was not looked at
     s CONSISTENT   a database alone at the level consistent: its values may all be wrong
     s VERIFIED ... keys=none     notes say that the rest is right; no signature was looked at
  6  check explain: the certificate says nothing of the position
Accept only status 0 together with exactly one line that begins with \"s VERIFIED\".

Memory: for a certificate four times its bytes, and up to 100 bytes for each node and leaf and 500 for \
each file, and 4 MB for what it says of how it was made; for each thread five times the largest file of the database, and the largest block (120 MB with 6 \
pieces); for all sets of kings up to 100 MB with 6 pieces; for each thread about 300 bytes for each \
position of the leaf that it replays. And the tables: 2 bits for each index of the slices used (6x6 \
with 6 pieces 24 MB, 8x8 with 6 pieces 0.9 GB). --memory is a bound on the tables alone, three quarters of \
what is free if it is not given; whether it is enough is known before any value is checked. Where not all \
fit, a whole check has of large slices only a few layers in memory, so that 8x8 with 7 pieces or 7,8:4 \
can be checked, too; a shard or sample must have room for the tables of all slices with fewer pieces, of \
any slice and its twin, and of those that a crowning leads to from there, and where it has nodes or \
leaves for all. What has had to go and is needed again is made again from its file, which then stays in \
memory, compressed, while a pair of slices is checked. Positions of a certificate that are looked up in \
tables that do not all fit take about 100 bytes each. The verdict is the same. A limit on the address space (ulimit -v) must admit all \
this, 64 MiB, and 128 MiB for each thread: much of that is asked for and not used.

Journal: a line for each slice and its twin, on disk before the next begin; what it has is not verified \
again, though all files are still hashed. It is trusted as this program is: use one that you have had \
written yourself, where nobody else can write, and never anybody else's. The verdict does not show it. \
--fresh takes away what it has and begins it anew.

Tables: a shard needs most of the values that other shards verify, and reading them takes longer than its own \
work. With --tables it takes decoded tables from a folder, and puts those there that are missing. They need as \
many bytes as are given above for memory. Nobody has to trust the folder: notes have the digests of the tables, \
and merging asks that each is that of a table that was verified. Something wrong there can spoil notes, and nothing \
else; if notes disagree, make them again with an empty folder.

Notes: a note is worth what its signer is, and anybody can write one. So give --keys; without, the exit status is 5.";

/// Checks a certificate of the value of a game of checkers, or an endgame database.
#[derive(Parser)]
#[command(name = "check", bin_name = "check", version, after_help = AFTER_HELP)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Arguments {
    /// The certificate's folder
    #[arg(value_name = "CERT", required_unless_present = "game", conflicts_with = "game")]
    certificate: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArguments,
    /// Write a note with the verdict to FILE, for `check merge`
    #[arg(long, value_name = "FILE", conflicts_with = "sample")]
    attest: Option<PathBuf>,
    /// Sign the note with the key in FILE
    #[arg(long, value_name = "FILE", requires = "attest")]
    key: Option<PathBuf>,
    /// Do not verify the values of the database, but take the word of NOTE, which must cover all of
    /// them; may be given several times
    #[arg(long, value_name = "NOTE", requires = "certificate", conflicts_with_all = ["sample", "journal", "game", "tables"])]
    trust_db: Vec<PathBuf>,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    options: CheckArguments,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Args)]
struct DatabaseArguments {
    /// Check the database of this board (RxC, or RxC/k for that of a game) and no certificate
    #[arg(long, value_name = "G", value_parser = parse_game)]
    game: Option<Game>,
    /// Check the database as far as a cover: N (at most N pieces) or N:M (at most M of them on a
    /// side), joined by commas as in 7,8:4
    #[arg(long, value_name = "COVER", requires = "game")]
    pieces: Option<Cover>,
}

#[derive(Args)]
struct Trust {
    /// Only notes signed by one of the public keys in FILE, one a line, count
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Each part must be in notes signed by so many of these keys
    #[arg(long, value_name = "K", default_value_t = 1, requires = "keys",
          value_parser = clap::value_parser!(u8).range(1..))]
    require: u8,
    /// Each part must be in notes by so many different implementations of the checker; their names
    /// are counted
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    distinct_checkers: u8,
}

#[derive(Subcommand)]
enum Command {
    /// Say whether notes of parts together cover everything
    Merge {
        /// The certificate's folder; with --game, all are notes
        #[arg(value_name = "CERT NOTE", required = true)]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        database: DatabaseArguments,
        #[command(flatten)]
        trust: Trust,
        /// The folder of databases, for --game
        #[arg(long, value_name = "DIR", default_value = "egdb")]
        db: PathBuf,
    },
    /// Make a key to sign notes with; prints the public key
    Keygen {
        /// Whose key it is, without blanks and +
        name: String,
        /// The file for the private key
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
    /// Show why a position holds: the moves chosen or answered, down to the database or a cycle
    /// (takes about 500 bytes for each position of all leaves, besides what a check takes)
    Explain(ExplainArguments),
    /// Run the prover with the options that the certificate states, and compare
    Reproduce {
        /// The certificate's folder
        certificate: PathBuf,
        /// The program `prove`
        #[arg(long, value_name = "PROGRAM")]
        prove: PathBuf,
        /// The folder of databases; missing ones are built there [default: a temporary one]
        #[arg(long, value_name = "DIR")]
        db: Option<PathBuf>,
    },
}

fn parse_game(text: &str) -> Result<Game, String> {
    // A board alone may be too low for the usual number of rows filled, such as 3x3.
    let game = Game::parse(text).or_else(|| Game::parse(&format!("{text}/1")));
    game.ok_or_else(|| "not a game; write RxC or RxC/k, as in 8x8 or 5x5/2".into())
}

fn read_notes(paths: &[PathBuf], trust: &Trust) -> Result<Notes, Stop> {
    let notes = paths.iter().map(|path| Note::read(path)).collect::<Result<_, _>>();
    let keys = trust.keys.as_ref().map(|path| keys::trusted(path)).transpose();
    let (notes, keys) = (notes.map_err(Stop::Error)?, keys.map_err(Stop::Error)?);
    let (least, distinct_checkers) = (trust.require.into(), trust.distinct_checkers.into());
    Ok(Notes { notes, keys, least, distinct_checkers })
}

/// Takes the word of notes for the values of the database, and says at which level they have them.
fn trust_notes(
    arguments: &Arguments,
    certificate: &Path,
    level: Level,
) -> Result<(Level, TrustedDatabase), Stop> {
    let notes = read_notes(&arguments.trust_db, &arguments.trust)?;
    let about = Description::certificate(certificate, level)?;
    let (noted, trusted) = notes.database(&about)?;
    // What may not rest on the level consistent is declined by the check itself.
    Ok((if noted == Level::Consistent { noted } else { level }, trusted))
}

/// The folder of tables, which may not be among what is checked.
fn open_tables(folder: &Path, closed: &[&Path]) -> Result<TableFolder, Stop> {
    if is_among(folder, closed) {
        let text = format!("{}: tables cannot be among what is checked", folder.display());
        return Err(Stop::Error(text));
    }
    TableFolder::new(folder).map_err(Stop::Error)
}

fn check(arguments: &Arguments) -> Result<Statement, Stop> {
    let database = &arguments.database;
    let error = |text: String| Stop::Error(text);
    // What clap does not see where one of the two conflicts with what is there.
    if arguments.certificate.is_some() && database.pieces.is_some() {
        return Err(error("usage: --pieces is for --game; a certificate says how many".into()));
    }
    if arguments.trust.keys.is_some() && arguments.trust_db.is_empty() {
        return Err(error("usage: --keys is for notes: with --trust-db, or check merge".into()));
    }
    let mut options = arguments.options.options();
    let sample = arguments.options.sample();
    let sample = sample.map_err(|e| error(format!("no random numbers: {e}; give --seed")))?;
    let key = arguments.key.as_ref().map(|path| PrivateKey::open(path)).transpose();
    let closed: Vec<&Path> =
        arguments.certificate.iter().chain([&options.db]).map(|p| &**p).collect();
    let journal = arguments.options.journal.as_ref();
    if let Some(journal) = journal.filter(|path| is_among(path, &closed)) {
        let path = journal.display();
        return Err(error(format!("{path}: a journal cannot be among what is checked")));
    }
    let used: Vec<&Path> = journal.into_iter().chain(&arguments.trust_db).map(|p| &**p).collect();
    let draft = |path: &PathBuf| Draft::new(path, key?, &closed, &used);
    let draft = arguments.attest.as_ref().map(draft).transpose().map_err(error)?;
    let tables = arguments.options.tables.as_ref().map(|folder| open_tables(folder, &closed));
    let tables = tables.transpose()?;
    let values = match (&arguments.certificate, journal, tables) {
        (Some(certificate), ..) if !arguments.trust_db.is_empty() => {
            let (level, trusted) = trust_notes(arguments, certificate, options.level)?;
            options.level = level;
            Values::Trusted(trusted)
        }
        (_, Some(journal), _) => {
            if arguments.options.fresh {
                Journal::clear(journal).map_err(error)?;
            }
            Values::Journal(journal.clone())
        }
        (_, None, Some(tables)) => Values::Tables(tables),
        (_, None, None) => Values::Verified,
    };
    let extent = |values: Values| match (arguments.options.shard, sample) {
        (Some(shard), _) => Extent::Shard(shard, values),
        (None, Some(sample)) => Extent::Sample(sample),
        (None, None) => Extent::Whole(values),
    };
    let check = |extent: &Extent| match (&arguments.certificate, &database.game) {
        (Some(certificate), _) => checker_audit::check(certificate, &options, extent),
        (None, Some(game)) => {
            checker_audit::check_database(game.board(), database.pieces.as_ref(), &options, extent)
        }
        (None, None) => Verdict::error("usage: neither a certificate nor a game").into(),
    };
    let used_tables = matches!(values, Values::Tables(_));
    let mut statement = check(&extent(values));
    if statement.status() == 1 && used_tables {
        // What is wrong may be a table, and nobody is refuted by those.
        statement = check(&extent(Values::Verified));
        if statement.status() != 1 {
            options.progress.show("one of the tables was wrong, and none has been used");
        }
    }
    let line = statement.line();
    let is_worth_a_note = matches!(statement.status(), 0 | 1 | 2 | 5);
    if let (Some(draft), true) = (draft, is_worth_a_note) {
        draft.write(line.trim_start_matches("s ")).map_err(error)?;
    }
    Ok(statement)
}

fn merge(
    paths: &[PathBuf],
    database: &DatabaseArguments,
    trust: &Trust,
    db: &Path,
) -> Result<Statement, Stop> {
    let read = |notes: &[PathBuf], about: &dyn Fn() -> Result<Description, Stop>| {
        if notes.is_empty() {
            return Err(Stop::Error("usage: no notes".into()));
        }
        let notes = read_notes(notes, trust)?;
        let about = about()?;
        // What does not count is named whatever the verdict is.
        notes.left_out(&about).iter().for_each(|line| say(line));
        notes.verdict(&about)
    };
    match (&database.game, paths) {
        (Some(game), notes) => {
            read(notes, &|| Description::database(game.board(), database.pieces.as_ref(), db))
        }
        (None, [cert, notes @ ..]) => read(notes, &|| Description::certificate(cert, Level::Exact)),
        (None, []) => Err(Stop::Error("usage: neither a certificate nor a game".into())),
    }
}

/// A line on standard error. Nowhere to complain if that is gone.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// What a command prints: its text and exit status.
struct Output {
    text: String,
    status: u8,
}

impl Output {
    /// A verdict; with a plain sentence on standard error beside it, unless that is to be quiet.
    fn of(statement: impl Into<Statement>, is_quiet: bool) -> Output {
        let statement = statement.into();
        if !is_quiet {
            say(&sentence::of(&statement));
        }
        Output { text: format!("{}\n", statement.line()), status: statement.status() }
    }
}

/// What a command prints.
fn run(arguments: &Arguments) -> Output {
    let verdict = |result: Result<Statement, Stop>, is_quiet| {
        Output::of(result.unwrap_or_else(Statement::from), is_quiet)
    };
    match &arguments.command {
        None => verdict(check(arguments), arguments.options.quiet),
        Some(Command::Merge { paths, database, trust, db }) => {
            verdict(merge(paths, database, trust, db), false)
        }
        Some(Command::Keygen { name, key }) => match PrivateKey::generate(name, key) {
            Ok(key) => Output { text: format!("{}\n", key.public.text()), status: 0 },
            Err(error) => verdict(Err(Stop::Error(error)), false),
        },
        Some(Command::Explain(explain)) => match explain.run() {
            Ok(explained) => Output { text: explained.text, status: explained.status },
            Err(stop) => verdict(Err(stop), false),
        },
        Some(Command::Reproduce { certificate, prove, db }) => {
            let about = match Description::certificate(certificate, Level::Exact) {
                Ok(about) => about,
                Err(stop) => return verdict(Err(stop), false),
            };
            match reproduce::reproduce(certificate, &about, prove, db.as_deref()) {
                Ok(None) => {
                    Output { text: "The prover makes the same certificate.\n".into(), status: 0 }
                }
                Ok(Some(difference)) => Output {
                    text: format!("The prover makes another one: {difference}\n"),
                    status: 1,
                },
                Err(error) => verdict(Err(Stop::Error(error)), false),
            }
        }
    }
}

fn main() -> ExitCode {
    let Output { text, status } = match Arguments::try_parse() {
        Ok(arguments) => catch_unwind(|| run(&arguments)).unwrap_or_else(|_| {
            Output::of(Verdict::error("a bug in check; see standard error"), false)
        }),
        // Not an error: --help or --version.
        Err(text) if !text.use_stderr() => return stdout::print(&text.render().to_string(), 0),
        Err(error) => {
            let text = error.render().to_string();
            // Nowhere to complain if standard error is gone.
            let _ = write!(std::io::stderr(), "{text}");
            let first = text.lines().next().unwrap_or_default();
            let text = format!("usage: {}", first.trim_start_matches("error: "));
            Output::of(Verdict::error(text), true)
        }
    };
    stdout::print(&text, status)
}
