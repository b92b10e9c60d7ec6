//! A writer of databases, from `SPEC.md` §8 and the values, to be spoilt before they are written.

use certificate_spec::Digest;
use certificate_spec::coding::{CONTEXTS, Decoder, Frequencies, encode};
use certificate_spec::cover::Cover;
use certificate_spec::database::{DatabaseManifest, SliceName, SliceRecord};
use certificate_spec::payload::{self, Part};
use certificate_spec::slice::{START, SliceHead, SliceHeader, Unit, head_length};
use certificate_spec::value::{CHECKSUM, Value as Written, checksum};
use checker_core::{Board, Database, Position, Shape, Table, Value, pairs};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// C(n, k).
fn choose(n: u64, k: u8) -> u64 {
    (0..u64::from(k)).fold(1, |product, i| product * (n - i) / (i + 1))
}

/// The indices of the parts of the units of a slice (`SPEC.md` §8.3), in order.
pub fn units(board: &Board, slice: SliceName) -> Vec<Vec<Vec<u64>>> {
    let [a, b, c, d] = slice.0;
    let (s, m) = (u64::from(board.squares()), u64::from(board.men_squares()));
    let (columns, rows, blocks) = (choose(s, b), choose(s, d), choose(m, a) * choose(m, c));
    let width = columns.min(256);
    let height = rows.min(4096 / width);
    let depth = 4096 / (width * height);
    let cut = |all: u64, step: u64| {
        let starts = (0..all).step_by(step.try_into().unwrap());
        starts.map(move |first| first..all.min(first + step))
    };
    let mut parts = Vec::new();
    for blocks in cut(blocks, depth) {
        for lines in cut(rows, height) {
            for cells in cut(columns, width) {
                let in_row = |row: u64| cells.clone().map(move |cell| row * columns + cell);
                let in_block = |block: u64| {
                    let lines = lines.clone().map(move |line| block * rows + line);
                    lines.flat_map(in_row)
                };
                parts.push(blocks.clone().flat_map(in_block).collect());
            }
        }
    }
    parts.chunks(16).map(<[_]>::to_vec).collect()
}

/// A database of 8x8 that says in few bytes that all positions are drawn.
pub fn all_drawn(pieces: u8) -> Files {
    let board = Board::new(8, 8).unwrap();
    let cover = Cover::up_to(pieces);
    let mut slices: Vec<_> =
        pairs(&board, &cover).into_iter().flat_map(|slice| [slice, slice.twin()]).collect();
    slices.sort_by_key(|slice| slice.order());
    slices.dedup();
    let file = |name: SliceName| {
        let indices = Shape::new(&board, name).indices;
        let header = SliceHeader { name, rows: 8, columns: 8, indices };
        let constant = Some(Written::Draw);
        let frequencies = Default::default();
        (name, SliceHead { header, constant, frequencies, units: Vec::new() }.encode())
    };
    Files { rows: 8, columns: 8, cover, slices: slices.into_iter().map(file).collect() }
}

/// Whether an index has a position in which nothing can be captured.
pub fn is_quiet(board: &Board, shape: &Shape, index: u64) -> bool {
    let Some(p) = shape.position(board, index) else { return false };
    // The moves of a position are either all captures or all not.
    let mut moves = Vec::new();
    board.successors(&p, &mut moves);
    moves.iter().all(|y| y.pieces() == p.pieces())
}

/// The values of a slice in the order of their indices; `None` for an index without a quiet
/// position.
pub fn quiet_values(board: &Board, table: &Table) -> Vec<Option<Written>> {
    let value = |index: u64| {
        is_quiet(board, &table.shape, index).then(|| match table.value(index) {
            Value::Win => Written::Win,
            Value::Loss => Written::Loss,
            Value::Draw => Written::Draw,
        })
    };
    (0..table.shape.indices).map(value).collect()
}

/// The values of a part with their contexts.
pub type PartValues = Vec<(u16, Written)>;

