//! A C program that uses the driver.

#[path = "../../tests/support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;

use draughtproof_egdb::{Cover, Database, Mode, Slice, Value, position_at};
// Rust code does not use the library that the program links to; this makes sure that it is built.
use draughtproof_egdb_driver as _;
use draughtproof_game::{Board, Position, Side};
use support::{build, compile, output};

#[test]
fn a_c_program_finds_the_values_of_the_database() {
    let directory = tempfile::tempdir().expect("a directory");
    build(directory.path(), "4:2", false, false);
    let positions = positions();
    assert!(positions.len() > 5000, "{}", positions.len());
    let said = ask(directory.path(), &positions);
    let board = Board::new(8, 8).expect("a board");
    let database = Database::open(directory.path(), &board, Mode::default()).expect("a database");
    for (position, values) in positions.iter().zip(said.lines()) {
        let value = match database.probe(position).expect("a look-up") {
            Some(Value::Win) => 1,
            Some(Value::Loss) => 2,
            Some(Value::Draw) => 3,
            None => 0,
        };
        let expected = format!("{value} {value} {value}");
        assert_eq!(values, expected, "{}", board.write_fen(position));
    }
    assert_eq!(said.lines().count(), positions.len());
}

/// Every 500th position of all slices, with either side to move, captures included.
fn positions() -> Vec<Position> {
    let board = Board::new(8, 8).expect("a board");
    let cover: Cover = "4:2".parse().expect("a cover");
    let mut positions = Vec::new();
    for slice in Slice::all(&board, &cover) {
        for index in (0..slice.indices(&board)).step_by(500) {
            let Some(position) = position_at(&board, slice, index) else { continue };
            positions.push(position);
            positions.push(Position { turn: Side::White, ..position });
        }
    }
    positions
}

/// Returns what the program writes about positions.
fn ask(directory: &Path, positions: &[Position]) -> String {
    let board = Board::new(8, 8).expect("a board");
    let mut text = String::new();
    for position in positions {
        let sets = [position.black, position.white, position.kings].map(|set| board.to_dense(set));
        let color = u8::from(position.turn == Side::White);
        writeln!(text, "{} {} {} {color}", sets[0], sets[1], sets[2]).expect("room");
    }
    let input = directory.join("positions");
    std::fs::write(&input, text).expect("a file");
    let mut command = compile("driver", directory);
    output(command.arg(directory).stdin(File::open(&input).expect("a file")))
}
