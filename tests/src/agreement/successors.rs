//! Compares the successors of random positions by three programs: the function that is proved to
//! give exactly the legal moves, and both move generators.

use crate::prelude::*;
use std::fmt::Write as _;
use std::fs::{self, File};

use crate::mutants::random::Random;

/// Boards of all shapes: wide, high, with odd sides, and with one square in some rows.
const BOARDS: [(u8, u8); 10] =
    [(8, 8), (6, 6), (7, 7), (5, 7), (6, 8), (8, 6), (8, 4), (4, 8), (5, 5), (3, 5)];

/// Compares the successors of `positions` random positions, which depend on `seed` only.
///
/// # Errors
/// The first position with different successors, and what each program says of it.
///
/// # Panics
/// If `program` does not start, or no files can be written in `directory`.
pub fn compare(program: &Path, seed: u64, positions: u64, directory: &Path) -> Result<(), String> {
    for (number, (rows, columns)) in (0..).zip(BOARDS) {
        let ours = Board::new(rows, columns).expect("a board");
        let theirs = checker_core::Board::new(rows, columns).expect("a board");
        let few = positions.div_ceil(BOARDS.len() as u64);
        let random = |i| random(&mut Random::new(seed, number << 32 | i), &ours);
        let all: Vec<Position> = (0..few).map(random).collect();
        let mut text = String::new();
        for position in &all {
            writeln!(text, "{}", ours.write_fen(position)).expect("text");
        }
        let path = directory.join("positions");
        fs::write(&path, text).expect("a file is written");
        let output = Command::new(program)
            .args(["successors", &format!("{rows}x{columns}")])
            .stdin(File::open(&path).expect("the file"))
            .output();
        let output = output.unwrap_or_else(|e| panic!("{}: {e}", program.display()));
        let text = String::from_utf8(output.stdout).map_err(|e| e.to_string())?;
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() != all.len() {
            return Err(format!("{rows}x{columns}: {} lines for {few} positions", lines.len()));
        }
        for (position, line) in all.iter().zip(lines) {
            let fen = ours.write_fen(position);
            let mut next = Vec::new();
            ours.successors(position, &mut next);
            let prover: Vec<String> = next.iter().map(|p| ours.write_fen(p)).collect();
            let mut next = Vec::new();
            let read = checker_core::parse_fen(&fen).ok_or("the checker reads no FEN")?;
            theirs.successors(&read, &mut next);
            let checker: Vec<String> = next.iter().map(checker_core::write_fen).collect();
            if prover.join(" ") != line || checker.join(" ") != line {
                return Err(format!(
                    "{rows}x{columns} {fen}: proved {line}, prover {prover:?}, checker {checker:?}"
                ));
            }
        }
    }
    Ok(())
}

/// A random possible position, from nearly empty to crowded, with many kings or few.
fn random(random: &mut Random, board: &Board) -> Position {
    let (fill, kings) = (1 + random.below(8), random.below(5));
    let turn = if random.one_in(2) { Side::Black } else { Side::White };
    let mut position = Position { black: 0, white: 0, kings: 0, turn };
    for square in 0..board.squares() {
        if random.below(12) >= fill {
            continue;
        }
        let (bit, is_black) = (board.bit(square), random.one_in(2));
        let crowning = if is_black { board.rows() - 1 } else { 0 };
        if board.row(square) == crowning || random.below(5) < kings {
            position.kings |= bit;
        }
        *(if is_black { &mut position.black } else { &mut position.white }) |= bit;
    }
    position
}
