//! The values in a slice file: `SPEC.md` §8.3.
//!
//! A file has the values of quiet positions only, part by part; which positions these are, and in
//! which context each was coded, follows from the board. [`Slice::read`] goes through all of them,
//! up to 64 at a time, and hands out bits.
//!
//! Positions come in *runs* in which nothing varies but one set of kings, in the order of its
//! ranks: the mover's, or, where the mover has none, the opponent's. A run has one
//! [`KingSets::planes`] for each 64 sets: for each square, which of them hold it. So a rule about
//! squares is one operation for 64 positions.
//!
//! Not enforced: that the shortest way of writing the values was taken. A payload may hold a single
//! value, and where no position is quiet any value may be named, since it says nothing there.

use super::board::{Board, bits_in, next, nth};
use super::kingsets::{ALWAYS, KingSets, lower_ranks};
use super::layout::{Layout, Tile};
use certificate_spec::coding::Decoder;
use certificate_spec::database::SliceName;
use certificate_spec::payload::{self, Part};
use certificate_spec::slice::{SliceHead, UNIT_PARTS, Unit};
use certificate_spec::value::Value;
use rayon::prelude::*;
use std::ops::Range;

/// The mark for a position that is not quiet, or for an index without a position.
const NONE: u8 = 3;

/// The data that all slices of a board share.
pub struct Tables {
    board: Board,
    /// The sets of kings, for each number of kings.
    kings: Vec<KingSets>,
}

impl Tables {
    /// The tables for slices of at most `pieces` pieces.
    pub fn new(board: Board, pieces: u8) -> Tables {
        let kings = (0..pieces).map(|kings| KingSets::new(&board, kings)).collect();
        Tables { board, kings }
    }

    /// The number of units that a slice of the board has, unless its file gives one value for all
    /// positions.
    pub fn units(&self, slice: SliceName) -> u64 {
        Layout::new(&self.board, slice).units()
    }
}

/// Consecutive positions that differ in one side's kings only.
struct Run<'a> {
    kings: &'a KingSets,
    /// Whether the varying kings are the opponent's.
    are_theirs: bool,
    /// The numbers of the sets of kings; the first is a multiple of 64.
    sets: Range<u64>,
    /// The index of the first position.
    index: u64,
    /// The place of that position in the part.
    place: usize,
    /// The squares on which a varying king cannot stand, in its owner's view.
    taken: u32,
    /// The possible captures, in the same view: there is one where a set of kings holds the first
    /// square and not the second. [`ALWAYS`] stands for a square that counts as held by every set.
    captures: Vec<(usize, usize)>,
    /// For each move of one piece of the opponent to a lower square diagonally next to its own: how
    /// many places before this run the run with that piece moved lies.
    distances: Vec<u64>,
}

impl Run<'_> {
    /// Records where the kings cannot stand and what the mover captures, given the pieces that
    /// stand on the same squares in all positions of the run: `men` of the mover and any pieces of
    /// the opponent, in the mover's view.
    fn set_pieces(&mut self, board: &Board, men: u32, enemies: u32) {
        let fixed = men | enemies;
        let seen = |square: u32| {
            let square = if self.are_theirs { board.turned(square) } else { square };
            square.trailing_zeros() as usize
        };
        self.taken = if self.are_theirs { board.turned(fixed) } else { fixed };
        self.captures.clear();
        let mut jumped = enemies;
        if self.are_theirs && self.kings.kings > 0 {
            // The opponent's kings vary, and one of them may stand wherever a man could jump it.
            for from in bits_in(men) {
                jumped |= (board.near[from][0] | board.near[from][1]) & !men;
            }
        }
        for over in bits_in(jumped) {
            let near = &board.near[over];
            // Backwards from the square jumped, and on in the opposite direction.
            for (back, (&from, &to)) in near.iter().zip(near.iter().rev()).enumerate() {
                let over = 1 << over;
                let is_man = from & men != 0 && back >= 2;
                let is_king = !self.are_theirs && from & !fixed != 0;
                if to & !fixed != 0 && (is_man || is_king) {
                    let varying = if is_king { from } else { over };
                    let always = is_man && over & enemies != 0;
                    self.captures.push((if always { ALWAYS } else { seen(varying) }, seen(to)));
                }
            }
        }
    }

    /// The quiet positions among those of the 64 sets from number 64·`word` on.
    fn quiet(&self, word: u64) -> u64 {
        let made;
        let planes = match usize::try_from(word).ok().and_then(|w| self.kings.planes.get(w)) {
            Some(planes) => planes,
            None => {
                made = self.kings.make_planes(word);
                &made
            }
        };
        let length = self.sets.end - 64 * word;
        let all = if length < 64 { (1 << length) - 1 } else { !0 };
        let overlap = bits_in(self.taken).fold(0, |sets, square| sets | planes[square]);
        let can = |sets, &(on, not_on): &(usize, usize)| sets | planes[on] & !planes[not_on];
        all & !self.captures.iter().fold(overlap, can)
    }
}

/// A slice file whose head has been read.
pub struct Slice<'a> {
    tables: &'a Tables,
    layout: Layout,
    head: SliceHead,
    /// The bytes of the whole file.
    bytes: Vec<u8>,
}

