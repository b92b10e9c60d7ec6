//! Compares ways to compress slices: bytes, and positions decoded a second by one thread.
//!
//! ```sh
//! cargo run --release -p draughtproof-egdb --example compare_codes -- egdb 8x8 1-2-1-2 2-1-2-1
//! ```
//!
//! All codes except that of slice files, which has parts of 4,096, get units of 65,536 indices that
//! are decoded independently. Where the side to move can capture the value does not matter, and the
//! codes that must write a value repeat the one before.

use std::error::Error;
use std::time::Instant;

use certificate_spec::database::SliceName;
use draughtproof_egdb::{Slice, Table, decode_slice, position_at};
use draughtproof_game::{Board, Game};

/// The number of indices of a unit.
const UNIT: usize = 65536;

/// A slice's values by number (0 loss, 1 draw, 2 win); those that do not matter are filled in.
fn filled(board: &Board, slice: Slice, table: &Table) -> Vec<u8> {
    let mut last = 1;
    (0..table.indices())
        .map(|index| {
            let position = position_at(board, slice, index);
            if position.is_some_and(|p| !board.can_capture(&p)) {
                last = table.value(index) as u8;
            }
            last
        })
        .collect()
}

/// The values of a unit in bytes, `each` values to a byte.
fn packed(unit: &[u8], base: u8, each: usize) -> Vec<u8> {
    let pack = |values: &[u8]| values.iter().rev().fold(0u8, |byte, value| byte * base + value);
    unit.chunks(each).map(pack).collect()
}

fn unpacked(bytes: &[u8], base: u8, each: usize) -> Vec<u8> {
    let digits = |&byte: &u8| {
        let mut left = byte;
        (0..each).map(move |_| {
            let digit = left % base;
            left /= base;
            digit
        })
    };
    bytes.iter().flat_map(digits).collect()
}

/// A byte for each run: the value, and a length of up to 85.
fn runs(unit: &[u8]) -> Vec<u8> {
    let chunks = unit.chunk_by(|a, b| a == b).flat_map(|run| run.chunks(85));
    chunks.map(|run| run[0] * 85 + u8::try_from(run.len() - 1).unwrap_or(84)).collect()
}

fn from_runs(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|b| std::iter::repeat_n(b / 85, usize::from(b % 85) + 1)).collect()
}

/// Compresses units with zstd, and prints the result.
fn with_zstd(
    name: &str,
    values: &[u8],
    encode: impl Fn(&[u8]) -> Vec<u8>,
    decode: impl Fn(&[u8]) -> Vec<u8>,
) -> Result<(), Box<dyn Error>> {
    for level in [3, 19] {
        let units: Vec<Vec<u8>> = values
            .chunks(UNIT)
            .map(|unit| zstd::bulk::compress(&encode(unit), level))
            .collect::<Result<_, _>>()?;
        let bytes: usize = units.iter().map(Vec::len).sum();
        let start = Instant::now();
        for (unit, expected) in units.iter().zip(values.chunks(UNIT)) {
            let decoded = decode(&zstd::bulk::decompress(unit, 2 * UNIT)?);
            assert!(decoded[..expected.len()] == *expected, "{name} lost something");
        }
        report(&format!("{name}, zstd -{level}"), bytes, values.len(), start);
    }
    Ok(())
}

fn report(name: &str, bytes: usize, values: usize, start: Instant) {
    let rate = values as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("  {name:<28}{bytes:>12} bytes{rate:>10.1} M/s");
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(directory), Some(game)) = (arguments.next(), arguments.next()) else {
        return Err("usage: compare_codes DIRECTORY RxC SLICE...".into());
    };
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let board = game.parse::<Game>()?.board;
    for name in arguments {
        let counts: Result<Vec<u8>, _> = name.split('-').map(str::parse).collect();
        let counts: [u8; 4] = counts?.try_into().map_err(|_| "a slice is a-b-c-d")?;
        let slice = Slice::from(SliceName(counts));
        let path = format!("{directory}/{}/{name}", board.name());
        let file = std::fs::read(&path)?;
        let table = decode_slice(&board, slice, &file)?;
        let values = filled(&board, slice, &table);
        println!("{name}: {} indices", values.len());
        with_zstd("2 bits", &values, |unit| packed(unit, 4, 4), |b| unpacked(b, 4, 4))?;
        with_zstd("base 3", &values, |unit| packed(unit, 3, 5), |b| unpacked(b, 3, 5))?;
        with_zstd("runs", &values, runs, from_runs)?;
        let start = Instant::now();
        decode_slice(&board, slice, &file)?;
        report("neighbours, contexts, rANS", file.len(), values.len(), start);
    }
    Ok(())
}
