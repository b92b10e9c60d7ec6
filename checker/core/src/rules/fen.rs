//! Positions as text: the canonical FEN of `SPEC.md` §1.3.
//!
//! Trusts: nothing. [`parse`] accepts exactly what [`write`] writes: it reads the squares and then
//! compares the text with the canonical one. Whether the position is possible is not judged here.

use super::board::{Position, Side, bits_in};

/// The canonical FEN of a position.
pub fn write(p: &Position) -> String {
    let list = |pieces: u32| {
        let square = |n: usize| {
            let king = if p.kings >> n & 1 == 1 { "K" } else { "" };
            format!("{king}{}", n + 1)
        };
        bits_in(pieces).map(square).collect::<Vec<_>>().join(",")
    };
    let turn = if p.turn == Side::White { 'W' } else { 'B' };
    format!("{turn}:W{}:B{}", list(p.white), list(p.black))
}

/// Reads a canonical FEN with squares 1…32.
pub fn parse(text: &str) -> Option<Position> {
    let (turn, lists) = text.split_once(":W")?;
    let (white, black) = lists.split_once(":B")?;
    let turn = if turn == "W" { Side::White } else { Side::Black };
    let mut p = Position { black: 0, white: 0, kings: 0, turn };
    for (list, pieces) in [(white, &mut p.white), (black, &mut p.black)] {
        for item in list.split(',').filter(|_| !list.is_empty()) {
            let number: u32 = item.trim_start_matches('K').parse().ok()?;
            let square = 1u32.checked_shl(number.checked_sub(1)?)?;
            *pieces |= square;
            p.kings |= if item.starts_with('K') { square } else { 0 };
        }
    }
    // A text with another order, zeros, repetitions, more parts or other letters is not canonical.
    (write(&p) == text).then_some(p)
}
