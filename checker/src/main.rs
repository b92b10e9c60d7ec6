//! The command line of `check`. What it prints last on standard output is the verdict, and its exit
//! status is the verdict's, unless the line could not be written.
#![forbid(unsafe_code)]

use checker::{Game, Options, Verdict, check_certificate, check_database};
use clap::Parser;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Examples:
  check cert --db egdb                    a certificate, database values derived again
  check cert --db egdb --level consistent enough for claims of not losing
  check --db egdb --game 6x6              a database alone
  check --db egdb --game 8x8 --memory 4GiB --journal my.journal
                                          a large one, to go on with if it is interrupted

The verdict is the last line on standard output. Exit status:
  0  s VERIFIED     everything was checked and is right
  1  s REFUTED      something is wrong; the line says what and where
  2  s CONDITIONAL  right but for nodes that are assumed
  3  s DECLINED     a version or feature that this program does not know
  4  s ERROR        files could not be read, wrong usage, lack of memory
Accept only status 0 together with exactly one line that begins with \"s VERIFIED\".

Memory: the certificate's bytes and up to 60 bytes for each node; for each thread the largest file of
the database, and the largest block (120 MB with 6 pieces); for all sets of kings up to 100 MB with 6
pieces; for each thread about 300 bytes for each position of the leaf that it replays. And the tables:
2 bits for each index of the slices used (6x6 with 6 pieces 24 MB, 8x8 with 6 pieces 0.9 GB). --memory
is a bound on the tables alone. It must admit those of all slices with fewer pieces, of any slice and
its twin, and of those that a crowning leads to from there; a certificate needs all tables in the end.
What has had to go and is needed again is read and decoded again. The verdict is the same.

Journal: a line for each slice and its twin, on disk before the next begin; what it has is not verified
again, though all files are still hashed. It is trusted as this program is: use one that you have had
written yourself, where nobody else can write, and never anybody else's. The verdict does not show it.";

/// Checks a certificate of the value of a game of checkers, or an endgame database.
#[derive(Parser)]
#[command(name = "check", bin_name = "check", version, after_help = AFTER_HELP)]
struct Arguments {
    /// The certificate's folder
    #[arg(value_name = "CERT", required_unless_present = "game", conflicts_with = "game")]
    certificate: Option<PathBuf>,
    /// Check the database of this board (RxC, or RxC/k for that of a game) and no certificate
    #[arg(long, value_name = "G", value_parser = parse_game)]
    game: Option<Game>,
    /// Check the database for at most N pieces only
    #[arg(long, value_name = "N", requires = "game", conflicts_with = "certificate")]
    pieces: Option<u8>,
    #[command(flatten)]
    options: Options,
}

fn parse_game(text: &str) -> Result<Game, String> {
    // A board alone may be too low for the usual number of rows filled, such as 3x3.
    let game = Game::parse(text).or_else(|| Game::parse(&format!("{text}/1")));
    game.ok_or_else(|| "not a game; write RxC or RxC/k, as in 8x8 or 5x5/2".into())
}

fn check(arguments: &Arguments) -> Verdict {
    match (&arguments.certificate, &arguments.game) {
        (Some(certificate), _) => check_certificate(certificate, &arguments.options),
        (None, Some(game)) => check_database(game.board(), arguments.pieces, &arguments.options),
        (None, None) => Verdict::error("usage: neither a certificate nor a game"),
    }
}

/// Writes to standard output. Exit status 0 is for those alone whose words have arrived; so this goes
/// past the library's standard output, which takes a descriptor that cannot be written to for success.
/// (Only where it was closed before the start can nobody tell: the system has put a null device there.)
fn print(text: &str, status: u8) -> ExitCode {
    let out = std::io::stdout().as_fd().try_clone_to_owned().map(File::from);
    match out.and_then(|mut out| out.write_all(text.as_bytes())) {
        Ok(()) => ExitCode::from(status),
        Err(_) => ExitCode::from(4),
    }
}

fn main() -> ExitCode {
    let verdict = match Arguments::try_parse() {
        Ok(arguments) => catch_unwind(|| check(&arguments))
            .unwrap_or_else(|_| Verdict::error("a bug in check; see standard error")),
        // Not an error: --help or --version.
        Err(text) if !text.use_stderr() => return print(&text.render().to_string(), 0),
        Err(error) => {
            let text = error.render().to_string();
            // Nowhere to complain if standard error is gone.
            let _ = write!(std::io::stderr(), "{text}");
            let first = text.lines().next().unwrap_or_default();
            Verdict::error(format!("usage: {}", first.trim_start_matches("error: ")))
        }
    };
    print(&format!("{}\n", verdict.line()), verdict.status())
}
