//! The values in a slice file: `SPEC.md` §8.3.
//!
//! A file has the values of quiet positions only, unit by unit; which positions these are, and in
//! which context each was coded, follows from the board. [`Slice::read`] goes through all of them,
//! up to 64 at a time, and hands out bits.
//!
//! Positions come in *runs* in which nothing varies but one set of kings, in the order of its
//! ranks: the mover's, or, where the mover has none, the opponent's. A run has one
//! [`KingSets::planes`] for each 64 sets: for each square, which of them hold it. So a rule about
//! squares is one operation for 64 positions.
//!
//! Not enforced: that the shortest way of writing the values was taken. A payload may have one
//! value only, and where no position is quiet any value may be named: nothing is said there.

use super::board::{Board, bits_in, choose, next, nth};
use super::kingsets::{ALWAYS, KingSets, lower_ranks};
use certificate_spec::coding::Decoder;
use certificate_spec::database::SliceName;
use certificate_spec::slice::{SliceHead, UNIT_POSITIONS, Unit};
use certificate_spec::value::Value;
use rayon::prelude::*;
use std::ops::Range;

/// What stands for the value of a position that is not quiet, or is none.
const NONE: u8 = 3;

/// What the slices of a board have in common.
pub struct Tables {
    board: Board,
    /// For each number of kings.
    kings: Vec<KingSets>,
}

impl Tables {
    /// For slices of at most so many pieces.
    pub fn new(board: Board, pieces: u8) -> Tables {
        let kings = (0..pieces).map(|kings| KingSets::new(&board, kings)).collect();
        Tables { board, kings }
    }

    /// The number of units that a slice of the board has, unless it says that all values are the
    /// same.
    pub fn units(&self, slice: SliceName) -> u64 {
        Layout::new(&self.board, slice).count
    }
}

/// Consecutive positions that differ in one side's kings only.
struct Run<'a> {
    kings: &'a KingSets,
    /// Whether they are the opponent's.
    are_theirs: bool,
    /// The numbers of the sets of kings; the first is a multiple of 64.
    sets: Range<u64>,
    /// The index of the first position.
    index: u64,
    /// Where such a king cannot stand, in its owner's view.
    taken: u32,
    /// Captures, likewise: they are made where a set holds the first square and not the second.
    captures: Vec<(usize, usize)>,
    /// How far before this run those lie that differ in one piece of the opponent, which stands on
    /// a lower square diagonally next to where it stands here.
    distances: Vec<u64>,
}

impl Run<'_> {
    /// Puts down where the kings cannot be and what the mover captures, given the pieces that stand
    /// there in all positions of the run: men of the mover and any of the opponent's, in the
    /// mover's view.
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
            // One of the opponent's kings, which vary, may stand wherever a man could jump it.
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

    /// The quiet ones among the positions of the 64 sets with the number 64·`word` and so on.
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

/// How the indices and units of a slice are made up.
struct Layout {
    /// Rows and columns of a block.
    block: (u64, u64),
    /// Sets of the opponent's men.
    their_men: u64,
    /// Rows of a unit, unless what is left is less,
    rows: u64,
    /// of so many consecutive rows that units do not go beyond.
    of: u64,
    /// Units for so many rows.
    units: u64,
    /// Units of the slice.
    count: u64,
}

impl Layout {
    fn new(board: &Board, slice: SliceName) -> Layout {
        let [a, b, c, d] = slice.0;
        let [men, their_men] = [a, c].map(|k| choose(board.men_squares, k));
        let [columns, rows] = [b, d].map(|k| choose(board.squares, k));
        // Saturating: those of slices with many pieces do not fit in 64 bits, nor into any file.
        let indices = men.saturating_mul(their_men).saturating_mul(rows).saturating_mul(columns);
        let (all_rows, size) = (indices / columns, rows.saturating_mul(columns));
        let (block, (rows, of)) = match size <= UNIT_POSITIONS {
            true => ((rows, columns), (UNIT_POSITIONS / size * rows, all_rows)),
            false => ((rows, columns), ((UNIT_POSITIONS / columns).max(1), rows)),
        };
        let units = of.div_ceil(rows);
        let count = units.saturating_mul(all_rows / of);
        Layout { block, their_men, rows, of, units, count }
    }

