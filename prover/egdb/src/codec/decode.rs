//! Decodes the file of a slice to the values of its quiet positions (`SPEC.md` §8.3).

use super::encode::header;
use super::parts::{Cut, Layout, Planes, Quiet, Run, read};
use super::parts::{Parts, Symbols};
use crate::index::slice::Slice;
use crate::values::table::Table;
use certificate_spec::coding::Decoder;
use certificate_spec::payload::{self, Part};
use certificate_spec::slice::{SliceHead, UNIT_PARTS, Unit};
use certificate_spec::value::{CHECKSUM, Value, checksum};
use certificate_spec::{WireError, wire};
use draughtproof_game::Board;
use rayon::prelude::*;

/// The values of the quiet positions of a slice from the bytes of its file; all other positions
/// count as draws.
///
/// # Errors
/// [`WireError`] with the offset of the first fault.
pub fn decode_slice(board: &Board, slice: Slice, bytes: &[u8]) -> Result<Table, WireError> {
    let decoder = SliceDecoder::new(board, slice, bytes, bytes.len() as u64)?;
    decoder.decode_all(bytes).map_err(|unit| {
        let offset = match decoder.unit(unit) {
            Unit::Coded { offset, .. } => offset,
            Unit::Constant(_) => 0,
        };
        WireError::syntax(offset, format!("the payload of unit {unit}"), "other bytes")
    })
}

/// The decoder of the parts of a slice.
pub(crate) struct SliceDecoder {
    parts: Parts,
    head: SliceHead,
}

/// The working memory of a decoder.
#[derive(Default)]
pub(crate) struct Scratch {
    quiet: Quiet,
    planes: Planes,
    /// The win words of the part that was decoded last.
    pub(crate) win: Vec<u64>,
    /// The loss words of that part.
    pub(crate) loss: Vec<u64>,
}

/// The values of a part as its code gives them.
struct CodeSymbols<'a>(Decoder<'a>);

impl Symbols for CodeSymbols<'_> {
    fn at(&mut self, _: u64) {}

    #[inline]
    fn next(&mut self, context: usize, _: u32) -> Value {
        self.0.next(context)
    }
}

impl SliceDecoder {
    /// The decoder of a slice from the head of its file, which has `length` bytes.
    ///
    /// # Errors
    /// [`WireError`] when this is not the head of such a file.
    pub(crate) fn new(
        board: &Board,
        slice: Slice,
        bytes: &[u8],
        length: u64,
    ) -> Result<Self, WireError> {
        let head = SliceHead::decode(bytes, length)?;
        let expected = header(board, slice);
        if head.header != expected {
            let [expected, found] = [expected, head.header].map(|header| format!("{header:?}"));
            return Err(WireError::syntax(wire::HEAD as u64, expected, found));
        }
        let parts = Parts::new(board, slice, Cut::PARTS);
        let expected = parts.layout.count().div_ceil(UNIT_PARTS);
        let found = head.units.len() as u64;
        if head.constant.is_none() && expected != found {
            let found = format!("{found} units");
            let offset = wire::HEAD as u64;
            return Err(WireError::syntax(offset, format!("{expected} units"), found));
        }
        Ok(SliceDecoder { parts, head })
    }

    /// The division of the slice into parts.
    pub(crate) fn layout(&self) -> &Layout {
        &self.parts.layout
    }

    pub(crate) fn units(&self) -> u64 {
        self.layout().count().div_ceil(UNIT_PARTS)
    }

    /// The coding of a unit.
    pub(crate) fn unit(&self, unit: u64) -> Unit {
        self.head.constant.map_or_else(|| self.head.units[unit as usize], Unit::Constant)
    }

