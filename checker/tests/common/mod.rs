//! Helpers of the tests: boards and positions, a place for files, and what is expected of a verdict.
#![allow(dead_code)]

pub mod files;
pub mod maker;
pub mod oracle;

use checker::{Board, Database, Options, Position, check_certificate, derive, parse_fen};
use maker::Certificate;
use std::path::PathBuf;
use tempfile::TempDir;

pub fn board(name: &str) -> Board {
    let (rows, columns) = name.split_once('x').unwrap();
    Board::new(rows.parse().unwrap(), columns.parse().unwrap()).unwrap()
}

pub fn fen(text: &str) -> Position {
    parse_fen(text).unwrap()
}

pub fn successors(board: &Board, p: &Position) -> Vec<Position> {
    let mut all = Vec::new();
    board.successors(p, &mut all);
    all
}

/// A folder with the certificate in `cert` and databases in `egdb`.
pub struct Place(pub TempDir);

impl Place {
    pub fn new() -> Place {
        Place(TempDir::new().unwrap())
    }

    pub fn cert(&self) -> PathBuf {
        self.0.path().join("cert")
    }

    pub fn db(&self) -> PathBuf {
        self.0.path().join("egdb")
    }

    pub fn check(&self) -> String {
        check_certificate(&self.cert(), &self.options()).line()
    }

    pub fn options(&self) -> Options {
        Options { threads: Some(2), ..Options::new(self.db()) }
    }
}

/// Writes the certificate to an empty place and checks it.
pub fn verdict(certificate: &Certificate) -> String {
    let place = Place::new();
    certificate.write(&place.cert());
    place.check()
}

pub fn database(board: &Board, pieces: u8) -> Database {
    derive(board, pieces).unwrap()
}

/// Expects a line that refutes by this rule, with this in it.
#[track_caller]
pub fn refuted(line: &str, rule: &str, rest: &str) {
    assert!(line.starts_with(&format!("s REFUTED {rule} file=")), "{line}");
    assert!(line.contains(rest), "{line} has no {rest}");
}
