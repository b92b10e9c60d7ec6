//! Files of games on the command line.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use draughtproof_proof::proof::seed_line;

use crate::board::{Game, PdnError, PdnReader, Position, Strictness};
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

/// `FILE` or `FILE#N`: a game of a file of games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GameInFile {
    path: PathBuf,
    /// The number of the game in the file, from 1.
    number: usize,
}

impl FromStr for GameInFile {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let numbered = text.rsplit_once('#').and_then(|(path, number)| {
            let is_number = number.bytes().all(|b| b.is_ascii_digit());
            Some((path, number.parse().ok().filter(|&n: &usize| is_number && n > 0)?))
        });
        let (path, number) = numbered.unwrap_or((text, 1));
        Ok(GameInFile { path: path.into(), number })
    }
}

impl GameInFile {
    /// The positions of the game from `start` on.
    pub(crate) fn seed(&self, game: &Game, start: &Position) -> Result<Vec<Position>, Failure> {
        let GameInFile { path, number } = self;
        let (name, source) = open(path)?;
        let mut games = PdnReader::new(game, &name, source, Strictness::Lenient);
        let mut found = 0;
        let pdn = loop {
            let next = games.next().transpose().map_err(|e| Failure::file(path, e))?;
            match next {
                Some(pdn) if pdn.number == *number => break pdn,
                Some(pdn) => found = pdn.number,
                None => {
                    let what = format!("{name}: expected at least {number} games, found {found}");
                    return Err(Failure::Input(what));
                }
            }
        };
        if let Some(fault) = pdn.fault.clone() {
            return Err(fault.into());
        }
        let wrong = |what: &str| {
            Failure::Input(format!("{name}, line {}, game {number}: {what}", pdn.line))
        };
        if pdn.moves_before_set_up().is_some() {
            return Err(wrong("expected moves, found a position that is set up among them"));
        }
        let first = pdn.first_position();
        let line = std::iter::once(first).chain(pdn.positions.iter().copied());
        seed_line(start, line).ok_or_else(|| {
            let fen = game.board.write_fen(start);
            wrong(&format!("expected a game through {fen}, found another"))
        })
    }
}

impl From<PdnError> for Failure {
    fn from(error: PdnError) -> Self {
        Failure::Input(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_after_the_last_sign_selects_the_game() {
        for (text, path, number) in [
            ("games.pdn", "games.pdn", 1),
            ("games.pdn#12", "games.pdn", 12),
            ("a#1#2", "a#1", 2),
            ("a#", "a#", 1),
            ("a#0", "a#0", 1),
            ("a#+1", "a#+1", 1),
            ("a#99999999999999999999999", "a#99999999999999999999999", 1),
        ] {
            let expected = GameInFile { path: path.into(), number };
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }
}
