//! Manual pages and shell completions, made from the options of a program.
//!
//! ```
//! use clap::CommandFactory;
//!
//! let pages = prover::manual::pages(prover::cli::Cli::command())?;
//! assert!(pages.iter().any(|page| page.file == "prove-db.1"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod notes;

use std::io;
use std::path::Path;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::egdb::atomic::write_file;

/// A manual page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The name of its file, such as `prove-db.1`.
    pub file: String,
    /// The text of the page, in roff.
    pub text: Vec<u8>,
}

/// The manual pages of a program: one for the program, and one for each subcommand.
///
/// # Errors
/// None are known: a page is written into memory.
pub fn pages(command: Command) -> io::Result<Vec<Page>> {
    // A page for `help` of each subcommand would have no content.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let version = command.get_version().unwrap_or_default().to_owned();
    let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned();
    let commands: Vec<Command> = shown.collect();
    std::iter::once(command).chain(commands).map(|command| page(command, &version)).collect()
}

/// The manual page of one command, which must be built.
fn page(command: Command, version: &str) -> io::Result<Page> {
    let notes = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    let (has_options, has_subcommands) =
        (command.get_arguments().next().is_some(), command.has_subcommands());
    let man = Man::new(command).source(format!("Draughtproof {version}")).manual("Draughtproof");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if has_options {
        man.render_options_section(&mut text)?;
    }
    if has_subcommands {
        man.render_subcommands_section(&mut text)?;
    }
    notes::render(&notes.unwrap_or_default(), &mut text)?;
    Ok(Page { file: man.get_filename(), text })
}

/// Writes the manual pages of a program into a directory, which is made if it is missing; returns
/// the number of pages.
///
/// # Errors
/// A page cannot be written.
pub fn write_pages(command: Command, directory: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(directory)?;
    let pages = pages(command)?;
    for page in &pages {
        let path = directory.join(&page.file);
        write_file(&path, |file| io::Write::write_all(file, &page.text))?;
    }
    Ok(pages.len())
}

/// The script by which a shell completes the options of a program.
pub fn completions(mut command: Command, shell: Shell) -> Vec<u8> {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    script
}
