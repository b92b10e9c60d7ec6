//! Manual pages and shell completions, made from the options of a program.

use std::io::{self, Write};
use std::path::Path;

use crate::egdb::atomic::write_file;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

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
        render(&notes.to_string(), &mut text)?;
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

/// The section of notes that begin without a heading.
const NOTES: &str = "NOTES";

/// Writes the sections. A paragraph that begins with a word or two and a colon begins a section
/// with that heading; indented lines stay as they are.
fn render(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut roff = Roff::new();
    let mut section = None;
    for paragraph in text.split("\n\n") {
        let (heading, body) = split_heading(paragraph);
        let heading = heading.map(str::to_uppercase);
        if heading.is_some() || section.is_none() {
            let name = heading.unwrap_or(NOTES.into());
            roff.control("SH", [name.as_str()]);
            section = Some(name);
        } else if section.as_deref() == Some("EXAMPLES") && !body.starts_with("  ") {
            // The text after the examples is about the command.
            roff.control("SH", [NOTES]);
            section = Some(NOTES.into());
        } else {
            roff.control("PP", []);
        }
        render_lines(&capitalised(body), &mut roff);
    }
    roff.to_writer(out)
}

/// A heading, if the paragraph begins with one, and the rest of it.
fn split_heading(paragraph: &str) -> (Option<&str>, &str) {
    let is_heading = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.split(' ').count() <= 2
            && text.chars().all(|c| c.is_ascii_alphabetic() || c == ' ')
    };
    match paragraph.split_once(':') {
        Some((heading, rest)) if is_heading(heading) => {
            (Some(heading), rest.strip_prefix([' ', '\n']).unwrap_or(rest))
        }
        _ => (None, paragraph),
    }
}

/// The body of a section, which begins with a capital when its heading is removed.
fn capitalised(body: &str) -> String {
    let mut letters = body.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Writes lines: indented ones stay as they are; others are filled.
fn render_lines(body: &str, roff: &mut Roff) {
    let mut is_kept = false;
    for line in body.lines() {
        if line.starts_with("  ") != is_kept {
            is_kept = !is_kept;
            roff.control(if is_kept { "nf" } else { "fi" }, []);
        }
        roff.text([roman(line)]);
    }
    if is_kept {
        roff.control("fi", []);
    }
}
