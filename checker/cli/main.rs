//! The command line of `check`. What it prints last on standard output is the verdict, and its exit
//! status is the verdict's, unless the line could not be written.
// But for `stdout.rs`, which has to look before the library's start-up code runs.
#![deny(unsafe_code)]

mod describe;
mod explain;
mod keys;
mod merge;
mod notes;
mod options;
mod progress;
mod reproduce;
mod stdout;

use checker::parts::{Journal, TableFolder};
use checker::{
    Game, Level, Options, Stop, TrustedDatabase, Verdict, check_certificate, check_database,
    parse_fen,
};
use clap::{Args, Parser, Subcommand};
use describe::Description;
use keys::PrivateKey;
use merge::Notes;
use notes::Note;
use options::CheckArguments;
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
  check reproduce cert --prove ./prove    whether the prover makes the same again

The verdict is the last line on standard output. Exit status:
  0  s VERIFIED     everything was checked and is right
  1  s REFUTED      something is wrong; the line says what and where
  2  s CONDITIONAL  right but for nodes that are assumed
  3  s DECLINED     a version or feature that is not known here, or notes that are not enough
  4  s ERROR        files could not be read, wrong usage, lack of memory
  5  s VERIFIED SHARD, s SAMPLED  what was looked at is right, and the rest was not looked at
     s VERIFIED ... keys=none     notes say that the rest is right; no signature was looked at
Accept only status 0 together with exactly one line that begins with \"s VERIFIED\".

Memory: for a certificate four times its bytes, and up to 100 bytes for each node and leaf and 500 for \
each file; for each thread five times the largest file of the database, and the largest block (120 MB with 6 \
pieces); for all sets of kings up to 100 MB with 6 pieces; for each thread about 300 bytes for each \
position of the leaf that it replays. And the tables: 2 bits for each index of the slices used (6x6 \
with 6 pieces 24 MB, 8x8 with 6 pieces 0.9 GB). --memory is a bound on the tables alone. It must admit \
those of all slices with fewer pieces, of any slice and its twin, and of those that a crowning leads to \
from there; a certificate needs all tables in the end. What has had to go and is needed again is read \
and decoded again. The verdict is the same. A limit on the address space (ulimit -v) must admit all \
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
    /// Do not verify the values of the database, but take the word of NOTE, which must cover all of them; may
    /// be given several times
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
    /// Check the database for at most N pieces only
    #[arg(long, value_name = "N", requires = "game")]
    pieces: Option<u8>,
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
    /// Show why a position holds: the moves chosen or answered, down to the database or a cycle (takes
    /// about 500 bytes for each position of all leaves, besides what a check takes)
    Explain {
        /// The certificate's folder
        certificate: PathBuf,
        /// The position
        fen: String,
        /// The folder of databases
        #[arg(long, value_name = "DIR", default_value = "egdb")]
        db: PathBuf,
    },
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
    Ok(Notes { notes, keys, least: trust.require.into() })
}

/// Takes the word of notes for the values of the database.
fn trust_notes(
    arguments: &Arguments,
    certificate: &Path,
    options: &mut Options,
) -> Result<(), Stop> {
    let notes = read_notes(&arguments.trust_db, &arguments.trust)?;
    let about = describe::certificate(certificate, options.level)?;
    let (level, words) = notes.database(&about)?;
    if level == Level::Consistent {
        options.level = level;
        // What may not rest on that level is declined by the check itself.
    }
    options.trusted = Some(TrustedDatabase { root: about.db_root, words });
    Ok(())
}

/// The folder of tables, which may not be among what is checked.
fn open_tables(folder: &Path, closed: &[&Path]) -> Result<TableFolder, String> {
    if notes::is_among(folder, closed) {
        return Err(format!("{}: tables cannot be among what is checked", folder.display()));
    }
    TableFolder::new(folder)
}

fn check(arguments: &Arguments) -> Verdict {
    let database = &arguments.database;
    // What clap does not see where one of the two conflicts with what is there.
    if arguments.certificate.is_some() && database.pieces.is_some() {
        return Verdict::error("usage: --pieces is for --game; a certificate says how many");
    }
    if arguments.trust.keys.is_some() && arguments.trust_db.is_empty() {
        return Verdict::error("usage: --keys is for notes: with --trust-db, or check merge");
    }
    let mut options = match arguments.options.options() {
        Ok(options) => options,
        Err(error) => return Verdict::error(format!("no random numbers: {error}; give --seed")),
    };
    let key = arguments.key.as_ref().map(|path| PrivateKey::open(path)).transpose();
    let closed: Vec<&Path> =
        arguments.certificate.iter().chain([&options.db]).map(|p| &**p).collect();
    if let Some(journal) = options.journal.as_ref().filter(|path| notes::is_among(path, &closed)) {
        let path = journal.display();
        return Verdict::error(format!("{path}: a journal cannot be among what is checked"));
    }
    let used: Vec<&Path> =
        options.journal.iter().chain(&arguments.trust_db).map(|p| &**p).collect();
    let draft = |path: &PathBuf| notes::Draft::new(path, key?, &closed, &used);
    let draft = match arguments.attest.as_ref().map(draft).transpose() {
        Ok(draft) => draft,
        Err(error) => return Verdict::error(error),
    };
    let tables = arguments.options.tables.as_ref().map(|folder| open_tables(folder, &closed));
    options.tables = match tables.transpose() {
        Ok(tables) => tables,
        Err(error) => return Verdict::error(error),
    };
    if let Some(certificate) = &arguments.certificate
        && !arguments.trust_db.is_empty()
        && let Err(stop) = trust_notes(arguments, certificate, &mut options)
    {
        return Verdict::Stopped(stop);
    }
    if let Some(journal) = &options.journal
        && arguments.options.fresh
        && let Err(error) = Journal::clear(journal)
    {
        return Verdict::error(error);
    }
    let check = |options: &Options| match (&arguments.certificate, &database.game) {
        (Some(certificate), _) => check_certificate(certificate, options),
        (None, Some(game)) => check_database(game.board(), database.pieces, options),
        (None, None) => Verdict::error("usage: neither a certificate nor a game"),
    };
    let mut verdict = check(&options);
    if verdict.status() == 1 && options.tables.take().is_some() {
        // What is wrong may be a table, and nobody is refuted by those.
        verdict = check(&options);
        if verdict.status() != 1
            && let Some(progress) = &options.progress
        {
            progress.show("one of the tables was wrong, and none has been used");
        }
    }
    let line = verdict.line();
    let is_worth_a_note = matches!(verdict.status(), 0 | 1 | 2 | 5);
    if let (Some(draft), true) = (draft, is_worth_a_note)
        && let Err(error) = draft.write(line.trim_start_matches("s "))
    {
        return Verdict::error(error);
    }
    verdict
}

