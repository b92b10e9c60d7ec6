//! `manual`: writes the manual pages and the completions of `prove` and `check` into a directory.
//!
//! `prove` can write its own pages. `check` cannot, as it has only the dependencies that a check
//! needs; its options are in a library, which this program uses.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use checker::commands::Arguments;
use clap::{Command, CommandFactory, Parser};
use clap_complete::{Generator, Shell};
use draughtproof_egdb::atomic::write_file;
use prover::cli::Cli;
use prover::manual::{completions, write_pages};

/// Writes the manual pages and completions of prove and check.
#[derive(Parser)]
#[command(after_help = "Writes DIR/man1/*.1, DIR/bash/NAME, DIR/zsh/_NAME, DIR/fish/NAME.fish.")]
struct Options {
    /// The directory; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// For programs that are called draughtproof-prove and draughtproof-check
    #[arg(long)]
    prefixed: bool,
}

fn main() -> io::Result<()> {
    let Options { out, prefixed } = Options::parse();
    // Perl has a program /usr/bin/prove, with a manual page and completions.
    let [prove, check] =
        if prefixed { ["draughtproof-prove", "draughtproof-check"] } else { ["prove", "check"] };
    let commands = [(prove, Cli::command()), (check, Arguments::command())];
    let mut pages = 0;
    for (name, command) in commands {
        let command = command.name(name).bin_name(name);
        pages += write_pages(command.clone(), &out.join("man1"))?;
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            write_completions(&command, shell, &out)?;
        }
    }
    writeln!(io::stdout(), "{pages} pages and completions in {}", out.display())
}

/// Writes the script for a shell under the name that the shell looks for.
fn write_completions(command: &Command, shell: Shell, out: &Path) -> io::Result<()> {
    let name = command.get_name();
    // For bash the file has the name of the program.
    let file = if shell == Shell::Bash { name.into() } else { shell.file_name(name) };
    let directory = out.join(shell.to_string());
    std::fs::create_dir_all(&directory)?;
    let script = completions(command.clone(), shell);
    write_file(&directory.join(file), |file| file.write_all(&script))
}