impl<'a> Slice<'a> {
    /// A slice file with this head and these bytes. The caller has found the head to be that of a
    /// slice of the board with as many units as it must have.
    pub fn new(tables: &'a Tables, head: SliceHead, bytes: Vec<u8>) -> Slice<'a> {
        let layout = Layout::new(&tables.board, head.header.name);
        Slice { tables, layout, head, bytes }
    }

    /// The offset in the file of the entry that says how the value of this index is written.
    pub fn offset(&self, index: u64) -> u64 {
        let unit = match self.head.constant {
            Some(_) => 0,
            None => self.layout.part_of(index) / UNIT_PARTS,
        };
        self.head.entry_offset(usize::try_from(unit).unwrap_or(0)) as u64
    }

    /// The payload at this place.
    fn payload(&self, offset: u64, length: u32) -> Option<&[u8]> {
        let rest = self.bytes.get(usize::try_from(offset).ok()?..)?;
        rest.get(..usize::try_from(length).ok()?)
    }

    /// Decodes all payloads only to see whether they are well formed. A unit with one value for all
    /// positions has no payload, and may have more positions than the file's bytes justify going
    /// over, so it is skipped.
    ///
    /// # Errors
    /// The offset of the first payload that cannot be decoded.
    pub fn judge(&self) -> Result<(), u64> {
        let judge = |number: usize| match self.head.units[number] {
            Unit::Constant(_) => None,
            Unit::Coded { .. } => self.read_unit(number as u64, &|_, _, _| ()),
        };
        (0..self.head.units.len()).into_par_iter().find_map_first(judge).map_or(Ok(()), Err)
    }

    /// Reads the values of the quiet positions, unit by unit in parallel. `sink` gets them 64 at a
    /// time: the index of the first, which of them are wins, and which are losses.
    ///
    /// # Errors
    /// The offset of the first payload that cannot be decoded.
    pub fn read(&self, sink: impl Fn(u64, u64, u64) + Sync) -> Result<(), u64> {
        let read = |number: u64| self.read_unit(number, &sink);
        (0..self.layout.units()).into_par_iter().find_map_first(read).map_or(Ok(()), Err)
    }

    /// Reads the values of a unit. Returns the offset of its payload if that cannot be decoded.
    fn read_unit(&self, number: u64, sink: &impl Fn(u64, u64, u64)) -> Option<u64> {
        let parts = self.layout.unit(number);
        let directory = usize::try_from(number).ok().and_then(|n| self.head.units.get(n));
        match self.head.constant.map(Unit::Constant).as_ref().or(directory) {
            Some(&Unit::Constant(value)) => {
                parts.for_each(|part| self.read_constant(&self.layout.tile(part), value, sink));
                None
            }
            Some(&Unit::Coded { offset, length }) => {
                let payload = self.payload(offset, length);
                let count = usize::try_from(parts.end - parts.start).unwrap_or(0);
                let written = payload.and_then(|payload| payload::read(payload, count));
                let is_right = written.is_some_and(|written| {
                    parts.zip(written).all(|(part, written)| self.read_part(part, written, sink))
                });
                (!is_right).then_some(offset)
            }
            // The file has as many units as the layout asks for.
            None => Some(self.head.entry_offset(0) as u64),
        }
    }

    /// Reads the values of a part. Returns whether its code could be decoded.
    fn read_part(&self, part: u64, written: Part<'_>, sink: &impl Fn(u64, u64, u64)) -> bool {
        let tile = self.layout.tile(part);
        let code = match written {
            Part::Constant(value) => {
                self.read_constant(&tile, value, sink);
                return true;
            }
            Part::Coded(code) => code,
        };
        let Some(decoder) = Decoder::new(&self.head.frequencies, code) else {
            return false;
        };
        let mut decoding = Decoding::new(decoder, &tile);
        self.for_each_word(&tile, &mut |run, word, index, quiet| {
            let (win, loss) = decoding.read(&self.tables.board, run, word, quiet);
            sink(index, win, loss);
        });
        decoding.decoder.is_finished()
    }

    /// Hands out one value for all quiet positions.
    fn read_constant(&self, tile: &Tile, value: Value, sink: &impl Fn(u64, u64, u64)) {
        self.for_each_word(tile, &mut |_, _, index, quiet| {
            let of = |wanted| if value == wanted { quiet } else { 0 };
            sink(index, of(Value::Win), of(Value::Loss));
        });
    }

    /// Calls `each` for the words of a part that have quiet positions: with their run, their number
    /// among the run's sets of kings, the index of their first position, and the quiet positions.
    fn for_each_word(&self, tile: &Tile, each: &mut impl FnMut(&Run<'_>, u64, u64, u64)) {
        self.for_each_run(tile, &mut |run| {
            let first = run.sets.start / 64;
            for word in first..run.sets.end.div_ceil(64) {
                let quiet = run.quiet(word);
                if quiet != 0 {
                    each(run, word, run.index + 64 * (word - first), quiet);
                }
            }
        });
    }

    /// Calls `each` for the runs of a part; some runs without any position are skipped.
    fn for_each_run(&self, Tile { rows, columns }: &Tile, each: &mut impl FnMut(&Run<'_>)) {
        let [a, b, c, d] = self.head.header.name.0;
        let Layout { block: (block_rows, all_columns), their_men: all_their_men, .. } = self.layout;
        let width = columns.end - columns.start;
        let place = |row: u64| usize::try_from((row - rows.start) * width).unwrap_or(usize::MAX);
        let Tables { board, kings } = self.tables;
        let [own, theirs] = [b, d].map(|k| &kings[usize::from(k)]);
        let mut run = Run {
            kings: if b == 0 { theirs } else { own },
            are_theirs: b == 0,
            sets: columns.clone(),
            index: 0,
            place: 0,
            taken: 0,
            captures: Vec::new(),
            distances: Vec::new(),
        };
        let mut row = rows.start;
        let mut block = row / block_rows;
        let mut men = nth(block / all_their_men, a);
        let mut their_men = nth(block % all_their_men, c);
        while row < rows.end {
            let (first, end) = (block * block_rows, rows.end.min((block + 1) * block_rows));
            if men & board.turned(their_men) == 0 {
                let lower = lower_ranks(board, their_men);
                let ranks = lower.iter().map(|&ranks| u64::from(ranks) * block_rows * width);
                if b == 0 {
                    run.distances.clear();
                    run.distances.extend(ranks);
                    run.sets = row - first..end - first;
                    (run.index, run.place) = (row, place(row));
                    run.set_pieces(board, men, board.turned(their_men));
                    each(&run);
                } else {
                    let mut kings = nth(row - first, d);
                    for row in row..end {
                        run.distances.clear();
                        run.distances.extend(ranks.clone());
                        let lower = theirs.lower_ranks(board, row - first);
                        run.distances.extend(lower.iter().map(|&rank| u64::from(rank) * width));
                        run.index = row * all_columns + columns.start;
                        run.place = place(row);
                        run.set_pieces(board, men, board.turned(their_men | kings));
                        if kings & (their_men | board.turned(men)) == 0 {
                            each(&run);
                        }
                        kings = next(kings);
                    }
                }
            }
            row = end;
            block += 1;
            their_men = next(their_men);
            if block.is_multiple_of(all_their_men) {
                (men, their_men) = (next(men), nth(0, c));
            }
        }
    }
}

/// A part that is being decoded.
struct Decoding<'a> {
    decoder: Decoder<'a>,
    /// The values decoded so far, by place in the part.
    values: Vec<u8>,
    /// The last value decoded, and the one before it.
    last: [u8; 2],
}

impl<'a> Decoding<'a> {
    fn new(decoder: Decoder<'a>, Tile { rows, columns }: &Tile) -> Decoding<'a> {
        let size = (rows.end - rows.start) * (columns.end - columns.start);
        // 64 more, so that the neighbours of 64 positions can be read at once.
        let values = vec![NONE; usize::try_from(size + 64).unwrap_or(0)];
        Decoding { decoder, values, last: [Value::Draw as u8; 2] }
    }

    /// Decodes the quiet positions of a word of a run: which are wins, which losses.
    fn read(&mut self, board: &Board, run: &Run<'_>, word: u64, quiet: u64) -> (u64, u64) {
        let before = usize::try_from(64 * word - run.sets.start).unwrap_or(usize::MAX);
        let at = run.place.saturating_add(before);
        // The number of neighbours with each value; first the neighbours outside this run.
        let mut counts = [[0u8; 64]; 3];
        for &distance in &run.distances {
            let near = usize::try_from(distance).ok().and_then(|distance| at.checked_sub(distance));
            let near = near.and_then(|near| self.values.get(near..)?.first_chunk::<64>());
            for (value, counts) in (0..).zip(&mut counts) {
                for (count, &found) in counts.iter_mut().zip(near.unwrap_or(&[NONE; 64])) {
                    *count = count.saturating_add(u8::from(found == value));
                }
            }
        }
        let (mut win, mut loss, mut last) = (0, 0, self.last);
        for i in bits_in(quiet) {
            let mut counts = counts.map(|counts| counts[i]);
            if run.are_theirs {
                for &distance in &*run.kings.lower_ranks(board, 64 * word + i as u64) {
                    let near = (at + i).checked_sub(distance as usize);
                    let value = near.and_then(|near| self.values.get(near)).unwrap_or(&NONE);
                    if let Some(count) = counts.get_mut(usize::from(*value)) {
                        *count = count.saturating_add(1);
                    }
                }
            }
            let [losses, draws, wins] = counts.map(|count| usize::from(count.min(3)));
            let [p, q] = last.map(usize::from);
            let value = self.decoder.next((((wins * 4 + draws) * 4 + losses) * 3 + p) * 3 + q);
            last = [value as u8, last[0]];
            win |= u64::from(value == Value::Win) << i;
            loss |= u64::from(value == Value::Loss) << i;
            if let Some(place) = self.values.get_mut(at + i) {
                *place = value as u8;
            }
        }
        self.last = last;
        (win, loss)
    }
}
