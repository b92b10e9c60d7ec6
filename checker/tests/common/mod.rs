//! Helpers of the tests: a plain oracle, and a writer of certificates and databases.
#![allow(dead_code)]

use certificate_spec::Digest;
use certificate_spec::bits::{BitWriter, width};
use certificate_spec::claim::{Claim, Question, Value as Claimed};
use certificate_spec::coding::{CONTEXTS, Decoder, Frequencies, encode};
use certificate_spec::database::{DatabaseManifest, SliceName, SliceRecord};
use certificate_spec::leaves::{self, Leaf};
use certificate_spec::manifest::{Kind, Manifest, Object, ObjectHeader};
use certificate_spec::nodes::{self, Node, WirePosition, kind};
use certificate_spec::slice::{
    CHECKSUM, HEADER, SliceHead, SliceHeader, Unit, Value as Written, checksum, head_length,
};
use checker::{
    Board, Database, Game, Options, Position, Shape, Side, Table, Value, check_certificate, derive,
    parse_fen,
};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub fn board(name: &str) -> Board {
    let (rows, columns) = name.split_once('x').unwrap();
    Board::new(rows.parse().unwrap(), columns.parse().unwrap()).unwrap()
}

pub fn fen(text: &str) -> Position {
    parse_fen(text).unwrap()
}

pub fn successors(board: &Board, p: &Position) -> Vec<Position> {
    let mut all = Vec::new();
    board.successors(p, &mut all);
    all
}

/// Every possible position with at most `pieces` pieces, on both sides of the board.
pub fn all_positions(board: &Board, pieces: u32) -> Vec<Position> {
    let mut all = Vec::new();
    let mut todo = vec![(0, 0u32, 0u32, 0u32)];
    while let Some((square, black, white, kings)) = todo.pop() {
        if square == board.squares() {
            if black == 0 || white == 0 {
                continue;
            }
            for turn in [Side::Black, Side::White] {
                let p = Position { black, white, kings, turn };
                if board.is_possible(&p) {
                    all.push(p);
                }
            }
            continue;
        }
        todo.push((square + 1, black, white, kings));
        if (black | white).count_ones() < pieces {
            let bit = 1 << square;
            todo.push((square + 1, black | bit, white, kings));
            todo.push((square + 1, black, white | bit, kings));
            todo.push((square + 1, black | bit, white, kings | bit));
            todo.push((square + 1, black, white | bit, kings | bit));
        }
    }
    all
}

/// Values and distances (in plies, the winner hurrying) of all those positions.
pub struct Oracle(pub HashMap<Position, (Value, u32)>);

impl Oracle {
    pub fn new(board: &Board, pieces: u32) -> Oracle {
        Oracle::given(board, pieces, &|_| None)
    }

    /// The same if some positions had these values, whatever the rules say.
    pub fn given(board: &Board, pieces: u32, value: &dyn Fn(&Position) -> Option<Value>) -> Oracle {
        let all = all_positions(board, pieces);
        let moves: Vec<_> = all.iter().map(|p| successors(board, p)).collect();
        let given = all.iter().filter_map(|p| Some((*p, (value(p)?, 0))));
        let mut known: HashMap<Position, (Value, u32)> = given.collect();
        for round in 0.. {
            let mut new = Vec::new();
            for (p, moves) in all.iter().zip(&moves) {
                if known.contains_key(p) {
                    continue;
                }
                // A side without pieces has no move: that is all that is said about it here.
                let value = |y: &Position| {
                    if y.has_both_sides() { known.get(y).map(|k| k.0) } else { Some(Value::Loss) }
                };
                if moves.iter().any(|y| value(y) == Some(Value::Loss)) {
                    new.push((*p, (Value::Win, round)));
                } else if moves.iter().all(|y| value(y) == Some(Value::Win)) {
                    new.push((*p, (Value::Loss, round)));
                }
            }
            if new.is_empty() {
                break;
            }
            known.extend(new);
        }
        for p in all {
            known.entry(p).or_insert((Value::Draw, 0));
        }
        Oracle(known)
    }

    pub fn value(&self, p: &Position) -> Value {
        if p.has_both_sides() { self.0[p].0 } else { Value::Loss }
    }

    pub fn distance(&self, p: &Position) -> u32 {
        if p.has_both_sides() { self.0[p].1 } else { 0 }
    }
}

pub fn claimant(question: Question) -> Side {
    if question.claimant_is_white() { Side::White } else { Side::Black }
}