/// The values of a slice with their contexts, for each part of each unit.
pub fn contexts(board: &Board, shape: &Shape, values: &[Option<Written>]) -> Vec<Vec<PartValues>> {
    let (rows, columns) = (i32::from(board.rows()), i32::from(board.columns()));
    let all = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    let dark: Vec<(i32, i32)> = all.filter(|(r, c)| (r + c) % 2 == 1).collect();
    let positions: Vec<_> = (0..).zip(values).map(|(i, _)| shape.position(board, i)).collect();
    let numbers = (0u64..).zip(&positions).filter_map(|(i, p)| Some(((*p)?, i)));
    let numbers: HashMap<Position, u64> = numbers.collect();
    let value = |index: u64| values[usize::try_from(index).unwrap()];
    let one_part = |part: Vec<u64>| {
        let mut part_values = Vec::new();
        let (mut p, mut q) = (1, 1);
        for &index in &part {
            let Some(here) = value(index) else {
                continue;
            };
            let position = positions[usize::try_from(index).unwrap()].unwrap();
            let mut counts = [0u16; 3];
            // Black is to move. A square that is lower for White lies in the next higher row.
            for (from, (r, c)) in dark.iter().enumerate() {
                for to in [(r + 1, c - 1), (r + 1, c + 1)] {
                    let Some(to) = dark.iter().position(|&square| square == to) else {
                        continue;
                    };
                    let (from, to) = (1 << from, 1 << to);
                    if position.white & from == 0 || (position.white | position.black) & to != 0 {
                        continue;
                    }
                    let king = position.kings & from != 0;
                    let neighbour = Position {
                        white: position.white & !from | to,
                        kings: position.kings & !from | if king { to } else { 0 },
                        ..position
                    };
                    let number = numbers[&neighbour];
                    if let Some(value) =
                        value(number).filter(|_| part.binary_search(&number).is_ok())
                    {
                        counts[value as usize] += 1;
                    }
                }
            }
            let [l, e, w] = counts.map(|count| count.min(3));
            part_values.push(((((w * 4 + e) * 4 + l) * 3 + p) * 3 + q, here));
            (q, p) = (p, here as u16);
        }
        part_values
    };
    let one_unit = |unit: Vec<Vec<u64>>| unit.into_iter().map(one_part).collect();
    units(board, shape.slice).into_iter().map(one_unit).collect()
}

/// The parts of a slice file, to be spoilt before it is written.
#[derive(Clone)]
pub struct SliceParts {
    pub head: SliceHead,
    /// The payloads of the units that are coded.
    pub payloads: Vec<Vec<u8>>,
}

impl SliceParts {
    pub fn new(board: &Board, shape: &Shape, values: &[Option<Written>]) -> SliceParts {
        let header = SliceHeader {
            name: shape.slice,
            rows: board.rows(),
            columns: board.columns(),
            indices: shape.indices,
        };
        let constant = |mut values: &mut dyn Iterator<Item = Written>| {
            let first = values.next().unwrap_or(Written::Draw);
            Iterator::all(&mut values, |value| value == first).then_some(first)
        };
        let mut frequencies = Frequencies::default();
        let all = constant(&mut values.iter().copied().flatten());
        if all.is_some() {
            let head = SliceHead { header, constant: all, frequencies, units: Vec::new() };
            return SliceParts { head, payloads: Vec::new() };
        }
        let contexts = contexts(board, shape, values);
        let named = |part: &PartValues| constant(&mut part.iter().map(|v| v.1));
        let mut counts = vec![[0u64; 3]; CONTEXTS as usize];
        let parts = contexts.iter().flatten();
        for (context, value) in parts.filter(|part| named(part).is_none()).flatten() {
            counts[usize::from(*context)][*value as usize] += 1;
        }
        (0..).zip(counts).for_each(|(i, counts)| frequencies.describe_counts(i, counts));
        let mut payloads = Vec::new();
        let units =
            contexts.iter().map(|unit| match constant(&mut unit.iter().flatten().map(|v| v.1)) {
                Some(value) => Unit::Constant(value),
                None => {
                    let codes: Vec<_> =
                        unit.iter().map(|part| (named(part), encode(&frequencies, part))).collect();
                    let part = |(constant, code)| match constant {
                        &Some(value) => Part::Constant(value),
                        None => Part::Coded(code),
                    };
                    let parts: Vec<Part<'_>> = codes.iter().map(|(a, b)| part((a, b))).collect();
                    let payload = payload::encode(&parts);
                    let length = payload.len().try_into().unwrap();
                    payloads.push(payload);
                    // The offset is computed when the file is encoded.
                    Unit::Coded { offset: 0, length }
                }
            });
        let units = units.collect();
        SliceParts { head: SliceHead { header, constant: None, frequencies, units }, payloads }
    }

