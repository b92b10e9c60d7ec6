//! Late-move reductions: moves that are tried late are first searched less deep.
//!
//! With a good move ordering the first moves are the good ones. A late move whose score is better
//! than expected is searched again to the whole depth. Reductions change what a search finds at a
//! depth, never what it proves. The figures were measured: docs/experiments/061.

/// The least remaining depth at which moves are reduced.
const LEAST_DEPTH: i32 = 3;
/// The number of first moves that are not reduced; one more in a principal variation.
const FIRST_MOVES: usize = 2;

/// Returns the reduction of the depth for a quiet move, in moves, at most `depth - 2`; `number` is
/// the number of moves that were tried before.
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