    /// The parts of a unit with the coding of each; `payload` is read if the unit has one. `None`
    /// if the payload is damaged.
    pub(crate) fn parts<'a>(
        &self,
        unit: u64,
        payload: &'a [u8],
    ) -> Option<impl Iterator<Item = (u64, Part<'a>)> + use<'a>> {
        let first = unit * UNIT_PARTS;
        let count = UNIT_PARTS.min(self.layout().count() - first) as usize;
        let parts = match self.unit(unit) {
            Unit::Constant(value) => vec![Part::Constant(value); count],
            Unit::Coded { .. } => payload::read(payload, count)?,
        };
        Some((first..).zip(parts))
    }

    /// Decodes the rows of a part that begin before a place into the working memory. Returns
    /// whether the code is valid; damage of the code is noticed only at the end of the part.
    pub(crate) fn decode(
        &self,
        number: u64,
        part: Part<'_>,
        end: u64,
        scratch: &mut Scratch,
    ) -> bool {
        let mut span = self.layout().span(number);
        span.end = span.end.min(end);
        let Scratch { quiet, planes, win, loss } = scratch;
        win.clear();
        loss.clear();
        self.parts.quiet(span, quiet);
        match part {
            Part::Constant(value) => {
                let all =
                    |wanted: bool| quiet.words().iter().map(move |&w| if wanted { w } else { 0 });
                win.extend(all(value == Value::Win));
                loss.extend(all(value == Value::Loss));
                true
            }
            Part::Coded(code) => {
                let Some(decoder) = Decoder::new(&self.head.frequencies, code) else {
                    return false;
                };
                let mut symbols = CodeSymbols(decoder);
                self.parts.walk(span, quiet, planes, &mut symbols);
                for (w, l) in planes.wins_and_losses() {
                    win.push(w);
                    loss.push(l);
                }
                span.end < span.len || symbols.0.is_finished()
            }
        }
    }

    /// Whether all payloads of a file have the checksums that they begin with.
    pub(crate) fn has_right_checksums(&self, bytes: &[u8]) -> bool {
        self.head.units.iter().all(|unit| match *unit {
            Unit::Constant(_) => true,
            Unit::Coded { offset, length } => {
                let payload = &bytes[offset as usize..][..length as usize];
                let (sum, code) = payload.split_at(CHECKSUM);
                sum == checksum(code)
            }
        })
    }

    /// Decodes a whole file into a table.
    ///
    /// # Errors
    /// The number of the first unit that is damaged.
    pub(crate) fn decode_all(&self, bytes: &[u8]) -> Result<Table, u64> {
        let mut table = Table::new(self.head.header.indices);
        let all: Vec<u64> = (0..self.units()).collect();
        // Units are decoded in groups, so that only a small part is in memory twice.
        for some in all.chunks(1024) {
            let decoded = some.par_iter().map_init(Scratch::default, |scratch, &unit| {
                let payload = match self.unit(unit) {
                    // All values of this unit are draws, which the table has already.
                    Unit::Constant(Value::Draw) => return Ok(Vec::new()),
                    Unit::Constant(_) => &[],
                    Unit::Coded { offset, length } => &bytes[offset as usize..][..length as usize],
                };
                let parts = self.parts(unit, payload).ok_or(unit)?;
                let parts = parts.filter(|(_, part)| *part != Part::Constant(Value::Draw));
                let decode = |(number, part)| {
                    if !self.decode(number, part, u64::MAX, scratch) {
                        return Err(unit);
                    }
                    let Scratch { win, loss, .. } = scratch;
                    Ok((number, std::mem::take(win), std::mem::take(loss)))
                };
                parts.map(decode).collect::<Result<Vec<_>, u64>>()
            });
            for unit in decoded.collect::<Vec<_>>() {
                for (number, win, loss) in unit? {
                    write(&mut table, self.layout(), number, &win, &loss);
                }
            }
        }
        Ok(table)
    }
}

/// Writes the values of a part.
fn write(table: &mut Table, layout: &Layout, number: u64, win: &[u64], loss: &[u64]) {
    let span = layout.span(number);
    for Run { place, index, len } in layout.runs(span) {
        if len == span.len {
            return table.write(index, len as usize, win, loss);
        }
        for at in (0..len).step_by(64) {
            let of = |words| read(words, (place + at) as usize, len - at);
            table.write(index + at, 1, &[of(win)], &[of(loss)]);
        }
    }
}