/// The nodes and leaves of a question, to be spoilt.
#[derive(Clone)]
pub struct Part {
    pub question: Question,
    pub nodes: Vec<Node>,
    pub leaves: Vec<Leaf<Vec<u8>>>,
}

/// A certificate, to be spoilt before it is written.
#[derive(Clone)]
pub struct Certificate {
    pub claim: Claim,
    pub parts: Vec<Part>,
    /// Nodes or leaves in an object.
    pub chunk: usize,
}

/// A proof by the oracle: what a prover would make of it.
pub struct Maker<'a> {
    pub board: &'a Board,
    pub oracle: &'a Oracle,
    pub pieces: u8,
    /// Nodes this far from the start become leaves.
    pub leaf_depth: u32,
}

impl Maker<'_> {
    fn in_database(&self, p: &Position) -> bool {
        p.has_both_sides() && p.pieces() <= u32::from(self.pieces)
    }

    /// The number of a good move for the claimant.
    fn choose(&self, question: Question, p: &Position) -> u32 {
        let moves = successors(self.board, p);
        let best = if question.is_win() {
            let wins = |y: &&Position| self.oracle.value(y) == Value::Loss;
            moves.iter().filter(wins).min_by_key(|y| self.oracle.distance(y)).unwrap()
        } else {
            // The last one, so that strategies repeat positions rather than run into the database.
            moves.iter().rfind(|y| self.oracle.value(y) != Value::Win).unwrap()
        };
        moves.iter().position(|y| y == best).unwrap().try_into().unwrap()
    }

    pub fn part(&self, question: Question, start: Position) -> Part {
        let mut nodes: BTreeMap<Position, Node> = BTreeMap::new();
        let mut todo = VecDeque::from([(start, 0)]);
        let mut leaf_positions = HashSet::new();
        while let Some((p, depth)) = todo.pop_front() {
            let moves = successors(self.board, &p);
            let ours = p.turn == claimant(question);
            if self.in_database(&p) || nodes.contains_key(&p) || (moves.is_empty() && !ours) {
                continue;
            }
            let rank = if question.is_win() { self.oracle.distance(&p) } else { 0 };
            let position = WirePosition {
                black: p.black,
                white: p.white,
                kings: p.kings,
                turn: u8::from(p.turn == Side::White),
            };
            let node = Node { position, rank, data: 0, kind: kind::AND, reserved: 0 };
            let node = if depth >= self.leaf_depth {
                leaf_positions.insert(p);
                Node { kind: kind::LEAF, ..node }
            } else if ours {
                let data = self.choose(question, &p);
                todo.push_back((moves[data as usize], depth + 1));
                Node { kind: kind::OR, data, ..node }
            } else {
                todo.extend(moves.into_iter().map(|y| (y, depth + 1)));
                node
            };
            nodes.insert(p, node);
        }
        let mut leaves = Vec::new();
        let ranks: HashMap<Position, u32> = nodes.iter().map(|(p, n)| (*p, n.rank)).collect();
        for (p, node) in &mut nodes {
            if leaf_positions.contains(p) {
                node.data = leaves.len().try_into().unwrap();
                leaves.push(self.leaf(question, *p, node.rank, &ranks));
            }
        }
        Part { question, nodes: nodes.into_values().collect(), leaves }
    }

    fn leaf(
        &self,
        question: Question,
        p: Position,
        rank: u32,
        ranks: &HashMap<Position, u32>,
    ) -> Leaf<Vec<u8>> {
        let mut bits = BitWriter::default();
        let mut seen = HashSet::new();
        self.expand(question, p, rank, ranks, &mut bits, &mut seen);
        Leaf { positions: seen.len() as u64, strategy: bits.finish() }
    }

    fn expand(
        &self,
        question: Question,
        p: Position,
        rank: u32,
        ranks: &HashMap<Position, u32>,
        bits: &mut BitWriter,
        seen: &mut HashSet<Position>,
    ) {
        seen.insert(p);
        let mut moves = successors(self.board, &p);
        if p.turn == claimant(question) {
            let choice = self.choose(question, &p);
            bits.push(choice, width(moves.len()));
            moves = vec![moves[choice as usize]];
        }
        for y in moves {
            let covered = ranks.get(&y).is_some_and(|r| !question.is_win() || *r < rank);
            if !self.in_database(&y) && !seen.contains(&y) && !covered {
                self.expand(question, y, rank, ranks, bits, seen);
            }
        }
    }

    pub fn certificate(
        &self,
        game: &str,
        value: Claimed,
        start: Position,
        database: Option<Digest>,
    ) -> Certificate {
        let claim = Claim {
            game: game.into(),
            start: checker::write_fen(&start),
            value,
            pieces: self.pieces,
            database,
        };
        let parts = value.questions().iter().map(|&q| self.part(q, start)).collect();
        Certificate { claim, parts, chunk: 1000 }
    }
}

