//! Slice files taken apart and put together again, and their code as `SPEC.md` §8.3 words it. The
//! implementation is slow and shares no code with the prover's.

use certificate_spec::Digest;
use certificate_spec::coding::{Frequencies, TOTAL, encode};
use certificate_spec::payload::{self, Part};
use certificate_spec::slice::{SliceHead, Unit};
use certificate_spec::value::{Value, checksum};
use certificate_spec::wire::HEAD;
use draughtproof_egdb::{Slice, Table};
use draughtproof_game::{Board, Position, Side};

use crate::encoding::{Coding, SliceStart, varint};

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
        let header = self.head.header;
        let board = Board::new(header.rows, header.columns).expect("a board");
        Places::new(&board, header.name.into()).units()[unit].len()
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

/// The values of a part with their contexts.
pub type PartValues = Vec<(u16, Value)>;

/// The number of bytes of the checksum of a head.
pub const HEAD_CHECKSUM: usize = 24;

/// Changes the fields at the beginning of a file; the checksum is not corrected.
pub fn edit_start(bytes: &mut Vec<u8>, edit: impl FnOnce(&mut SliceStart)) {
    let (mut start, end) = SliceStart::read(bytes).expect("the start of a slice");
    edit(&mut start);
    bytes.splice(HEAD..end, start.bytes());
}

/// Makes the checksum of a head right, if all bytes that it covers are there.
pub fn mend_head(bytes: &mut [u8]) {
    let Some((start, end)) = SliceStart::read(bytes) else { return };
    let (contexts, units) = match start.coding {
        Coding::Units(contexts, units) => (contexts, units),
        _ => (0, 0),
    };
    let length = contexts.saturating_mul(6).saturating_add(units.saturating_mul(4));
    let rest = usize::try_from(length).ok().and_then(|length| {
        let rest = bytes.get(end + HEAD_CHECKSUM..)?;
        rest.get(..length)
    });
    let Some(rest) = rest else { return };
    let sum = Digest::of(&[&bytes[..end], rest].concat());
    bytes[end..end + HEAD_CHECKSUM].copy_from_slice(&sum.0[..HEAD_CHECKSUM]);
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

/// The sets of `k` of `n` squares in the order of their ranks.
fn sets(n: u8, k: u8) -> Vec<u32> {
    let mut found: Vec<u32> = vec![0];
    for _ in 0..k {
        let more = |set: u32| (0..n).filter(move |s| set >> s == 0).map(move |s| set | 1 << s);
        found = found.into_iter().flat_map(more).collect();
    }
    found.sort_unstable();
    found
}

/// The sets of squares that the pieces of a slice can stand on, each in its owner's view.
struct Places<'a> {
    board: &'a Board,
    men: Vec<u32>,
    kings: Vec<u32>,
    enemy_men: Vec<u32>,
    enemy_kings: Vec<u32>,
}

impl<'a> Places<'a> {
    fn new(board: &'a Board, slice: Slice) -> Self {
        let (most, all) = (board.man_squares(), board.squares());
        Places {
            board,
            men: sets(most, slice.men),
            kings: sets(all, slice.kings),
            enemy_men: sets(most, slice.enemy_men),
            enemy_kings: sets(all, slice.enemy_kings),
        }
    }

    /// The ranks of A, C, D and B for each index, in order.
    fn indices(&self) -> impl Iterator<Item = [usize; 4]> {
        let [a, c, d, b] =
            [&self.men, &self.enemy_men, &self.enemy_kings, &self.kings].map(Vec::len);
        let ranks = move |i: usize| [i / (b * d * c), i / (b * d) % c, i / b % d, i % b];
        (0..a * b * c * d).map(ranks)
    }

    fn index(&self, [a, c, d, b]: [usize; 4]) -> usize {
        let (c_all, d_all) = (self.enemy_men.len(), self.enemy_kings.len());
        ((a * c_all + c) * d_all + d) * self.kings.len() + b
    }

