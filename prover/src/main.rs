//! `prove`: see [`prover::cli`].

use std::process::ExitCode;

use certificate_notes::one_line;
use draughtproof_proof::progress::print_line;
use prover::cli::{self, Failure};

fn main() -> ExitCode {
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        // A reader that closes the pipe early, such as `head`, causes no error message.
        Err(Failure::Io(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(3),
        Err(failure) => {
            // File names in a message may contain control sequences for a terminal. Some messages
            // have several lines, and none of them is a verdict.
            for line in format!("prove: {failure}").lines() {
                print_line(&one_line(line));
            }
            ExitCode::from(failure.status())
        }
    }
}