    pub fn bytes(&self) -> Vec<u8> {
        [self.head.encode(), self.payloads.concat()].concat()
    }

    /// The offset of the first payload.
    pub fn payload_offset(&self) -> usize {
        self.head.encode().len()
    }
}

/// Whether these bytes are a file of these values, decoded with the contexts that follow from the
/// right values.
pub fn encodes(board: &Board, shape: &Shape, values: &[Option<Written>], bytes: &[u8]) -> bool {
    let Ok(head) = SliceHead::decode(bytes, bytes.len() as u64) else {
        return false;
    };
    if head.header != SliceParts::new(board, shape, values).head.header {
        return false;
    }
    if let Some(constant) = head.constant {
        return values.iter().flatten().all(|&value| value == constant);
    }
    let contexts = contexts(board, shape, values);
    let all = |values: &PartValues, constant| values.iter().all(|&(_, value)| value == constant);
    let is_code = |code: &[u8], values: &PartValues| {
        Decoder::new(&head.frequencies, code).is_some_and(|mut decoder| {
            values.iter().all(|&(context, value)| decoder.next(context.into()) == value)
                && decoder.is_finished()
        })
    };
    let is_right = |(unit, values): (&Unit, &Vec<PartValues>)| match *unit {
        Unit::Constant(constant) => values.iter().all(|values| all(values, constant)),
        Unit::Coded { offset, length } => {
            let start = usize::try_from(offset).unwrap();
            let payload = &bytes[start..start + length as usize];
            let parts = payload::read(payload, values.len());
            parts.is_some_and(|parts| {
                parts.iter().zip(values).all(|(part, values)| match part {
                    Part::Constant(constant) => all(values, *constant),
                    Part::Coded(code) => is_code(code, values),
                })
            })
        }
    };
    head.units.len() == contexts.len() && head.units.iter().zip(&contexts).all(is_right)
}

/// Makes the checksum of a head right again, if it is all there.
pub fn repair_head(bytes: &mut [u8]) {
    const SUM: usize = 24;
    let Ok(length) = head_length(&bytes[..bytes.len().min(START)]) else { return };
    let Some(head) = usize::try_from(length).ok().and_then(|length| bytes.get(..length)) else {
        return;
    };
    // What comes before the checksum is what a head without contexts and units has, but for these
    // numbers.
    let Some(start) = checksum_offset(head) else { return };
    let sum = Digest::of(&[&head[..start], &head[start + SUM..]].concat()).0;
    bytes[start..start + SUM].copy_from_slice(&sum[..SUM]);
}

/// Returns the place of a head's checksum: after magic, version, and a head in postcard
/// (`SPEC.md` §8.3).
fn checksum_offset(head: &[u8]) -> Option<usize> {
    let mut at = 12;
    let varint = |at: &mut usize| {
        let (mut value, mut shift) = (0u64, 0u32);
        loop {
            let byte = *head.get(*at)?;
            *at += 1;
            value |= u64::from(byte & 127).checked_shl(shift)?;
            shift += 7;
            if byte < 128 {
                return Some(value);
            }
        }
    };
    let rules = usize::try_from(varint(&mut at)?).ok()?;
    // The text, rows and columns, and the name of the slice.
    at = at.checked_add(rules)?.checked_add(2 + 4)?;
    varint(&mut at)?;
    match varint(&mut at)? {
        0 => varint(&mut at)?,
        _ => varint(&mut at).and_then(|_| varint(&mut at))?,
    };
    (at + 24 <= head.len()).then_some(at)
}