    /// The rows of a unit, counted through the slice.
    fn unit(&self, unit: u64) -> Range<u64> {
        let (first, start) = (unit / self.units * self.of, unit % self.units * self.rows);
        first + start..first + (start + self.rows).min(self.of)
    }

    /// The unit of a row.
    fn unit_of(&self, row: u64) -> u64 {
        row / self.of * self.units + row % self.of / self.rows
    }
}

/// A slice file whose head has been read.
pub struct Slice<'a> {
    tables: &'a Tables,
    layout: Layout,
    head: SliceHead,
    /// All of the file.
    bytes: Vec<u8>,
}

impl<'a> Slice<'a> {
    /// The file with these bytes and this head, which has been found to be that of a slice of the
    /// board with as many units as it must have.
    pub fn new(tables: &'a Tables, head: SliceHead, bytes: Vec<u8>) -> Slice<'a> {
        let layout = Layout::new(&tables.board, head.header.name);
        Slice { tables, layout, head, bytes }
    }

    /// The offset in the file of what says how the value of this index is written.
    pub fn offset(&self, index: u64) -> u64 {
        let unit = match self.head.constant {
            Some(_) => 0,
            None => self.layout.unit_of(index / self.layout.block.1),
        };
        self.head.entry_offset(usize::try_from(unit).unwrap_or(0)) as u64
    }

    /// The payload at this place.
    fn payload(&self, offset: u64, length: u32) -> Option<&[u8]> {
        let rest = self.bytes.get(usize::try_from(offset).ok()?..)?;
        rest.get(..usize::try_from(length).ok()?)
    }

    /// Decodes all payloads, for nothing but to see that they come out. What has one value for all
    /// positions has no payload, and so many positions that going over them would take longer than
    /// all that is in its bytes.
    ///
    /// # Errors
    /// The offset of the first payload that does not come out.
    pub fn judge(&self) -> Result<(), u64> {
        let judge = |number: usize| match self.head.units[number] {
            Unit::Constant(_) => None,
            Unit::Coded { .. } => self.read_unit(number as u64, &|_, _, _| ()),
        };
        (0..self.head.units.len()).into_par_iter().find_map_first(judge).map_or(Ok(()), Err)
    }

    /// Reads the values of all quiet positions, unit by unit in parallel. `sink` gets them 64 at a
    /// time: the index of the first, which of them are wins, and which are losses.
    ///
    /// # Errors
    /// The offset of the first payload that does not come out.
    pub fn read(&self, sink: impl Fn(u64, u64, u64) + Sync) -> Result<(), u64> {
        let read = |number: u64| self.read_unit(number, &sink);
        (0..self.layout.count).into_par_iter().find_map_first(read).map_or(Ok(()), Err)
    }

    /// Reads the values of a unit. Returns the offset of its payload if that does not come out.
    fn read_unit(&self, number: u64, sink: &impl Fn(u64, u64, u64)) -> Option<u64> {
        let rows = self.layout.unit(number);
        let directory = usize::try_from(number).ok().and_then(|n| self.head.units.get(n));
        match self.head.constant.map(Unit::Constant).as_ref().or(directory) {
            Some(&Unit::Constant(value)) => {
                self.for_each_word(rows, &mut |_, _, index, quiet| {
                    let of = |wanted| if value == wanted { quiet } else { 0 };
                    sink(index, of(Value::Win), of(Value::Loss));
                });
                None
            }
            Some(&Unit::Coded { offset, length }) => {
                let payload = self.payload(offset, length);
                let decoder = payload.and_then(|p| Decoder::new(&self.head.frequencies, p));
                let is_right = decoder.is_some_and(|d| self.decode(rows, d, sink));
                (!is_right).then_some(offset)
            }
            // There are as many as the layout asks for.
            None => Some(self.head.entry_offset(0) as u64),
        }
    }

    /// Decodes the values of the quiet positions of these rows. Says whether the code comes out.
    fn decode(
        &self,
        rows: Range<u64>,
        decoder: Decoder<'_>,
        sink: &impl Fn(u64, u64, u64),
    ) -> bool {
        let mut decoding = Decoding::new(decoder, &rows, self.layout.block.1);
        self.for_each_word(rows, &mut |run, word, index, quiet| {
            let (win, loss) = decoding.read(&self.tables.board, run, word, index, quiet);
            sink(index, win, loss);
        });
        decoding.decoder.is_finished()
    }

    /// Calls `each` for the words of these rows that have quiet positions: with their run, their
    /// number in it, the index of their first position, and the quiet ones.
    fn for_each_word(&self, rows: Range<u64>, each: &mut impl FnMut(&Run<'_>, u64, u64, u64)) {
        self.for_each_run(rows, &mut |run| {
            let first = run.sets.start / 64;
            for word in first..run.sets.end.div_ceil(64) {
                let quiet = run.quiet(word);
                if quiet != 0 {
                    each(run, word, run.index + 64 * (word - first), quiet);
                }
            }
        });
    }

    /// Calls `each` for the runs of these rows, but not all of those in which nothing is a
    /// position.
    fn for_each_run(&self, rows: Range<u64>, each: &mut impl FnMut(&Run<'_>)) {
        let [a, b, c, d] = self.head.header.name.0;
        let Layout { block: (block_rows, columns), their_men: all_their_men, .. } = self.layout;
        let Tables { board, kings } = self.tables;
        let [own, theirs] = [b, d].map(|k| &kings[usize::from(k)]);
        let mut run = Run {
            kings: if b == 0 { theirs } else { own },
            are_theirs: b == 0,
            sets: 0..columns,
            index: 0,
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
                let ranks = lower.iter().map(|&ranks| u64::from(ranks) * block_rows * columns);
                if b == 0 {
                    run.distances.clear();
                    run.distances.extend(ranks);
                    run.sets = row - first..end - first;
                    run.index = row;
                    run.set_pieces(board, men, board.turned(their_men));
                    each(&run);
                } else {
                    let mut kings = nth(row - first, d);
                    for row in row..end {
                        run.distances.clear();
                        run.distances.extend(ranks.clone());
                        let lower = theirs.lower_ranks(board, row - first);
                        run.distances.extend(lower.iter().map(|&rank| u64::from(rank) * columns));
                        run.index = row * columns;
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

/// A unit that is being decoded.
struct Decoding<'a> {
    decoder: Decoder<'a>,
    /// The index of the unit's first position.
    start: u64,
    /// The values so far. None for a unit of a single row, where nobody has neighbours.
    values: Vec<u8>,
    /// The value before, and the one before that.
    last: [u8; 2],
}

impl<'a> Decoding<'a> {
    fn new(decoder: Decoder<'a>, rows: &Range<u64>, columns: u64) -> Decoding<'a> {
        let size = (rows.end - rows.start) * columns;
        // And 64 more, so that the neighbours of 64 positions can be read at once.
        let size = if size <= UNIT_POSITIONS { usize::try_from(size + 64).unwrap_or(0) } else { 0 };
        let start = rows.start * columns;
        Decoding { decoder, start, values: vec![NONE; size], last: [Value::Draw as u8; 2] }
    }

    /// Decodes the quiet positions of a word of a run: which are wins, which losses.
    fn read(
        &mut self,
        board: &Board,
        run: &Run<'_>,
        word: u64,
        index: u64,
        quiet: u64,
    ) -> (u64, u64) {
        // Saturating means beyond the end, where there are no neighbours and nothing is written.
        let at = usize::try_from(index - self.start).unwrap_or(usize::MAX);
        // How many neighbours have each value: first those that differ from here as their run does.
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
            if let Some(place) = self.values.get_mut(at.saturating_add(i)) {
                *place = value as u8;
            }
        }
        self.last = last;
        (win, loss)
    }
}
