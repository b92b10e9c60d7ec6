//! Values encoded to files and decoded back. The tests find quiet positions by the rules of the
//! game, one by one.

use crate::common::*;
use certificate_spec::slice::{SliceHead, Unit, head_length};
use draughtproof_egdb::{Table, decode_slice, encode_slice};
use rayon::prelude::*;

/// Encodes and decodes a table; quiet positions must have its values, and all others count as
/// draws.
fn comes_back(board: &Board, slice: Slice, table: &Table, quiet: &[bool]) {
    let bytes = encode_slice(board, slice, table).concat();
    let back = decode_slice(board, slice, &bytes).unwrap();
    assert_eq!(back.indices(), table.indices());
    for (index, &quiet) in (0..).zip(quiet) {
        let want = if quiet { table.value(index) } else { Value::Draw };
        assert_eq!(back.value(index), want, "{} {slice:?} {index}", board.name());
    }
    // The table's values of other positions are not in the file.
    assert!(encode_slice(board, slice, &back).concat() == bytes, "{slice:?}");
}

fn filled(board: &Board, slice: Slice, value: impl Fn(u64) -> Value) -> Table {
    let mut table = Table::new(slice.indices(board));
    (0..table.indices()).for_each(|index| table.set(index, value(index)));
    table
}

/// A value that depends on the index, of which half are draws.
fn scrambled(index: u64) -> Value {
    let hash = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61;
    [Value::Draw, Value::Draw, Value::Loss, Value::Draw, Value::Win, Value::Win, Value::Draw]
        [(hash % 7) as usize]
}

fn made_up(board: &Board, slice: Slice) {
    let quiet = quiet(board, slice);
    // If all values are wins, the decoded wins are the quiet positions.
    comes_back(board, slice, &filled(board, slice, |_| Value::Win), &quiet);
    comes_back(board, slice, &filled(board, slice, scrambled), &quiet);
}

fn all_slices(database: &Values) {
    let board = database.board();
    Slice::all(board, database.cover()).into_par_iter().for_each(|slice| {
        made_up(board, slice);
        comes_back(board, slice, database.table(slice), &quiet(board, slice));
    });
}

#[test]
fn every_slice_of_6x6_with_six_pieces_comes_back() {
    all_slices(&build(&Board::new(6, 6).unwrap(), &Cover::up_to(6)));
}

#[test]
fn every_slice_of_odd_boards_comes_back() {
    for (rows, columns, pieces) in
        [(3, 3, 4), (4, 2, 4), (5, 5, 5), (4, 8, 4), (8, 4, 4), (7, 7, 3), (6, 8, 3), (8, 8, 3)]
    {
        all_slices(&build(&Board::new(rows, columns).unwrap(), &Cover::up_to(pieces)));
    }
}

#[test]
fn slices_of_large_blocks_come_back() {
    // Slices with blocks of several parts and one column, with rows that are cut into parts, and
    // both.
    let board = Board::new(8, 8).unwrap();
    for slice in [Slice::new(1, 0, 0, 5), Slice::new(0, 5, 1, 0), Slice::new(0, 2, 0, 2)] {
        made_up(&board, slice);
    }
}

#[test]
fn a_table_of_one_value_takes_a_head_only() {
    let board = Board::new(6, 6).unwrap();
    let slice = Slice::new(1, 1, 1, 1);
    for value in [Value::Loss, Value::Draw, Value::Win] {
        let bytes = encode_slice(&board, slice, &filled(&board, slice, |_| value)).concat();
        assert_eq!(head_length(&bytes).unwrap(), bytes.len() as u64);
        let head = SliceHead::decode(&bytes, bytes.len() as u64).unwrap();
        assert_eq!(head.constant, Some(value));
    }
}

#[test]
fn units_without_quiet_positions_are_called_draws() {
    // Blocks have 28 parts each, of 18 rows of 220 positions, except for the last part.
    let (board, slice) = (Board::new(5, 5).unwrap(), Slice::new(1, 3, 1, 4));
    let mut table = filled(&board, slice, |_| Value::Loss);
    let quiet = quiet(&board, slice);
    let first = (0..).zip(&quiet).find(|&(_, &quiet)| quiet).unwrap().0;
    table.set(first, Value::Win);
    comes_back(&board, slice, &table, &quiet);
    let bytes = encode_slice(&board, slice, &table).concat();
    let head = SliceHead::decode(&bytes, bytes.len() as u64).unwrap();
    let parts: Vec<&[bool]> =
        quiet.chunks(495 * 220).flat_map(|block| block.chunks(18 * 220)).collect();
    assert_eq!(parts.len(), 2800);
    let mut none = 0;
    for (unit, (parts, entry)) in parts.chunks(16).zip(&head.units).enumerate().skip(1) {
        let is_quiet = parts.iter().any(|quiet| quiet.contains(&true));
        let value = if is_quiet { Value::Loss } else { Value::Draw };
        assert_eq!(*entry, Unit::Constant(value), "{unit}");
        none += u32::from(value == Value::Draw);
    }
    // In eight blocks both men stand on one square.
    assert!(none >= 8, "{none}");
    assert!(head.units.len() == 175 && matches!(head.units[0], Unit::Coded { .. }));
}

/// The bytes of a file as `SPEC.md` §13 shows them.
fn example(title: &str) -> Vec<u8> {
    let spec = include_str!("../../../../certificate-spec/SPEC.md");
    let dump = spec.split_once(&format!("\n{title} (")).unwrap().1;
    let dump = dump.split("```").nth(1).unwrap();
    let bytes = dump.lines().flat_map(|line| line.split_whitespace().skip(1));
    bytes.map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

#[test]
fn the_example_of_the_specification_is_read() {
    let (board, slice) = (Board::new(3, 3).unwrap(), Slice::new(0, 1, 1, 0));
    let table = decode_slice(&board, slice, &example("0-1-1-0")).unwrap();
    let values: Vec<Value> = (0..12).map(|index| table.value(index)).collect();
    let mut want = vec![Value::Draw; 12];
    (want[0], want[5]) = (Value::Win, Value::Loss);
    assert_eq!(values, want);
}

#[test]
fn damaged_files_are_refused() {
    let board = Board::new(4, 4).unwrap();
    let three = Cover::up_to(3);
    let database = build(&board, &three);
    for slice in Slice::all(&board, &three) {
        let bytes = encode_slice(&board, slice, database.table(slice)).concat();
        let refused = |bytes: &[u8], slice| decode_slice(&board, slice, bytes).is_err();
        assert!((0..bytes.len()).all(|end| refused(&bytes[..end], slice)));
        assert!(refused(&[&bytes[..], &[0]].concat(), slice));
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << bit;
                // The value in a header without units is covered by its checksum as well.
                assert!(refused(&bytes, slice), "{slice:?}: byte {at} bit {bit}");
            }
        }
        let others = Slice::all(&board, &three).into_iter().filter(|&other| other != slice);
        assert!(others.into_iter().all(|other| refused(&bytes, other)), "{slice:?}");
        let other = Board::new(6, 4).unwrap();
        assert!(decode_slice(&other, slice, &bytes).is_err());
    }
}
