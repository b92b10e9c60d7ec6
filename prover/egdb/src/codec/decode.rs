//! From the file of a slice to the values of its quiet positions (`SPEC.md` §8.3).

use certificate_spec::WireError;
use certificate_spec::coding::Decoder;
use certificate_spec::slice::{CHECKSUM, SliceHead, Unit, Value, checksum};
use rayon::prelude::*;

use super::encode::header;
use super::units::{Planes, Quiet, Span, Symbols, Units};
use crate::index::slice::Slice;
use crate::values::table::Table;
use draughtproof_game::Board;

/// The values of the quiet positions of a slice from the bytes of its file; all others count as draws.
///
/// # Errors
/// [`WireError`] with the offset of the first thing wrong.
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

/// What is needed to read the units of a slice.
pub(crate) struct SliceDecoder {
    units: Units,
    head: SliceHead,
}

/// Working memory.
#[derive(Default)]
pub(crate) struct Scratch {
    quiet: Quiet,
    planes: Planes,
    /// Win and loss words of the unit last decoded.
    pub(crate) win: Vec<u64>,
    /// See `win`.
    pub(crate) loss: Vec<u64>,
}

struct Read<'a>(Decoder<'a>);

impl Symbols for Read<'_> {
    fn at(&mut self, _: usize) {}

    #[inline]
    fn next(&mut self, context: usize, _: u32) -> Value {
        self.0.next(context)
    }
}

impl SliceDecoder {
    /// From the head of the slice's file, which has `length` bytes.
    ///
    /// # Errors
    /// [`WireError`] when it is not the head of such a file.
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
            return Err(WireError::syntax(12, expected, found));
        }
        let units = Units::new(board, slice);
        let (expected, found) = (units.count(), head.units.len() as u64);
        if head.constant.is_none() && expected != found {
            let found = format!("{found} units");
            return Err(WireError::syntax(36, format!("{expected} units"), found));
        }
        Ok(SliceDecoder { units, head })
    }

    pub(crate) fn units(&self) -> &Units {
        &self.units
    }

    /// How a unit is written.
    pub(crate) fn unit(&self, unit: u64) -> Unit {
        self.head.constant.map_or_else(|| self.head.units[unit as usize], Unit::Constant)
    }

    /// Decodes a unit into the working memory; `payload` is looked at if it has one. Says whether that
    /// could be done: not where the payload is damaged.
    pub(crate) fn decode(&self, unit: u64, payload: &[u8], scratch: &mut Scratch) -> bool {
        let span = self.units.span(unit);
        let Scratch { quiet, planes, win, loss } = scratch;
        self.units.quiet(span, quiet);
        win.clear();
        loss.clear();
        if let Unit::Constant(value) = self.unit(unit) {
            let all = |wanted: bool| quiet.words().iter().map(move |&w| if wanted { w } else { 0 });
            win.extend(all(value == Value::Win));
            loss.extend(all(value == Value::Loss));
            return true;
        }
        let Some(decoder) = Decoder::new(&self.head.frequencies, payload) else {
            return false;
        };
        let mut read = Read(decoder);
        self.units.walk(span, quiet, planes, &mut read);
        for (w, l) in planes.wins_and_losses() {
            win.push(w);
            loss.push(l);
        }
        read.0.is_finished()
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
    /// The first unit that is damaged.
    pub(crate) fn decode_all(&self, bytes: &[u8]) -> Result<Table, u64> {
        let mut table = Table::new(self.head.header.indices);
        let all: Vec<u64> = (0..self.units.count()).collect();
        // A part at a time, so that what is decoded twice over is little.
        for part in all.chunks(1024) {
            let decoded: Vec<_> = part
                .par_iter()
                .map_init(Scratch::default, |scratch, &unit| {
                    let payload = match self.unit(unit) {
                        Unit::Constant(_) => &[],
                        Unit::Coded { offset, length } => {
                            &bytes[offset as usize..][..length as usize]
                        }
                    };
                    if !self.decode(unit, payload, scratch) {
                        return Err(unit);
                    }
                    let Scratch { win, loss, .. } = scratch;
                    Ok((self.units.span(unit), std::mem::take(win), std::mem::take(loss)))
                })
                .collect();
            for unit in decoded {
                let (Span { index, len, .. }, win, loss) = unit?;
                table.write(index, len as usize, &win, &loss);
            }
        }
        Ok(table)
    }
}
