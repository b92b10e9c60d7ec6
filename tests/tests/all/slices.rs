//! Slice files of the prover, compared with the text of the specification.

use certificate_spec::coding::encode;
use certificate_spec::payload::{self, Part};
use certificate_spec::slice::Unit;
use draughtproof_egdb::{Builder, Value};
use tests::prelude::*;
use tests::slice_file::{SliceFile, code_that_ends_with, contexts};

/// Checks that every coded part has the contexts and values of the specification.
fn by_the_book(board: &Board, slice: Slice, table: &Table) {
    let bytes = encode_slice(board, slice, table).concat();
    let file = SliceFile::read(&bytes);
    assert_eq!(file.bytes(), bytes);
    let units = contexts(board, slice, table);
    let name = format!("{} {slice:?}", board.name());
    if let Some(value) = file.head.constant {
        assert!(units.iter().flatten().flatten().all(|(_, v)| *v == value), "{name}");
        return;
    }
    assert_eq!(file.head.units.len(), units.len(), "{name}");
    for ((unit, payload), parts) in file.head.units.iter().zip(&file.payloads).zip(&units) {
        let found = match *unit {
            Unit::Constant(value) => vec![Part::Constant(value); parts.len()],
            Unit::Coded { .. } => payload::read(payload, parts.len()).expect("a payload"),
        };
        for (part, values) in found.into_iter().zip(parts) {
            match part {
                Part::Constant(value) => {
                    assert!(values.iter().all(|(_, v)| *v == value), "{name}");
                }
                Part::Coded(code) => {
                    assert_eq!(code, encode(&file.head.frequencies, values), "{name}");
                    let by_hand = code_that_ends_with(1, &file.head.frequencies, values);
                    assert_eq!(code, by_hand, "{name}");
                }
            }
        }
    }
}

fn random(board: &Board, slice: Slice) -> Table {
    let mut table = Table::new(slice.indices(board));
    let mut state = 1u64;
    for index in 0..table.indices() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let value = Value::from_number(u32::try_from(state >> 62).unwrap());
        table.set(index, value.unwrap_or(Value::Draw));
    }
    table
}

#[test]
fn parts_match_the_specification() {
    for (rows, columns, pieces) in
        [(3, 3, 4), (4, 4, 5), (5, 5, 4), (8, 2, 4), (4, 6, 4), (6, 6, 4)]
    {
        let board = Board::new(rows, columns).unwrap();
        let cover = Cover::up_to(pieces);
        let mut builder = Builder::new(&board, &cover);
        for n in 2..=pieces {
            Builder::pairs(&board, &cover, n).into_iter().for_each(|slice| builder.solve(slice));
        }
        for slice in Slice::all(&board, &cover) {
            by_the_book(&board, slice, builder.table(slice));
            by_the_book(&board, slice, &random(&board, slice));
        }
    }
}

#[test]
fn part_shapes_match_the_specification() {
    // Parts within one block, and parts of rows whose last part is narrower.
    for (rows, columns, slice) in [
        (6, 8, [0, 2, 0, 2]),
        (5, 5, [0, 3, 1, 5]),
        (6, 6, [0, 3, 0, 3]),
        (6, 6, [1, 3, 0, 1]),
        (5, 5, [1, 5, 1, 2]),
    ] {
        let board = Board::new(rows, columns).unwrap();
        let [a, b, c, d] = slice;
        let slice = Slice::new(a, b, c, d);
        by_the_book(&board, slice, &random(&board, slice));
    }
}

#[test]
fn other_frequencies_are_read() {
    let board = Board::new(6, 6).unwrap();
    let slice = Slice::new(1, 1, 1, 1);
    let table = random(&board, slice);
    let bytes = encode_slice(&board, slice, &table).concat();
    let mut file = SliceFile::read(&bytes);
    file.recode(&contexts(&board, slice, &table), Default::default());
    let other = file.bytes();
    assert_ne!(bytes, other);
    assert!(
        decode_slice(&board, slice, &bytes).unwrap()
            == decode_slice(&board, slice, &other).unwrap()
    );
}
