//! `prove manual` and `prove completions`.

use std::io::{self, Write};
use std::path::PathBuf;

use super::Cli;
use super::failure::Failure;
use super::output::ResultWriter;
use crate::cli::options::notes;
use crate::manual::{completions, write_pages};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

#[derive(Args, Debug)]
#[command(after_help = notes("manual"))]
pub(super) struct ManualOptions {
    /// The directory for the pages; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Args, Debug)]
#[command(after_help = notes("completions"))]
pub(super) struct CompletionOptions {
    /// The shell
    shell: Shell,
}

pub(super) fn run_manual(options: &ManualOptions) -> Result<(), Failure> {
    let pages = write_pages(Cli::command(), &options.out)
        .map_err(|source| Failure::File { path: options.out.clone(), source })?;
    writeln!(io::stdout(), "{pages} pages in {}", options.out.display())?;
    Ok(())
}

pub(super) fn run_completions(options: &CompletionOptions) -> Result<(), Failure> {
    let script = completions(Cli::command(), options.shell);
    let script = String::from_utf8(script).map_err(|e| Failure::Input(e.to_string()))?;
    let mut out = ResultWriter::new(None)?;
    out.text(&script)?;
    out.finish()
}
