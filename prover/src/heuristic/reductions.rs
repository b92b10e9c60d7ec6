//! Late-move reductions: moves that are tried late are first searched less deep.
//!
//! Where the order of moves is good, the first moves are the good ones. A late move that turns out
//! better than expected is searched again to the whole depth. Reductions change what a search finds
//! at a depth, never what it proves. The figures were measured: docs/experiments/061.

/// Searches of less depth reduce nothing.
const LEAST_DEPTH: i32 = 3;
/// The first moves, which are not reduced; one more in a principal variation.
const FIRST_MOVES: usize = 2;

/// By how many moves the search of a quiet move is less deep, at most `depth - 2`; `number` counts
/// the moves that were tried before.
pub(super) fn reduction(depth: i32, number: usize, is_principal: bool) -> i32 {
    if depth < LEAST_DEPTH || number < FIRST_MOVES + usize::from(is_principal) {
        return 0;
    }
    let [depth_log, number_log] =
        [depth as usize, number].map(|x| LOGARITHMS[x.min(LOGARITHMS.len() - 1)]);
    let reduced = 1 + depth_log * number_log * 74 / 65_536 - i32::from(is_principal);
    reduced.clamp(0, depth - 2)
}

/// 16 times the binary logarithm, rounded down.
const LOGARITHMS: [i32; 64] = {
    let mut logarithms = [0; 64];
    let mut x = 1;
    while x < 64 {
        logarithms[x] = (x as u128).pow(16).ilog2() as i32;
        x += 1;
    }
    logarithms
};
