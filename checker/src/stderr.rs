//! Standard error: one line for each thing that is said. Names of files, arguments and what notes
//! and certificates say of themselves were written by others, and what they contain must not look
//! like a line of its own, or like a command to a terminal.

use checker_audit::one_line;
use std::io::Write;

/// Says something in one line. Nowhere to complain if standard error is gone.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", one_line(text));
}
