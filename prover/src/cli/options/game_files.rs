//! Files of games on the command line.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::board::PdnError;
use crate::cli::failure::Failure;

/// The name that stands for standard input.
const STDIN: &str = "-";

/// Opens a file of games, or standard input for `-`; also returns its name for error messages.
pub(crate) fn open(path: &Path) -> Result<(String, Box<dyn BufRead>), Failure> {
    if path == Path::new(STDIN) {
        return Ok(("standard input".into(), Box::new(BufReader::new(io::stdin()))));
    }
    let file = File::open(path).map_err(|source| Failure::file(path, source))?;
    Ok((path.display().to_string(), Box::new(BufReader::with_capacity(1 << 16, file))))
}

impl From<PdnError> for Failure {
    fn from(error: PdnError) -> Self {
        Failure::Input(error.to_string())
    }
}
