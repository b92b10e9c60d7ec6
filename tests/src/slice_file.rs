//! Slice files taken apart and put together again, and their code as `SPEC.md` §8.3 words it. The
//! implementation is slow and shares no code with the prover's.

use crate::prelude::*;
use certificate_spec::coding::{TOTAL, encode};
use certificate_spec::payload::{self, Part};
use certificate_spec::slice::{SliceHead, SliceHeader, Unit};
use certificate_spec::value::{Value, checksum};
use checker_core::Shape;

use crate::database_files::{self, PartValues, is_quiet, units};
use crate::encoding::{SliceStart, varint};

/// A slice file, taken apart.
#[derive(Debug, Clone)]
pub struct SliceFile {
    pub head: SliceHead,
    /// The payload of each unit, empty where there is none.
    pub payloads: Vec<Vec<u8>>,
}

impl SliceFile {
    /// Reads a file with a right head.
    pub fn read(bytes: &[u8]) -> Self {
        let head = SliceHead::decode(bytes, bytes.len() as u64).expect("a head");
        let payload = |unit: &Unit| match *unit {
            Unit::Constant(_) => Vec::new(),
            Unit::Coded { offset, length } => {
                let offset = usize::try_from(offset).expect("small");
                bytes[offset..][..length as usize].to_vec()
            }
        };
        SliceFile { payloads: head.units.iter().map(payload).collect(), head }
    }

    /// The bytes of the file, with the lengths of the payloads in the directory.
    pub fn bytes(&self) -> Vec<u8> {
        let mut head = self.head.clone();
        for (unit, payload) in head.units.iter_mut().zip(&self.payloads) {
            if let Unit::Coded { length, .. } = unit {
                *length = payload.len().try_into().expect("small");
            }
        }
        [head.encode(), self.payloads.concat()].concat()
    }

    /// The offset of the directory entry of a unit.
    pub fn entry(&self, unit: usize) -> usize {
        self.head.contexts_offset() + 6 * self.head.frequencies.described().len() + 4 * unit
    }

    /// The offset of the payload of a unit.
    pub fn payload(&self, unit: usize) -> usize {
        let before: usize = self.payloads[..unit].iter().map(Vec::len).sum();
        self.entry(self.payloads.len()) + before
    }

    /// Changes the bytes after the checksum in the payload of a unit; the checksum is made right
    /// afterwards.
    pub fn edit_payload(&mut self, unit: usize, edit: impl FnOnce(&mut Vec<u8>)) {
        let payload = &mut self.payloads[unit];
        let mut rest = payload.split_off(8);
        edit(&mut rest);
        *payload = [&checksum(&rest)[..], &rest].concat();
    }

    /// Changes the last code of a unit; the number of its words and the checksum are made right
    /// afterwards.
    pub fn edit_code(&mut self, unit: usize, edit: impl FnOnce(&mut Vec<u8>)) {
        let parts = self.parts(unit);
        self.edit_payload(unit, |rest| {
            // A number of two bytes begins with a byte of 128 or more.
            let (mut at, mut last) = (0, None);
            for _ in 0..parts {
                let length = if rest[at] < 128 { 1 } else { 2 };
                let high = if length == 2 { usize::from(rest[at + 1]) } else { 0 };
                let number = usize::from(rest[at] % 128) + 128 * high;
                if number > 2 {
                    last = Some((at..at + length, 2 * (number - 2)));
                }
                at += length;
            }
            let (place, length) = last.expect("a code");
            let mut code = rest.split_off(rest.len() - length);
            edit(&mut code);
            let number = u64::try_from(code.len() / 2 + 2).expect("small");
            rest.splice(place, varint(number));
            rest.extend(code);
        });
    }

    fn parts(&self, unit: usize) -> usize {
        let SliceHeader { rows, columns, name, .. } = self.head.header;
        units(&checker_core::Board::new(rows, columns).expect("a board"), name)[unit].len()
    }

    /// Encodes the parts that have a code again, with these frequencies.
    pub fn recode(&mut self, units: &[Vec<PartValues>], frequencies: Frequencies) {
        for (payload, values) in self.payloads.iter_mut().zip(units) {
            if !payload.is_empty() {
                let parts = payload::read(payload, values.len()).expect("a payload");
                let codes: Vec<_> =
                    values.iter().map(|values| encode(&frequencies, values)).collect();
                let recoded = parts.iter().zip(&codes).map(|(part, code)| match part {
                    Part::Constant(value) => Part::Constant(*value),
                    Part::Coded(_) => Part::Coded(code),
                });
                *payload = payload::encode(&recoded.collect::<Vec<_>>());
            }
        }
        self.head.frequencies = frequencies;
    }
}

/// The number of bytes of the checksum of a head.
pub const HEAD_CHECKSUM: usize = 24;

/// Changes the fields at the beginning of a file; the checksum is not corrected.
pub fn edit_start(bytes: &mut Vec<u8>, edit: impl FnOnce(&mut SliceStart)) {
    let (mut start, end) = SliceStart::read(bytes).expect("the start of a slice");
    edit(&mut start);
    bytes.splice(HEAD..end, start.bytes());
}

/// The code of values at whose end the decoder's state is `end`.
pub fn code_that_ends_with(
    end: u32,
    frequencies: &Frequencies,
    values: &[(u16, Value)],
) -> Vec<u8> {
    let described = frequencies.described();
    let (mut x, mut words) = (end, Vec::new());
    for &(context, value) in values.iter().rev() {
        let found = described.iter().find(|(number, _)| *number == context);
        let [loss, win] = found.map_or([5461, 5461], |(_, frequencies)| frequencies.map(u32::from));
        let draw = TOTAL - loss - win;
        let (f, s) = match value {
            Value::Loss => (loss, 0),
            Value::Draw => (draw, loss),
            Value::Win => (win, loss + draw),
        };
        // The decoder's state must stay below 2³².
        if u64::from(x / f) * u64::from(TOTAL) + u64::from(x % f + s) >= 1 << 32 {
            words.push(x.to_le_bytes());
            x >>= 16;
        }
        x = x / f * TOTAL + x % f + s;
    }
    let words = words.iter().rev().flat_map(|word| [word[0], word[1]]);
    let high = (x >> 16 != 0).then_some([x.to_le_bytes()[2], x.to_le_bytes()[3]]);
    let low = [x.to_le_bytes()[0], x.to_le_bytes()[1]];
    high.into_iter().flatten().chain(low).chain(words).collect()
}

/// The board and the shape of a slice, as the checker has them.
fn shape(board: &Board, slice: Slice) -> (checker_core::Board, Shape) {
    let board = checker_core::Board::new(board.rows(), board.columns()).expect("a board");
    let shape = Shape::new(&board, slice.name());
    (board, shape)
}

/// For each index of a slice, whether its position is quiet.
pub fn quiet(board: &Board, slice: Slice) -> Vec<bool> {
    let (board, shape) = shape(board, slice);
    (0..shape.indices).map(|index| is_quiet(&board, &shape, index)).collect()
}

/// The contexts and values of the quiet positions of each part of each unit, in order.
pub fn contexts(board: &Board, slice: Slice, table: &Table) -> Vec<Vec<PartValues>> {
    let quiet = (0..).zip(quiet(board, slice));
    let values: Vec<_> = quiet.map(|(i, quiet)| quiet.then(|| table.value(i))).collect();
    let (board, shape) = shape(board, slice);
    database_files::contexts(&board, &shape, &values)
}