impl Certificate {
    /// The objects, in order, with their bytes.
    pub fn objects(&self) -> Vec<(Object, Vec<u8>)> {
        let mut all = Vec::new();
        let mut add =
            |kind,
             question,
             count: usize,
             encode: &dyn Fn(&ObjectHeader, std::ops::Range<usize>) -> Vec<u8>| {
                for first in (0..count).step_by(self.chunk) {
                    let range = first..count.min(first + self.chunk);
                    let header =
                        ObjectHeader { question, first: first as u64, count: range.len() as u64 };
                    let bytes = encode(&header, range);
                    let object = Object {
                        kind,
                        question,
                        first: header.first,
                        count: header.count,
                        length: bytes.len() as u64,
                        digest: Digest::of(&bytes),
                    };
                    all.push((object, bytes));
                }
            };
        for part in &self.parts {
            add(Kind::Nodes, part.question, part.nodes.len(), &|h, r| {
                nodes::encode(h, &part.nodes[r])
            });
        }
        for part in &self.parts {
            add(Kind::Leaves, part.question, part.leaves.len(), &|h, r| {
                leaves::encode(h, &part.leaves[r])
            });
        }
        all
    }

    pub fn write(&self, path: &Path) {
        write_raw(path, self.claim.encode().as_bytes(), &self.objects());
    }
}

/// Writes a certificate whatever its claim and objects are.
pub fn write_raw(path: &Path, claim: &[u8], objects: &[(Object, Vec<u8>)]) {
    let manifest = Manifest {
        claim_length: claim.len() as u64,
        claim_digest: Digest::of(claim),
        objects: objects.iter().map(|o| o.0).collect(),
    };
    fs::create_dir_all(path.join("objects")).unwrap();
    fs::write(path.join("CLAIM"), claim).unwrap();
    fs::write(path.join("MANIFEST"), manifest.encode()).unwrap();
    for (object, bytes) in objects {
        fs::write(path.join("objects").join(object.digest.to_string()), bytes).unwrap();
    }
}

/// C(n, k).
fn choose(n: u64, k: u8) -> u64 {
    (0..u64::from(k)).fold(1, |product, i| product * (n - i) / (i + 1))
}

/// The indices of the units of a slice (`SPEC.md` §8.3).
pub fn units(board: &Board, slice: SliceName) -> Vec<std::ops::Range<u64>> {
    let [a, b, c, d] = slice.0;
    let (s, m) = (u64::from(board.squares()), u64::from(board.men_squares()));
    let (columns, rows, blocks) = (choose(s, b), choose(s, d), choose(m, a) * choose(m, c));
    let block = columns * rows;
    let mut units = Vec::new();
    if block <= 65536 {
        let size = 65536 / block * block;
        let all = blocks * block;
        units.extend((0..all).step_by(size.try_into().unwrap()).map(|i| i..(i + size).min(all)));
    } else {
        let size = (65536 / columns).max(1) * columns;
        for first in (0..blocks).map(|i| i * block) {
            let starts = (0..block).step_by(size.try_into().unwrap());
            units.extend(starts.map(|i| first + i..first + (i + size).min(block)));
        }
    }
    units
}

/// The values of a slice in the order of their indices; none for what is not a quiet position.
pub fn quiet_values(board: &Board, table: &Table) -> Vec<Option<Written>> {
    let value = |index: u64| {
        let p = table.shape.position(board, index)?;
        // All moves of a position are captures, or none.
        let is_quiet = successors(board, &p).iter().all(|y| y.pieces() == p.pieces());
        is_quiet.then_some(match table.bits(index) {
            (true, _) => Written::Win,
            (_, true) => Written::Loss,
            _ => Written::Draw,
        })
    };
    (0..table.shape.indices).map(value).collect()
}

