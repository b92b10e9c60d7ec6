//! A database that is consistent and wrong: the reason why the level consistent is not VERIFIED.

use certificate_spec::value::Value;

use crate::draft::edit_slice;
use crate::positions;
use crate::prelude::*;

/// Tables of all slices of a cover in which every value follows from those of the successors, and
/// draws with two pieces against one are called wins and losses that support each other in circles:
/// the largest set of draws with the weaker side to move from which every move leads to one with
/// the stronger side to move that has a move back into the set. Also the number of values that are
/// wrong.
pub fn wrong_tables(rules: &Rules, slices: &[Slice]) -> (Vec<(Slice, Table)>, usize) {
    let board = &rules.board;
    let draws = |own: u32, theirs: u32| -> Vec<WirePosition> {
        let with = slices.iter().filter(|slice| {
            let [a, b, c, d] = slice.name().0.map(u32::from);
            (a + b, c + d) == (own, theirs)
        });
        let positions = with.flat_map(|slice| all(board, *slice)).map(|(_, p)| rules.wire(&p));
        positions.filter(|p| rules.value(p) == Some(Value::Draw)).collect()
    };
    let is_weak = |p: &WirePosition| {
        let (own, theirs) = if p.turn == 0 { (p.black, p.white) } else { (p.white, p.black) };
        (own.count_ones(), theirs.count_ones()) == (1, 2)
    };
    // True while a position may be called a loss (weaker side to move) or a win.
    let mut called: HashMap<WirePosition, bool> = HashMap::new();
    called.extend(draws(1, 2).into_iter().chain(draws(2, 1)).map(|p| (p, true)));
    // Slices have Black to move; a position with White to move is looked up as its twin.
    let black_to_move = |p: &WirePosition| match p.turn {
        0 => *p,
        _ => rules.wire(&rules.read(p).twin(board)),
    };
    loop {
        let holds = |p: &WirePosition| {
            let mut next =
                rules.successors(p).into_iter().map(|y| (rules.value(&y), black_to_move(&y)));
            let called = |y: &WirePosition| called.get(y).copied().unwrap_or(false);
            match is_weak(p) {
                true => next.all(|(value, y)| value == Some(Value::Win) || called(&y)),
                false => next.any(|(_, y)| is_weak(&y) && called(&y)),
            }
        };
        let gone: Vec<WirePosition> =
            called.iter().filter(|(p, may)| **may && !holds(p)).map(|(p, _)| *p).collect();
        if gone.is_empty() {
            break;
        }
        called.extend(gone.into_iter().map(|p| (p, false)));
    }
    let wrong = called.values().filter(|may| **may).count();
    let table = |slice: &Slice| {
        let mut table = Table::new(slice.indices(board));
        for (index, p) in all(board, *slice) {
            let p = rules.wire(&p);
            let value = match called.get(&p) {
                Some(true) if is_weak(&p) => Value::Loss,
                Some(true) => Value::Win,
                _ => rules.value(&p).expect("a position of the database"),
            };
            table.set(index, value);
        }
        (*slice, table)
    };
    (slices.iter().map(table).collect(), wrong)
}

/// Puts such values into a database of 3 pieces; returns the number of wrong values.
pub fn spoil(directory: &Path, board: &Board) -> usize {
    let slices = Slice::all(board, &Cover::up_to(3));
    let (tables, wrong) = wrong_tables(&Rules::new(positions::database(board, 3)), &slices);
    for (slice, table) in tables {
        edit_slice(directory, slice.name(), |bytes| {
            *bytes = encode_slice(board, slice, &table).concat();
        });
    }
    wrong
}

/// The positions of a slice, by index.
fn all(
    board: &Board,
    slice: Slice,
) -> impl Iterator<Item = (u64, draughtproof_game::Position)> + '_ {
    (0..slice.indices(board)).filter_map(move |i| Some((i, position_at(board, slice, i)?)))
}
