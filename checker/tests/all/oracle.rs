//! Databases against a plain oracle, position by position, and against known totals.

use crate::common::*;
use checker_core::Bits;

fn compare(name: &str, pieces: u8) {
    let b = board(name);
    let oracle = Oracle::new(&b, pieces.into());
    let values = database(&b, pieces);
    let mut counts = [0u64; 3];
    for (p, (value, _)) in &oracle.0 {
        assert_eq!(values.value(p), Some(*value), "{name} {}", checker_core::write_fen(p));
        counts[*value as usize] += u64::from(p.turn == Side::Black);
    }
    // No other index has a value: the bits set are as many as the wins and losses.
    let (mut win, mut loss) = (0, 0);
    for table in values.tables() {
        for i in (0..table.shape.indices).step_by(64) {
            let bits = table.read(i);
            assert_eq!(bits.win & bits.loss, 0);
            win += u64::from(bits.win.count_ones());
            loss += u64::from(bits.loss.count_ones());
        }
    }
    assert_eq!([win, loss], [counts[Value::Win as usize], counts[Value::Loss as usize]], "{name}");
}

#[test]
fn small_boards_with_many_pieces() {
    compare("3x3", 4);
    compare("4x2", 4);
    compare("3x5", 6);
    compare("4x4", 6);
}

#[test]
fn larger_boards_with_few_pieces() {
    compare("4x6", 4);
    compare("6x4", 4);
    compare("5x5", 4);
    compare("5x3", 5);
    compare("7x3", 4);
    compare("3x7", 4);
    compare("8x2", 5);
    compare("6x6", 3);
}

#[test]
fn the_index_numbers_the_positions() {
    let b = board("4x4");
    let values = database(&b, 4);
    let mut count = 0;
    for table in values.tables() {
        for index in 0..table.shape.indices {
            count += usize::from(table.shape.position(&b, index).is_some());
        }
        assert_eq!(table.shape.position(&b, table.shape.indices), None);
    }
    let black = all_positions(&b, 4).iter().filter(|p| p.turn == Side::Black).count();
    assert_eq!(count, black);
}

fn positions(board: &Board, pieces: u32) -> u64 {
    // Computed by counting, not by listing: a black men, b black kings, and so on.
    let values = database(board, pieces.try_into().unwrap());
    let tables = values.tables().into_iter().filter(|t| t.shape.slice.pieces() == pieces);
    let count = |t: &checker_core::Table| {
        (0..t.shape.indices).filter(|&i| t.shape.position(board, i).is_some()).count() as u64
    };
    tables.map(count).sum()
}

#[test]
fn numbers_of_positions() {
    assert_eq!([2, 3, 4].map(|n| positions(&board("6x6"), n)), [1029, 30126, 481_755]);
    assert_eq!([2, 3, 4].map(|n| positions(&board("8x8"), n)), [3488, 196_032, 6_209_316]);
}

#[test]
fn totals_8x8() {
    let values = database(&board("8x8"), 4);
    let mut totals = [(0u64, 0u64); 5];
    for table in values.tables() {
        let total = &mut totals[table.shape.slice.pieces() as usize];
        for i in (0..table.shape.indices).step_by(64) {
            let Bits { win, loss } = table.read(i);
            total.0 += u64::from(win.count_ones());
            total.1 += u64::from(loss.count_ones());
        }
    }
    assert_eq!(totals[2..], [(716, 402), (100_250, 87_305), (2_574_304, 1_917_090)]);
}

#[test]
fn positions_outside_the_database_have_no_value() {
    let b = board("4x4");
    let values = database(&b, 3);
    for text in ["B:W:B1", "B:W5,6:B1,2", "B:W1:B5", "B:W5:B7", "B:W5:B5", "B:W20:B1"] {
        let p: Position = fen(text);
        assert_eq!(values.value(&p), None, "{text}");
    }
}