fn merge(
    paths: &[PathBuf],
    database: &DatabaseArguments,
    trust: &Trust,
    db: &Path,
) -> Result<Verdict, Stop> {
    let read = |notes: &[PathBuf], about: &dyn Fn() -> Result<Description, Stop>| {
        if notes.is_empty() {
            return Err(Stop::Error("usage: no notes".into()));
        }
        read_notes(notes, trust)?.verdict(&about()?)
    };
    match (&database.game, paths) {
        (Some(game), notes) => {
            read(notes, &|| describe::database(game.board(), database.pieces, db))
        }
        (None, [cert, notes @ ..]) => read(notes, &|| describe::certificate(cert, Level::Exact)),
        (None, []) => Err(Stop::Error("usage: neither a certificate nor a game".into())),
    }
}

/// A verdict that rests on notes, with its exit status: that of an acceptance only if somebody's signature counts, for
/// anybody can write a note, whatever the certificate is worth.
fn by_notes(verdict: &Verdict, trust: &Trust) -> (String, u8) {
    let status = match verdict.status() {
        0 if trust.keys.is_none() => 5,
        status => status,
    };
    (format!("{}\n", verdict.line()), status)
}

/// What a command prints: its text and exit status.
fn run(arguments: &Arguments) -> (String, u8) {
    let verdict = |verdict: Verdict| (format!("{}\n", verdict.line()), verdict.status());
    match &arguments.command {
        None if !arguments.trust_db.is_empty() => by_notes(&check(arguments), &arguments.trust),
        None => verdict(check(arguments)),
        Some(Command::Merge { paths, database, trust, db }) => {
            let verdict = merge(paths, database, trust, db).unwrap_or_else(Verdict::Stopped);
            by_notes(&verdict, trust)
        }
        Some(Command::Keygen { name, key }) => match PrivateKey::generate(name, key) {
            Ok(key) => (format!("{}\n", key.public.text()), 0),
            Err(error) => verdict(Verdict::error(error)),
        },
        Some(Command::Explain { certificate, fen, db }) => {
            let Some(position) = parse_fen(fen) else {
                return verdict(Verdict::error(format!(
                    "{fen}: not a canonical FEN, as in B:W18,24:B5,K9"
                )));
            };
            match explain::explain(certificate, &position, &Options::new(db)) {
                Ok(text) => (text, 0),
                Err(stop) => verdict(Verdict::Stopped(stop)),
            }
        }
        Some(Command::Reproduce { certificate, prove, db }) => {
            let about = match describe::certificate(certificate, Level::Exact) {
                Ok(about) => about,
                Err(stop) => return verdict(Verdict::Stopped(stop)),
            };
            match reproduce::reproduce(certificate, &about, prove, db.as_deref()) {
                Ok(None) => ("The prover makes the same certificate.\n".into(), 0),
                Ok(Some(difference)) => {
                    (format!("The prover makes another one: {difference}\n"), 1)
                }
                Err(error) => verdict(Verdict::error(error)),
            }
        }
    }
}

fn main() -> ExitCode {
    let verdict = |verdict: Verdict| (format!("{}\n", verdict.line()), verdict.status());
    let (text, status) = match Arguments::try_parse() {
        Ok(arguments) => catch_unwind(|| run(&arguments))
            .unwrap_or_else(|_| verdict(Verdict::error("a bug in check; see standard error"))),
        // Not an error: --help or --version.
        Err(text) if !text.use_stderr() => return stdout::print(&text.render().to_string(), 0),
        Err(error) => {
            let text = error.render().to_string();
            // Nowhere to complain if standard error is gone.
            let _ = write!(std::io::stderr(), "{text}");
            let first = text.lines().next().unwrap_or_default();
            verdict(Verdict::error(format!("usage: {}", first.trim_start_matches("error: "))))
        }
    };
    stdout::print(&text, status)
}
