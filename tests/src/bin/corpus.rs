//! Writes the corpora to a directory, for other checkers, and compares a checker's verdicts with
//! them.

use tests::prelude::*;

use clap::{Parser, Subcommand};
use tests::corpus::{build, judge};
use tests::v1;

/// Writes certificates and databases, right and wrong, and lets a checker judge them.
#[derive(Parser)]
#[command(name = "corpus")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// All cases, made from what `prove` writes today, with EXPECTED.tsv; judged by a checker if
    /// one is given
    Cases {
        /// A new directory
        directory: PathBuf,
        /// A program with the arguments of `check`
        checker: Option<PathBuf>,
    },
    /// Lets a checker judge those that are kept in corpus/v1
    JudgeV1 {
        /// A program with the arguments of `check`
        checker: PathBuf,
    },
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Cases { directory, .. } if directory.exists() => {
            eprintln!("{}: expected a new directory, found an old one", directory.display());
            ExitCode::from(2)
        }
        Command::Cases { directory, checker } => cases(&directory, checker.as_deref()),
        Command::JudgeV1 { checker } => {
            let kept = v1::read(&v1::folder());
            tell(kept.len(), &v1::judge(&kept, &v1::folder(), &absolute(&checker)))
        }
    }
}

/// The absolute path, which means the same in every directory.
fn absolute(checker: &Path) -> PathBuf {
    std::fs::canonicalize(checker).unwrap_or_else(|_| checker.into())
}

/// Prints the cases in which the checker's verdict was another.
fn tell(all: usize, wrong: &[String]) -> ExitCode {
    wrong.iter().for_each(|line| println!("{line}"));
    println!("{} passed, {} failed", all - wrong.len(), wrong.len());
    ExitCode::from(u8::from(!wrong.is_empty()))
}

fn cases(directory: &Path, checker: Option<&Path>) -> ExitCode {
    let cases = build(directory);
    let table = directory.join("EXPECTED.tsv");
    let written = std::fs::File::create(&table).and_then(|mut out| {
        writeln!(out, "case\targuments\tverdict\tfile\toffset\tstatus")?;
        cases.iter().try_for_each(|case| {
            let expected = &case.expected;
            let offset = expected.offset.map(|o| o.to_string()).unwrap_or_default();
            let file = expected.file.as_deref().unwrap_or_default();
            let arguments = case.arguments.join(" ");
            let (words, status) = (&expected.words, expected.status());
            writeln!(out, "{}\t{arguments}\t{words}\t{file}\t{offset}\t{status}", case.name)
        })
    });
    if let Err(e) = written {
        eprintln!("{}: {e}", table.display());
        return ExitCode::from(3);
    }
    println!("{} cases in {}", cases.len(), directory.display());
    match checker {
        Some(checker) => tell(cases.len(), &judge(&cases, &absolute(checker))),
        None => ExitCode::SUCCESS,
    }
}
