//! Standard error: each message is one line. Names of files, arguments and what notes and
//! certificates say of themselves were written by others; their contents must not look like a
//! separate line, or like a command to a terminal.

use checker_audit::one_line;
use std::io::Write;

/// The most characters of a line that the program prints.
pub const MOST: usize = 600;

/// Prints a message in one line, the beginning of a long one. A failure to write is ignored: there
/// is nowhere left to report it.
pub fn say(text: &str) {
    let mut line = one_line(text);
    if let Some((end, _)) = line.char_indices().nth(MOST) {
        let last = line[..end].char_indices().nth_back(2).map_or(end, |(at, _)| at);
        line.truncate(last);
        line += "...";
    }
    let _ = writeln!(std::io::stderr(), "{line}");
}