/// Makes the checksum of a payload right again.
pub fn repair_payload(payload: &mut [u8]) {
    let sum = checksum(&payload[CHECKSUM..]);
    payload[..CHECKSUM].copy_from_slice(&sum);
}

/// The files of a database.
#[derive(Clone)]
pub struct Files {
    pub rows: u8,
    pub columns: u8,
    pub cover: Cover,
    pub slices: Vec<(SliceName, Vec<u8>)>,
}

impl Files {
    pub fn new(values: &Database, pieces: u8) -> Files {
        Files::with_values(values, pieces, &|_, _| {})
    }

    /// The files of a database; `spoil` may change the values of each slice first.
    pub fn with_values(
        values: &Database,
        pieces: u8,
        spoil: &dyn Fn(&Table, &mut Vec<Option<Written>>),
    ) -> Files {
        let board = values.board();
        let encode = |table: &&Table| {
            let mut values = quiet_values(board, table);
            spoil(table, &mut values);
            (table.shape.slice, SliceParts::new(board, &table.shape, &values).bytes())
        };
        let slices = values.tables().iter().map(encode).collect();
        let (rows, columns, cover) = (board.rows(), board.columns(), Cover::up_to(pieces));
        Files { rows, columns, cover, slices }
    }

    /// The files of values that were derived for this cover.
    pub fn of_cover(values: &Database, cover: &Cover) -> Files {
        Files { cover: cover.clone(), ..Files::new(values, cover.most_pieces()) }
    }

    /// Changes the bytes of a file.
    pub fn spoil(&mut self, name: &str, spoil: impl FnOnce(&mut Vec<u8>)) {
        let mut slices = self.slices.iter_mut();
        spoil(&mut slices.find(|(slice, _)| slice.file_name() == name).unwrap().1);
    }

    pub fn folder(&self, db: &Path) -> PathBuf {
        db.join(format!("{}x{}", self.rows, self.columns))
    }

    /// Writes the files, and a manifest with their digests.
    pub fn write(&self, db: &Path) -> Digest {
        fs::create_dir_all(self.folder(db)).unwrap();
        for (name, bytes) in &self.slices {
            fs::write(self.folder(db).join(name.file_name()), bytes).unwrap();
        }
        self.write_manifest(db)
    }

    /// Writes one of the files and the manifest; the other files exist.
    pub fn write_one(&self, db: &Path, which: usize) -> Digest {
        let (name, bytes) = &self.slices[which];
        fs::write(self.folder(db).join(name.file_name()), bytes).unwrap();
        self.write_manifest(db)
    }

    /// The manifest with the digests of the files.
    pub fn manifest(&self) -> DatabaseManifest {
        let record = |(name, bytes): &(SliceName, Vec<u8>)| {
            let (length, digest) = (bytes.len() as u64, Digest::of(bytes));
            SliceRecord { name: *name, length, digest }
        };
        let slices = self.slices.iter().map(record).collect();
        let Files { rows, columns, ref cover, .. } = *self;
        DatabaseManifest { rows, columns, cover: cover.clone(), slices }
    }

    fn write_manifest(&self, db: &Path) -> Digest {
        let manifest = self.manifest();
        fs::write(self.folder(db).join("MANIFEST"), manifest.encode()).unwrap();
        manifest.root()
    }
}

/// Writes a database as it should be.
pub fn write_database(db: &Path, values: &Database, pieces: u8) -> Digest {
    Files::new(values, pieces).write(db)
}
