//! The commands of `check`, and their help.

use crate::arguments::CheckArguments;
use certificate_spec::cover::Cover;
use checker_core::Game;
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// The page that `-h` prints.
pub const SHORT_HELP: &str = "\
{about}

Usage: check [OPTIONS] CERT               a certificate
       check [OPTIONS] --game G           the database of a board alone, as in --game 6x6
       check COMMAND                      merge, positions, keygen, reproduce; check COMMAND -h

      --db DIR  The folder of databases [default: egdb]

The last line on standard output is the verdict. Exit status:
  0  s VERIFIED     everything was checked and is right
  1  s REFUTED      something is wrong; the line says what and where
  2  s CONDITIONAL  right but for nodes that are assumed
  3  s DECLINED     an unknown version or feature, or notes that are not enough
  4  s ERROR        files could not be read, wrong usage, lack of memory
  5  less than a proof: s VERIFIED SHARD, s SAMPLED, s CONSISTENT, keys=none
Accept only status 0 together with exactly one line that begins with \"s VERIFIED\".

check --help has all options, examples, memory, journals, tables and notes.
";

const AFTER_HELP: &str = "\
Examples:
  check cert --db egdb                      a certificate, database values derived again
  check cert --db egdb --level consistent   enough for claims of not losing
  check --db egdb --game 6x6                a database alone
  check --db egdb --game 8x8 --scratch DIR --journal DIR2
                                            a large one, to go on with if it is interrupted
  check cert --shard 3/16 --attest 3.note   one sixteenth of the work, and a note that says so
  check cert --shard 4/16 --tables DIR --attest 4.note
                                            a sixteenth of the time, too, if all shards have DIR
  check merge cert *.note --keys trusted.txt
                                            whether notes of trusted people are the whole work
  check cert --sample 1% --seed 7           a random sample of blocks, nodes and leaves
  check reproduce cert                      whether the prover makes the same again

The verdict is the last line on standard output; the same in a plain sentence is on standard error, unless
--quiet is given. The script prover/packaging/slurm/check-shards.sh runs shards as jobs of Slurm and merges their notes.

Exit status:
  0  s VERIFIED     everything was checked and is right
  1  s REFUTED      something is wrong; the line says what and where
  2  s CONDITIONAL  right but for nodes that are assumed
  3  s DECLINED     a version or feature that is not known here, or notes that are not enough
  4  s ERROR        files could not be read, wrong usage, lack of memory
  5  s VERIFIED SHARD, s SAMPLED  the rest was not looked at; what was looked at is right
     s CONSISTENT   a database alone at the level consistent: its values may all be wrong
     s VERIFIED ... keys=none     notes say that the rest is right; no signature was looked at
Accept only status 0 together with exactly one line that begins with \"s VERIFIED\".

Memory: for a certificate four times its bytes, and up to 100 bytes for each node and leaf and 500 for \
each file, and 4 MiB for what it says of how it was made; for each thread five times the largest file of the database, and the largest block (120 MiB with 6 \
pieces); for all sets of kings up to 100 MiB with 6 pieces; for each thread about 300 bytes for each \
position of the leaf that it replays. A limit on the address space (ulimit -v) must admit all \
this, the tables, 64 MiB, and 128 MiB for each thread: much of that is asked for and not used.

Tables: 2 bits for each index of the slices used (6x6 with 6 pieces 23 MiB, 8x8 with 6 pieces 0.83 GiB, with 7 pieces \
14.5 GiB, with 7,8:4 69.9 GiB). They are in memory if they take no more than --memory. Else they are in a file of that size in \
the folder --scratch, which no other process can name, and of which the system keeps in memory what it has room \
for; that there is room on the disk is known before any value is checked. The verdict is the same.

Journal: a folder of your own with the tables that have been verified, as many bytes again, and the file journal with a line for each slice \
and its twin, on disk before the next begin. A check that is given it goes on: it copies these tables and does not verify \
them again, though all files of the database are still hashed. It is trusted as this program is: use one that you have had \
written yourself, where nobody else can write, and never anybody else's. The verdict has journal=K/N if it has \
spoken for K of the N pairs of slices that were to be verified. \
--fresh takes away what it has and begins it anew.

Shared tables: a shard needs most of the values that other shards verify, and copying them takes less than making them from \
their files. With --tables it takes tables from such a folder, and puts those there that are missing. Nobody has to trust \
the folder: notes have the digests of the tables, \
and merging asks that each is that of a table that was verified. Something wrong there can spoil notes, and nothing \
else; if notes disagree, make them again with an empty folder.

