//! Manual pages and shell completions, made from the options of a program.

mod notes;

use std::io;
use std::path::Path;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::egdb::atomic::write_file;

/// Writes the manual pages of a program into a directory, which is made if it is missing: one for
/// the program, and one for each subcommand of it or of another subcommand. Returns the number of
/// pages.
///
/// # Errors
/// A page cannot be written.
pub fn write_pages(command: Command, directory: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(directory)?;
    // A page for `help` of each subcommand would have no content.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let version = command.get_version().unwrap_or_default().to_owned();
    let mut commands = vec![command];
    let mut pages = 0;
    while let Some(command) = commands.pop() {
        write_page(&command, &version, directory)?;
        pages += 1;
        let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        commands.extend(shown.filter(|sub| sub.get_name() != "help").cloned());
    }
    Ok(pages)
}

/// Writes the manual page of one command, which must be built.
fn write_page(command: &Command, version: &str, directory: &Path) -> io::Result<()> {
    let man = Man::new(command.clone());
    let man = man.source(format!("Draughtproof {version}")).manual("Draughtproof");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if command.get_arguments().next().is_some() {
        man.render_options_section(&mut text)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    if let Some(notes) = command.get_after_long_help().or(command.get_after_help()) {
        notes::render(&notes.to_string(), &mut text)?;
    }
    write_file(&directory.join(man.get_filename()), |file| io::Write::write_all(file, &text))
}

/// The script by which a shell completes the options of a program.
pub fn completions(mut command: Command, shell: Shell) -> Vec<u8> {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    script
}
