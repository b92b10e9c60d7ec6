//! `prove`: see [`prover::cli`].

use std::process::ExitCode;

use certificate_notes::one_line;
use prover::cli::{self, Failure};
use prover::progress::print_line;

fn main() -> ExitCode {
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        // A reader that has seen enough, such as `head`, is no failure worth a message.
        Err(Failure::Io(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(3),
        Err(failure) => {
            // Names of files in it may have anything in them.
            print_line(&one_line(&format!("prove: {failure}")));
            ExitCode::from(failure.status())
        }
    }
}
