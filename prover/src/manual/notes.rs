//! The notes at the end of a command's help, as sections of its manual page.

use std::io::{self, Write};

use clap_mangen::roff::{Roff, roman};

/// The section of notes that begin without a heading.
const NOTES: &str = "NOTES";

/// Writes the sections. A paragraph that begins with a word or two and a colon begins a section
/// with that heading; indented lines stay as they are.
pub(super) fn render(text: &str, out: &mut dyn Write) -> io::Result<()> {
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