Notes: a note is worth what its signer is, and anybody can write one. So give --keys; without, the exit status is 5. \
What does not count is named on standard error and changes nothing: what is no note, is about something else, or \
has with --keys no signature, or a wrong one, of a key there.";

/// Checks a certificate of the value of a game of checkers, or an endgame database.
#[derive(Parser)]
#[command(name = "check", bin_name = "check", version, after_help = AFTER_HELP)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    /// The certificate's folder
    #[arg(value_name = "CERT", required_unless_present = "game", conflicts_with = "game")]
    pub certificate: Option<PathBuf>,
    /// Without a certificate: which database is checked.
    #[command(flatten)]
    pub database: DatabaseArguments,
    /// Write a note with the verdict to FILE, for `check merge`
    #[arg(long, value_name = "FILE", conflicts_with = "sample")]
    pub attest: Option<PathBuf>,
    /// Sign the note with the key in FILE
    #[arg(long, value_name = "FILE", requires = "attest")]
    pub key: Option<PathBuf>,
    /// Do not verify the values of the database, but take the word of NOTE, which must cover all of
    /// them; may be given several times
    #[arg(long, value_name = "NOTE", requires = "certificate", conflicts_with_all = ["sample", "journal", "game", "tables"])]
    pub trust_db: Vec<PathBuf>,
    /// The notes that count.
    #[command(flatten)]
    pub trust: Trust,
    /// Options of the check itself.
    #[command(flatten)]
    pub options: CheckArguments,
    /// A subcommand, if something other than a check is asked for.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The database, where there is no certificate.
#[derive(Args)]
pub struct DatabaseArguments {
    /// Check the database of this board (RxC, or RxC/k for that of a game) and no certificate
    #[arg(long, value_name = "G", value_parser = parse_game)]
    pub game: Option<Game>,
    /// Check the database as far as a cover: N (at most N pieces) or N:M (at most M of them on a
    /// side), joined by commas as in 7,8:4
    #[arg(long, value_name = "COVER", requires = "game")]
    pub pieces: Option<Cover>,
}

/// The notes that count.
#[derive(Args)]
pub struct Trust {
    /// Only notes signed by one of the public keys in FILE, one a line, count
    #[arg(long, value_name = "FILE")]
    pub keys: Option<PathBuf>,
    /// Each part must be in notes signed by at least K of these keys
    #[arg(long, value_name = "K", default_value_t = 1, requires = "keys",
          value_parser = clap::value_parser!(u8).range(1..))]
    pub require: u8,
}

/// The subcommands of `check`.
#[derive(Subcommand)]
pub enum Command {
    /// Say whether notes of parts together cover everything
    #[command(after_help = "Example:
  check merge cert *.note --keys trusted.txt")]
    Merge {
        /// The certificate's folder; with --game, all are notes
        #[arg(value_name = "CERT NOTE", required = true)]
        paths: Vec<PathBuf>,
        /// Without a certificate: which database is meant.
        #[command(flatten)]
        database: DatabaseArguments,
        /// The notes that count.
        #[command(flatten)]
        trust: Trust,
        /// The folder of databases, for --game
        #[arg(long, value_name = "DIR", default_value = "egdb")]
        db: PathBuf,
    },
    /// Derive the values of positions again, and say whether all are what a list claims
    #[command(after_help = "Example:
  check positions reached.list")]
    Positions {
        /// The list (SPEC.md, 10.1)
        list: PathBuf,
    },
    /// Make a key to sign notes with; prints the public key
    #[command(after_help = "Example:
  check keygen alice --key alice.key >> trusted.txt")]
    Keygen {
        /// Whose key it is, without blanks and +
        name: String,
        /// The file for the private key
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
    /// Is `prove explain` now
    #[command(hide = true)]
    Explain {
        /// Whatever was asked for.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<OsString>,
    },
    /// Run the prover with the options that the certificate states, and compare
    #[command(after_help = "Example:
  check reproduce cert")]
    Reproduce {
        /// The certificate's folder
        certificate: PathBuf,
        /// The program `prove` [default: draughtproof-prove or prove, beside check or in PATH]
        #[arg(long, value_name = "PROGRAM")]
        prove: Option<PathBuf>,
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