    fn is_quiet(&self, [a, c, d, b]: [usize; 4]) -> bool {
        let (men, kings) = (self.men[a], self.kings[b]);
        let turned = |set| self.board.turn(self.board.from_dense(set));
        let (enemy_men, enemy_kings) = (turned(self.enemy_men[c]), turned(self.enemy_kings[d]));
        let (men, kings) = (self.board.from_dense(men), self.board.from_dense(kings));
        let pieces = [men, kings, enemy_men, enemy_kings];
        let all = pieces.iter().fold(0, |all, set| all | set);
        let is_position = pieces.iter().map(|p| p.count_ones()).sum::<u32>() == all.count_ones();
        let (black, white) = (men | kings, enemy_men | enemy_kings);
        let position = Position { black, white, kings: kings | enemy_kings, turn: Side::Black };
        is_position && !self.board.can_capture(&position)
    }

    /// The indices of the parts of units, in order.
    fn units(&self) -> Vec<Vec<Vec<usize>>> {
        let (columns, rows) = (self.kings.len(), self.enemy_kings.len());
        let blocks = self.men.len() * self.enemy_men.len();
        let width = columns.min(256);
        let height = rows.min(4096 / width);
        let depth = 4096 / (width * height);
        let part = |index: usize| {
            let (line, column) = (index / columns, index % columns);
            [line / rows / depth, line % rows / height, column / width]
        };
        let mut indices: Vec<usize> = (0..blocks * rows * columns).collect();
        indices.sort_by_key(|&index| part(index));
        let parts: Vec<Vec<usize>> =
            indices.chunk_by(|&a, &b| part(a) == part(b)).map(<[_]>::to_vec).collect();
        parts.chunks(16).map(<[_]>::to_vec).collect()
    }

    /// The ranks of a place's neighbours, whether or not they are positions.
    fn neighbours(&self, [a, c, d, b]: [usize; 4]) -> Vec<[usize; 4]> {
        let men = self.lower(&self.enemy_men, c).map(|c| [a, c, d, b]);
        let kings = self.lower(&self.enemy_kings, d).map(|d| [a, c, d, b]);
        men.chain(kings).collect()
    }

    /// The ranks of the sets in which one piece stands on a lower square next to its own in this
    /// set.
    fn lower<'s>(&self, sets: &'s [u32], rank: usize) -> impl Iterator<Item = usize> + use<'s> {
        let (set, board) = (sets[rank], self.board.clone());
        let from = (0..board.squares()).filter(move |s| set >> s & 1 == 1);
        let steps = from.flat_map(move |from| {
            let to: Vec<u8> = (0..4).filter_map(|d| board.step(from, d)).collect();
            to.into_iter().filter(move |to| *to < from).map(move |to| (from, to))
        });
        let free = steps.filter(move |(_, to)| set >> to & 1 == 0);
        free.filter_map(move |(from, to)| sets.binary_search(&(set & !(1 << from) | 1 << to)).ok())
    }
}

/// For each index of a slice, whether its position is quiet.
pub fn quiet(board: &Board, slice: Slice) -> Vec<bool> {
    let places = Places::new(board, slice);
    places.indices().map(|ranks| places.is_quiet(ranks)).collect()
}

/// The contexts and values of the quiet positions of each part of each unit, in order.
pub fn contexts(board: &Board, slice: Slice, table: &Table) -> Vec<Vec<PartValues>> {
    let places = Places::new(board, slice);
    let quiet = quiet(board, slice);
    let ranks: Vec<[usize; 4]> = places.indices().collect();
    let value = |index: usize| table.value(index as u64);
    let of_part = |part: Vec<usize>| {
        let (mut p, mut q) = (1, 1);
        let mut found = Vec::new();
        for index in part.iter().copied().filter(|&index| quiet[index]) {
            let mut counts = [0u16; 3];
            for neighbour in places.neighbours(ranks[index]) {
                let neighbour = places.index(neighbour);
                if part.binary_search(&neighbour).is_ok() && quiet[neighbour] {
                    counts[value(neighbour) as usize] += 1;
                }
            }
            let [l, e, w] = counts.map(|n| n.min(3));
            found.push(((((w * 4 + e) * 4 + l) * 3 + p) * 3 + q, value(index)));
            (p, q) = (value(index) as u16, p);
        }
        found
    };
    let of_unit = |unit: Vec<Vec<usize>>| unit.into_iter().map(of_part).collect();
    places.units().into_iter().map(of_unit).collect()
}
