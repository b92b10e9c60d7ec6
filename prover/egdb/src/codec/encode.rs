//! From the values of a slice to its file (`SPEC.md` §8.3).

use certificate_spec::coding::{CONTEXTS, Frequencies, encode};
use certificate_spec::slice::{SliceHead, SliceHeader, Unit, Value};
use rayon::prelude::*;

use super::units::{Planes, Quiet, Span, Symbols, Units};
use crate::index::slice::Slice;
use crate::values::table::Table;
use draughtproof_game::Board;

/// Frequencies are counted in so many units, spread over the slice: counting in all of them would take
/// as long as coding and save nothing.
const SAMPLE: u64 = 64;

/// The values of a unit as they stand in a table.
struct Given<'a, F> {
    table: &'a Table,
    index: u64,
    word: (u64, u64),
    see: F,
}

impl<F: FnMut(usize, Value)> Symbols for Given<'_, F> {
    fn at(&mut self, place: usize) {
        self.word = self.table.word(self.index + place as u64);
    }

    #[inline]
    fn next(&mut self, context: usize, bit: u32) -> Value {
        let value = match (self.word.0 >> bit & 1, self.word.1 >> bit & 1) {
            (0, 0) => Value::Draw,
            (0, _) => Value::Loss,
            _ => Value::Win,
        };
        (self.see)(context, value);
        value
    }
}

/// Working memory.
#[derive(Default)]
struct Scratch {
    quiet: Quiet,
    planes: Planes,
    values: Vec<(u16, Value)>,
}

/// The values that quiet positions have.
enum Found {
    None,
    One(Value),
    Several,
}

fn find(table: &Table, span: Span, quiet: &Quiet) -> Found {
    let mut seen = [false; 3];
    for (&quiet, at) in quiet.words().iter().zip((span.index..).step_by(64)) {
        if quiet != 0 {
            let (win, loss) = table.word(at);
            seen[Value::Win as usize] |= quiet & win != 0;
            seen[Value::Loss as usize] |= quiet & loss != 0;
            seen[Value::Draw as usize] |= quiet & !(win | loss) != 0;
        }
    }
    match seen {
        [false, false, false] => Found::None,
        [true, false, false] => Found::One(Value::Loss),
        [false, true, false] => Found::One(Value::Draw),
        [false, false, true] => Found::One(Value::Win),
        _ => Found::Several,
    }
}

fn count_frequencies(units: &Units, table: &Table) -> Frequencies {
    let count = units.count();
    let step = count.div_ceil(SAMPLE).max(1);
    let sample: Vec<u64> = (0..count).step_by(step as usize).collect();
    let counts = sample
        .par_iter()
        .map_init(Scratch::default, |Scratch { quiet, planes, .. }, &unit| {
            let span = units.span(unit);
            let mut counts = vec![[0u64; 3]; CONTEXTS as usize];
            units.quiet(span, quiet);
            if let Found::Several = find(table, span, quiet) {
                let see = |context: usize, value| counts[context][value as usize] += 1;
                let mut given = Given { table, index: span.index, word: (0, 0), see };
                units.walk(span, quiet, planes, &mut given);
            }
            counts
        })
        .reduce(
            || vec![[0; 3]; CONTEXTS as usize],
            |mut sum, counts| {
                let pairs = sum.iter_mut().flatten().zip(counts.iter().flatten());
                pairs.for_each(|(sum, count)| *sum += count);
                sum
            },
        );
    let mut frequencies = Frequencies::default();
    for (context, counts) in counts.into_iter().enumerate() {
        frequencies.describe_counts(context as u16, counts);
    }
    frequencies
}

/// A unit in the file: its value, if all quiet positions have the same (or none if there are none), or
/// a payload.
enum Coded {
    Constant(Option<Value>),
    Payload(Vec<u8>),
}

/// The parts of the file of a slice with these values, in order: the head, and the payloads.
///
/// Only the values of quiet positions matter.
pub fn encode_slice(board: &Board, slice: Slice, table: &Table) -> Vec<Vec<u8>> {
    let units = Units::new(board, slice);
    let frequencies = count_frequencies(&units, table);
    let coded: Vec<Coded> = (0..units.count())
        .into_par_iter()
        .map_init(Scratch::default, |Scratch { quiet, planes, values }, unit| {
            let span = units.span(unit);
            units.quiet(span, quiet);
            match find(table, span, quiet) {
                Found::None => return Coded::Constant(None),
                Found::One(value) => return Coded::Constant(Some(value)),
                Found::Several => {}
            }
            values.clear();
            let see = |context: usize, value| values.push((context as u16, value));
            let mut given = Given { table, index: span.index, word: (0, 0), see };
            units.walk(span, quiet, planes, &mut given);
            Coded::Payload(encode(&frequencies, values))
        })
        .collect();
    let header = header(board, slice);
    // With no quiet position at all, any value is right.
    let mut values = coded.iter().filter_map(|unit| match unit {
        Coded::Constant(value) => *value,
        Coded::Payload(_) => None,
    });
    let first = values.next().unwrap_or(Value::Draw);
    let is_first =
        |unit: &Coded| matches!(unit, Coded::Constant(v) if v.is_none_or(|v| v == first));
    if coded.iter().all(is_first) {
        let frequencies = Frequencies::default();
        let head = SliceHead { header, constant: Some(first), frequencies, units: Vec::new() };
        return vec![head.encode()];
    }
    let directory = coded.iter().map(|unit| match unit {
        Coded::Constant(value) => Unit::Constant(value.unwrap_or(Value::Draw)),
        // Offsets are not written.
        Coded::Payload(payload) => Unit::Coded { offset: 0, length: payload.len() as u32 },
    });
    let directory = directory.collect();
    let head = SliceHead { header, constant: None, frequencies, units: directory }.encode();
    let payloads = coded.into_iter().filter_map(|unit| match unit {
        Coded::Constant(_) => None,
        Coded::Payload(payload) => Some(payload),
    });
    std::iter::once(head).chain(payloads).collect()
}

/// The header that the file of a slice begins with.
pub(crate) fn header(board: &Board, slice: Slice) -> SliceHeader {
    SliceHeader {
        name: slice.name(),
        rows: board.rows(),
        columns: board.columns(),
        indices: slice.indices(board),
    }
}
