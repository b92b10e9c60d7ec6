//! Positions by index, directly from `SPEC.md` §8.2, and databases for comparison.

pub(crate) use draughtproof_egdb::{
    BuildError, BuildSession, Builder, Cover, Database, Mode, Slice, Store, Value, Values, extend,
    position_at,
};
pub(crate) use draughtproof_game::{Board, Position, Side};
pub(crate) use std::fs;
pub(crate) use std::path::Path;

/// The sets of `k` of `n` squares, ascending, which is the order of their ranks.
fn sets(n: u8, k: u8) -> Vec<u32> {
    let mut found = Vec::new();
    choose(n, k, 0, &mut found);
    found
}

/// The highest square is chosen first, so that numbers ascend.
fn choose(n: u8, k: u8, set: u32, found: &mut Vec<u32>) {
    if k == 0 {
        found.push(set);
    } else if k <= n {
        choose(n - 1, k, set, found);
        choose(n - 1, k - 1, set | 1 << (n - 1), found);
    }
}

/// Calls `see` for each index of a slice, in order, with its position, if there is one.
pub fn each_index(board: &Board, slice: Slice, mut see: impl FnMut(u64, Option<Position>)) {
    let on_board =
        |n, k| -> Vec<u64> { sets(n, k).into_iter().map(|set| board.from_dense(set)).collect() };
    let (most, all) = (board.man_squares(), board.squares());
    let turned = |sets: Vec<u64>| -> Vec<u64> { sets.iter().map(|&s| board.turn(s)).collect() };
    let (men, kings) = (on_board(most, slice.men), on_board(all, slice.kings));
    let enemy_men = turned(on_board(most, slice.enemy_men));
    let enemy_kings = turned(on_board(all, slice.enemy_kings));
    let mut index = 0;
    for a in &men {
        for c in &enemy_men {
            for d in &enemy_kings {
                for b in &kings {
                    let together = a | b | c | d;
                    let position =
                        Position { black: a | b, white: c | d, kings: b | d, turn: Side::Black };
                    let pieces = u32::from(slice.pieces());
                    see(index, (together.count_ones() == pieces).then_some(position));
                    index += 1;
                }
            }
        }
    }
    assert_eq!(index, slice.indices(board));
}

/// For each index of a slice, whether its position is quiet.
pub fn quiet(board: &Board, slice: Slice) -> Vec<bool> {
    let mut quiet = Vec::new();
    each_index(board, slice, |_, p| quiet.push(p.is_some_and(|p| !board.can_capture(&p))));
    quiet
}

/// A database built in memory.
pub fn build(board: &Board, cover: &Cover) -> Values {
    let mut builder = Builder::new(board, cover);
    for n in 2..=cover.most_pieces() {
        Builder::pairs(board, cover, n).into_iter().for_each(|slice| builder.solve(slice));
    }
    builder.finish()
}

pub fn cover(text: &str) -> Cover {
    Cover::parse(text).unwrap()
}
