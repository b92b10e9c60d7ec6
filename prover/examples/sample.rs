//! Random quiet positions, one FEN a line: what `docs/performance.md` measures searches on.
//!
//! ```text
//! cargo run --release -p prover --example sample -- 8x8 7 500
//! ```
//! prints a number of positions (here 500) with a number of pieces (here 7) in which the side to
//! move can move and cannot capture, with equal chance from all such positions. The first half has
//! equal numbers on both sides, or a piece more on one side if the number is odd. Equal arguments
//! give equal positions.

#[path = "shared/random.rs"]
mod random;

use std::collections::HashSet;
use std::error::Error;

use draughtproof_egdb::{Cover, Slice, position_at};
use draughtproof_game::Board;
use random::Random;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [board, pieces, count] = arguments.as_slice() else {
        return Err("expected a board, a number of pieces and how many positions".into());
    };
    let (rows, columns) = board.split_once('x').ok_or("expected a board such as 8x8")?;
    let board = Board::new(rows.parse()?, columns.parse()?).ok_or("no such board")?;
    let (pieces, count): (u8, usize) = (pieces.parse()?, count.parse()?);
    if !(2..=board.squares()).contains(&pieces) {
        return Err(format!("expected 2 to {} pieces", board.squares()).into());
    }
    let all = Slice::all(&board, &Cover::up_to(pieces));
    let slices: Vec<Slice> = all.into_iter().filter(|s| s.pieces() == pieces).collect();
    let is_even = |s: &&Slice| (s.men + s.kings).abs_diff(s.enemy_men + s.enemy_kings) < 2;
    let even: Vec<Slice> = slices.iter().filter(is_even).copied().collect();
    let mut random = Random::new(u64::from(pieces));
    let mut seen = HashSet::new();
    while seen.len() < count {
        let slices = if seen.len() < count / 2 { &even } else { &slices };
        let all: u64 = slices.iter().map(|s| s.indices(&board)).sum();
        let mut index = random.next() % all;
        for &slice in slices {
            let indices = slice.indices(&board);
            if index < indices {
                let position = position_at(&board, slice, index);
                let quiet = position.filter(|p| !board.can_capture(p) && board.can_move(p));
                if let Some(position) = quiet.filter(|p| seen.insert(p.key())) {
                    println!("{}", board.write_fen(&position));
                }
                break;
            }
            index -= indices;
        }
    }
    Ok(())
}
