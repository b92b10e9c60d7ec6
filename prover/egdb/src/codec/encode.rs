//! Encodes the values of a slice to its file (`SPEC.md` §8.3).

use super::parts::{Cut, Planes, Quiet, Run, Span};
use super::parts::{Parts, Symbols};
use crate::index::slice::Slice;
use crate::values::table::Table;
use certificate_spec::coding::{CONTEXTS, Frequencies, encode};
use certificate_spec::payload::{self, Part};
use certificate_spec::slice::{SliceHead, SliceHeader, UNIT_PARTS, Unit};
use certificate_spec::value::Value;
use draughtproof_game::Board;
use rayon::prelude::*;

/// The number of units in which frequencies are counted, spread over the slice: counting in all of
/// them would take as long as coding and save nothing.
const SAMPLE: u64 = 64;

/// The values of a part, read from a table.
struct TableSymbols<'a, F> {
    table: &'a Table,
    word: (u64, u64),
    see: F,
}

impl<F: FnMut(usize, Value)> Symbols for TableSymbols<'_, F> {
    fn at(&mut self, index: u64) {
        self.word = self.table.word(index);
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

/// The working memory of an encoder.
#[derive(Default)]
struct Scratch {
    quiet: Quiet,
    planes: Planes,
    values: Vec<(u16, Value)>,
}

/// The set of values that quiet positions have.
enum Found {
    None,
    One(Value),
    Several,
}

fn find(parts: &Parts, table: &Table, span: Span, quiet: &Quiet) -> Found {
    let mut seen = [false; 3];
    for Run { place, index, len } in parts.layout.runs(span) {
        for at in (0..len).step_by(64) {
            let quiet = quiet.read((place + at) as usize, len - at);
            if quiet != 0 {
                let (win, loss) = table.word(index + at);
                seen[Value::Win as usize] |= quiet & win != 0;
                seen[Value::Loss as usize] |= quiet & loss != 0;
                seen[Value::Draw as usize] |= quiet & !(win | loss) != 0;
            }
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

/// Goes through the quiet positions of a part if they have several values.
fn walk(
    parts: &Parts,
    table: &Table,
    part: u64,
    Scratch { quiet, planes, .. }: &mut Scratch,
    see: impl FnMut(usize, Value),
) -> Found {
    let span = parts.layout.span(part);
    parts.quiet(span, quiet);
    let found = find(parts, table, span, quiet);
    if let Found::Several = found {
        parts.walk(span, quiet, planes, &mut TableSymbols { table, word: (0, 0), see });
    }
    found
}

fn parts_of(parts: &Parts, unit: u64) -> std::ops::Range<u64> {
    unit * UNIT_PARTS..((unit + 1) * UNIT_PARTS).min(parts.layout.count())
}

fn count_frequencies(parts: &Parts, table: &Table) -> Frequencies {
    let units = parts.layout.count().div_ceil(UNIT_PARTS);
    let step = units.div_ceil(SAMPLE).max(1);
    let sample: Vec<u64> =
        (0..units).step_by(step as usize).flat_map(|unit| parts_of(parts, unit)).collect();
    let counts = sample
        .par_iter()
        .fold(
            || (Scratch::default(), vec![[0u64; 3]; CONTEXTS as usize]),
            |(mut scratch, mut counts), &part| {
                walk(parts, table, part, &mut scratch, |context, value| {
                    counts[context][value as usize] += 1;
                });
                (scratch, counts)
            },
        )
        .map(|(_, counts)| counts)
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

/// The coding of a part or a unit: its value, if all quiet positions have an equal one (`None` if
/// there are no quiet positions), or a code or payload.
enum Coded {
    Constant(Option<Value>),
    Bytes(Vec<u8>),
}

/// The common value of all, if they have no second value.
fn common<'a>(all: impl IntoIterator<Item = &'a Coded>) -> Option<Option<Value>> {
    let mut common = None;
    for coded in all {
        match coded {
            Coded::Bytes(_) => return None,
            Coded::Constant(None) => {}
            Coded::Constant(value) if common.is_none() || common == *value => common = *value,
            Coded::Constant(_) => return None,
        }
    }
    Some(common)
}

fn encode_unit(
    parts: &Parts,
    table: &Table,
    frequencies: &Frequencies,
    unit: u64,
    scratch: &mut Scratch,
) -> Coded {
    let mut values = std::mem::take(&mut scratch.values);
    let coded = parts_of(parts, unit).map(|part| {
        values.clear();
        let see = |context: usize, value| values.push((context as u16, value));
        match walk(parts, table, part, scratch, see) {
            Found::None => Coded::Constant(None),
            Found::One(value) => Coded::Constant(Some(value)),
            Found::Several => Coded::Bytes(encode(frequencies, &values)),
        }
    });
    let coded: Vec<Coded> = coded.collect();
    scratch.values = values;
    if let Some(value) = common(&coded) {
        return Coded::Constant(value);
    }
    let part = |coded| match coded {
        &Coded::Constant(value) => Part::Constant(value.unwrap_or(Value::Draw)),
        Coded::Bytes(code) => Part::Coded(code),
    };
    Coded::Bytes(payload::encode(&coded.iter().map(part).collect::<Vec<_>>()))
}

/// The parts of the file of a slice with these values, in order: the head, and the payloads.
///
/// Only the values of quiet positions matter.
pub fn encode_slice(board: &Board, slice: Slice, table: &Table) -> Vec<Vec<u8>> {
    let parts = Parts::new(board, slice, Cut::PARTS);
    let frequencies = count_frequencies(&parts, table);
    let coded: Vec<Coded> = (0..parts.layout.count().div_ceil(UNIT_PARTS))
        .into_par_iter()
        .map_init(Scratch::default, |scratch, unit| {
            encode_unit(&parts, table, &frequencies, unit, scratch)
        })
        .collect();
    let header = header(board, slice);
    if let Some(value) = common(&coded) {
        // Without any quiet position every value is right.
        let first = value.unwrap_or(Value::Draw);
        let frequencies = Frequencies::default();
        let head = SliceHead { header, constant: Some(first), frequencies, units: Vec::new() };
        return vec![head.encode()];
    }
    let directory = coded.iter().map(|unit| match unit {
        Coded::Constant(value) => Unit::Constant(value.unwrap_or(Value::Draw)),
        // Offsets are not written.
        Coded::Bytes(payload) => Unit::Coded { offset: 0, length: payload.len() as u32 },
    });
    let directory = directory.collect();
    let head = SliceHead { header, constant: None, frequencies, units: directory }.encode();
    let payloads = coded.into_iter().filter_map(|unit| match unit {
        Coded::Constant(_) => None,
        Coded::Bytes(payload) => Some(payload),
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
