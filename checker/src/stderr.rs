//! Standard error: each message is one line. Names of files, arguments and what notes and
//! certificates say of themselves were written by others; their contents must not look like a
//! separate line, or like a command to a terminal.

use checker_audit::one_line;
use std::io::Write;

/// Prints a message in one line. A failure to write is ignored: there is nowhere left to report it.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", one_line(text));
}