/// The contexts of the values of a slice, unit by unit, with the values.
fn contexts(board: &Board, shape: &Shape, values: &[Option<Written>]) -> Vec<Vec<(u16, Written)>> {
    let (rows, columns) = (i32::from(board.rows()), i32::from(board.columns()));
    let all = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    let dark: Vec<(i32, i32)> = all.filter(|(r, c)| (r + c) % 2 == 1).collect();
    let positions: Vec<_> = (0..).zip(values).map(|(i, _)| shape.position(board, i)).collect();
    let numbers = (0u64..).zip(&positions).filter_map(|(i, p)| Some(((*p)?, i)));
    let numbers: HashMap<Position, u64> = numbers.collect();
    let value = |index: u64| values[usize::try_from(index).unwrap()];
    let one_unit = |unit: std::ops::Range<u64>| {
        let mut unit_values = Vec::new();
        let (mut p, mut q) = (1, 1);
        for index in unit.clone() {
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
                    if let Some(value) = value(number).filter(|_| unit.contains(&number)) {
                        counts[value as usize] += 1;
                    }
                }
            }
            let [l, e, w] = counts.map(|count| count.min(3));
            unit_values.push(((((w * 4 + e) * 4 + l) * 3 + p) * 3 + q, here));
            (q, p) = (p, here as u16);
        }
        unit_values
    };
    units(board, shape.slice).into_iter().map(one_unit).collect()
}

/// What a slice file is made of, to be spoilt before it is written.
#[derive(Clone)]
pub struct SliceParts {
    pub head: SliceHead,
    /// Those of the units that are coded.
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
        let constant = |mut values: Vec<Written>| {
            values.sort_unstable();
            values.dedup();
            match values[..] {
                [] => Some(Written::Draw),
                [value] => Some(value),
                _ => None,
            }
        };
        let mut frequencies = Frequencies::default();
        let all = constant(values.iter().copied().flatten().collect());
        if all.is_some() {
            let head = SliceHead { header, constant: all, frequencies, units: Vec::new() };
            return SliceParts { head, payloads: Vec::new() };
        }
        let contexts = contexts(board, shape, values);
        let named = |unit: &Vec<(u16, Written)>| constant(unit.iter().map(|v| v.1).collect());
        let mut counts = vec![[0u64; 3]; CONTEXTS as usize];
        for (context, value) in contexts.iter().filter(|unit| named(unit).is_none()).flatten() {
            counts[usize::from(*context)][*value as usize] += 1;
        }
        (0..).zip(counts).for_each(|(i, counts)| frequencies.describe_counts(i, counts));
        let mut payloads = Vec::new();
        let units = contexts.iter().map(|unit| match named(unit) {
            Some(value) => Unit::Constant(value),
            None => {
                let payload = encode(&frequencies, unit);
                let length = payload.len().try_into().unwrap();
                payloads.push(payload);
                // Where they begin is not written.
                Unit::Coded { offset: 0, length }
            }
        });
        let units = units.collect();
        SliceParts { head: SliceHead { header, constant: None, frequencies, units }, payloads }
    }

    pub fn bytes(&self) -> Vec<u8> {
        [self.head.encode(), self.payloads.concat()].concat()
    }

    /// Where the payloads begin.
    pub fn payload_offset(&self) -> usize {
        self.head.encode().len()
    }
}

/// Whether these bytes are a file of these values: what follows from the contexts of the right ones.
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
    let is_right = |(unit, values): (&Unit, &Vec<(u16, Written)>)| match *unit {
        Unit::Constant(constant) => values.iter().all(|&(_, value)| value == constant),
        Unit::Coded { offset, length } => {
            let start = usize::try_from(offset).unwrap();
            let payload = &bytes[start..start + length as usize];
            Decoder::new(&head.frequencies, payload).is_some_and(|mut decoder| {
                values.iter().all(|&(context, value)| decoder.next(context.into()) == value)
                    && decoder.is_finished()
            })
        }
    };
    head.units.len() == contexts.len() && head.units.iter().zip(&contexts).all(is_right)
}

/// Makes the checksum of a head right again, if it is all there.
pub fn repair_head(bytes: &mut [u8]) {
    let length = bytes.get(..HEADER).map(head_length);
    let Some(Ok(length)) = length else { return };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if let Some(head) = bytes.get(..length) {
        let sum = Digest::of(&[&head[..40], &head[HEADER..]].concat()).0;
        bytes[40..HEADER].copy_from_slice(&sum[..24]);
    }
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
    pub pieces: u8,
    pub slices: Vec<(SliceName, Vec<u8>)>,
}

