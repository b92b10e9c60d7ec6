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
    let mut parts = text.split(':');
    let turn = if parts.next()? == "W" { Side::White } else { Side::Black };
    let white = parse_list(parts.next()?.strip_prefix('W')?)?;
    let black = parse_list(parts.next()?.strip_prefix('B')?)?;
    let kings = white.kings | black.kings;
    let p = Position { black: black.pieces, white: white.pieces, kings, turn };
    // A text with another order, zeros, repetitions, more parts or other letters is not canonical.
    (write(&p) == text).then_some(p)
}

/// The pieces of one side.
#[derive(Default)]
struct Pieces {
    pieces: u32,
    /// The pieces that are kings.
    kings: u32,
}

/// Reads a list of squares.
fn parse_list(list: &str) -> Option<Pieces> {
    let mut all = Pieces::default();
    for item in list.split(',').filter(|_| !list.is_empty()) {
        let number: u32 = item.trim_start_matches('K').parse().ok()?;
        let square = 1u32.checked_shl(number.checked_sub(1)?)?;
        all.pieces |= square;
        all.kings |= if item.starts_with('K') { square } else { 0 };
    }
    Some(all)
}