impl Files {
    pub fn new(values: &Database, pieces: u8) -> Files {
        Files::with_values(values, pieces, &|_, _| {})
    }

    /// Each slice's values after `spoil` has had a chance to change them.
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
        Files { rows: board.rows(), columns: board.columns(), pieces, slices }
    }

    /// Changes the bytes of a file.
    pub fn spoil(&mut self, name: &str, spoil: impl FnOnce(&mut Vec<u8>)) {
        let mut slices = self.slices.iter_mut();
        spoil(&mut slices.find(|(slice, _)| slice.file_name() == name).unwrap().1);
    }

    pub fn folder(&self, db: &Path) -> PathBuf {
        db.join(format!("{}x{}", self.rows, self.columns))
    }

    /// Writes the files and a manifest that has their digests.
    pub fn write(&self, db: &Path) -> Digest {
        fs::create_dir_all(self.folder(db)).unwrap();
        for (name, bytes) in &self.slices {
            fs::write(self.folder(db).join(name.file_name()), bytes).unwrap();
        }
        self.write_manifest(db)
    }

    /// Writes one of the files and the manifest; the others are there.
    pub fn write_one(&self, db: &Path, which: usize) -> Digest {
        let (name, bytes) = &self.slices[which];
        fs::write(self.folder(db).join(name.file_name()), bytes).unwrap();
        self.write_manifest(db)
    }

    fn write_manifest(&self, db: &Path) -> Digest {
        let record = |(name, bytes): &(SliceName, Vec<u8>)| {
            let (length, digest) = (bytes.len() as u64, Digest::of(bytes));
            SliceRecord { name: *name, length, digest }
        };
        let slices = self.slices.iter().map(record).collect();
        let Files { rows, columns, pieces, .. } = *self;
        let manifest = DatabaseManifest { rows, columns, pieces, slices };
        fs::write(self.folder(db).join("MANIFEST"), manifest.encode()).unwrap();
        manifest.root()
    }
}

/// Writes a database as it should be.
pub fn write_database(db: &Path, values: &Database, pieces: u8) -> Digest {
    Files::new(values, pieces).write(db)
}

/// A folder with the certificate in `cert` and databases in `egdb`.
pub struct Place(pub TempDir);

impl Place {
    pub fn new() -> Place {
        Place(TempDir::new().unwrap())
    }

    pub fn cert(&self) -> PathBuf {
        self.0.path().join("cert")
    }

    pub fn db(&self) -> PathBuf {
        self.0.path().join("egdb")
    }

    pub fn check(&self) -> String {
        check_certificate(&self.cert(), &self.options()).line()
    }

    pub fn options(&self) -> Options {
        Options { threads: Some(2), ..Options::new(self.db()) }
    }
}

/// Writes the certificate to an empty place and checks it.
pub fn verdict(certificate: &Certificate) -> String {
    let place = Place::new();
    certificate.write(&place.cert());
    place.check()
}

pub fn database(board: &Board, pieces: u8) -> Database {
    derive(board, pieces).unwrap()
}

/// The certificate that the game 4x4 is a draw, without a database.
pub fn draw_4x4(oracle: &Oracle, leaf_depth: u32) -> Certificate {
    let game = Game::parse("4x4").unwrap();
    let maker = Maker { board: game.board(), oracle, pieces: 0, leaf_depth };
    maker.certificate("4x4", Claimed::Draw, game.initial(), None)
}

/// A position of 4 pieces that this side wins in most moves.
pub fn longest_win(oracle: &Oracle, winner: Side) -> Position {
    let wins = |p: &&Position| {
        let value = if p.turn == winner { Value::Win } else { Value::Loss };
        p.pieces() == 4 && oracle.value(p) == value
    };
    let all = oracle.0.keys().filter(wins);
    *all.max_by_key(|p| (oracle.distance(p), **p)).unwrap()
}

/// The values of 4x4 with at most 4 pieces.
pub fn oracle() -> Oracle {
    Oracle::new(&board("4x4"), 4)
}

/// Expects a line that refutes by this rule, with this in it.
#[track_caller]
pub fn refuted(line: &str, rule: &str, rest: &str) {
    assert!(line.starts_with(&format!("s REFUTED {rule} file=")), "{line}");
    assert!(line.contains(rest), "{line} has no {rest}");
}
