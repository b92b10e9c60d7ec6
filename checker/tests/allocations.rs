//! The memory for hostile certificates and databases: the bounds that `check --help` states.
//!
//! One thing is tried after the other in a single test, because what others allocate meanwhile
//! would count.

mod common;
#[path = "../../tests/fuzz/src/counting.rs"]
mod counting;

use certificate_spec::bits::{BitWriter, width};
use certificate_spec::claim::Value;
use certificate_spec::database::DatabaseManifest;
use certificate_spec::leaves;
use certificate_spec::manifest::Object;
use certificate_spec::nodes;
use certificate_spec::object::ObjectHead;
use certificate_spec::provenance::{Asked, Iteration, Mode, Provenance, Request};
use common::*;
use counting::peak;
use std::collections::HashSet;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

const QUESTION: Question = Question::BlackNotLost;
/// The bytes that the thread pool and words take, whatever the input is.
const ROOM: usize = 64 << 10;

type Objects = Vec<(Object, Vec<u8>)>;

/// Items in objects of at most `each` items.
fn objects(
    kind: Kind,
    count: usize,
    each: usize,
    encode: impl Fn(&ObjectHead, std::ops::Range<usize>) -> Vec<u8>,
) -> Objects {
    let object = |first: usize| {
        let range = first..count.min(first + each);
        let (first, count) = (first as u64, range.len() as u64);
        let head = ObjectHead { question: QUESTION, first, count };
        let bytes = encode(&head, range);
        let (length, digest) = (bytes.len() as u64, Digest::of(&bytes));
        (Object { kind, question: QUESTION, first, count, length, digest }, bytes)
    };
    (0..count).step_by(each).map(object).collect()
}

/// Checks a certificate of 8x8 with these objects. Returns the verdict, and the most memory that
/// the check took beyond what the files themselves justify: four times their bytes, and some per
/// file.
fn check(start: &str, objects: &Objects) -> (String, usize) {
    let place = Place::new();
    let (game, value) = ("8x8".into(), Value::BlackNotLost);
    let claim = Claim { game, start: start.into(), value, cover: Cover::none(), database: None };
    write_raw(&place.cert(), claim.encode().as_bytes(), objects);
    let options = Options { threads: Some(1), ..place.options() };
    let (verdict, most) = peak(|| check_certificate(&place.cert(), &options));
    let files: usize = objects.iter().map(|(_, bytes)| 4 * bytes.len() + 500).sum();
    (verdict.line(), most.saturating_sub(files + ROOM))
}

fn wire(p: &Position) -> WirePosition {
    let turn = u8::from(p.turn == Side::White);
    WirePosition { black: p.black, white: p.white, kings: p.kings, turn }
}

#[test]
fn hostile_files_cost_what_is_stated() {
    nodes_leaves_and_provenance();
    replays();
    databases_of_draws();
    manifests_of_zeros();
    objects_of_zeros();
    slices_of_zeros();
    claims_of_many_pieces();
}

/// The size of files that take a few bytes on disk and go on with zeros.
const LONG: u64 = 20 << 20;
/// The most memory for such a file: it is hashed a piece at a time.
const PIECES: usize = 1 << 20;

/// Makes a file longer by zeros that take no room on disk. Returns the digest of it all.
fn lengthen(path: &Path, length: u64) -> Digest {
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(length).unwrap();
    Digest::of(&std::fs::read(path).unwrap())
}

/// Objects whose length cannot be right for what the manifest states are not read into memory, nor
/// are those that have another digest.
fn objects_of_zeros() {
    for (kind, is_right, said) in [
        (Kind::Nodes, true, "object-syntax file=objects/"),
        (Kind::Nodes, false, "object-hash file=objects/"),
        (Kind::Leaves, false, "object-hash file=objects/"),
        (Kind::Provenance, true, "object-syntax file=objects/"),
        (Kind::Provenance, false, "object-hash file=objects/"),
    ] {
        let place = Place::new();
        // The three kinds differ in their magic bytes only, as far as the count.
        let (mut object, mut bytes) =
            objects(Kind::Nodes, 1, 1, |h, _| nodes::encode(h, &[])).remove(0);
        let magic = [b"DPNODES\0", b"DPLEAVES", b"DPPROVEN"][kind as usize];
        bytes[..8].copy_from_slice(magic);
        let long = place.0.path().join("long");
        std::fs::write(&long, &bytes).unwrap();
        let digest = lengthen(&long, LONG);
        object = Object { kind, length: LONG, ..object };
        object.digest = if is_right { digest } else { Digest([7; 32]) };
        let (game, start) = ("8x8".into(), "B:W21:B12".into());
        let value = Value::BlackNotLost;
        let claim = Claim { game, start, value, cover: Cover::none(), database: None };
        write_raw(&place.cert(), claim.encode().as_bytes(), &[(object, bytes)]);
        let name = place.cert().join("objects").join(object.digest.to_string());
        std::fs::rename(&long, &name).unwrap();
        let options = Options { threads: Some(1), ..place.options() };
        let (verdict, most) = peak(|| check_certificate(&place.cert(), &options));
        let line = verdict.line();
        assert!(line.starts_with(&format!("s REFUTED {said}")), "{kind:?}: {line}");
        assert_eq!(line.contains(" offset=15 "), is_right, "{line}");
        assert!(most < PIECES, "{most} for {kind:?}");
    }
}

/// Writes a slice file with this number of units, whose payloads are zeros and fill it up to nearly
/// [`LONG`] bytes, and its record in the manifest. Returns the length of the head.
fn write_zeros(db: &Path, board: &Board, name: SliceName, units: u32) -> u64 {
    let shape = Shape::new(board, name);
    let header =
        SliceHeader { name, rows: board.rows(), columns: board.columns(), indices: shape.indices };
    let length = (u32::try_from(LONG).unwrap() - 1000) / units;
    let units = vec![Unit::Coded { offset: 0, length }; units as usize];
    let all = u64::from(length) * units.len() as u64;
    let bytes = SliceHead { header, constant: None, frequencies: Default::default(), units };
    let bytes = bytes.encode();
    let folder = db.join(board.name());
    let path = folder.join(name.file_name());
    std::fs::write(&path, &bytes).unwrap();
    let head = bytes.len() as u64;
    let digest = lengthen(&path, head + all);
    let manifest = std::fs::read(folder.join("MANIFEST")).unwrap();
    let mut manifest = DatabaseManifest::decode(&manifest).unwrap();
    let record = manifest.slices.iter_mut().find(|slice| slice.name == name).unwrap();
    record.length = head + all;
    record.digest = digest;
    std::fs::write(folder.join("MANIFEST"), manifest.encode()).unwrap();
    head
}

/// Checks a database with four threads, and expects a payload of this slice that cannot be decoded.
/// Returns the most memory.
fn check_payload(place: &Place, board: &Board, slice: &str, offset: u64) -> u64 {
    let options = Options { threads: Some(4), ..place.options() };
    let (verdict, most) = peak(|| check_database(board, None, &options));
    let line = verdict.line();
    let said = format!("s REFUTED slice-syntax file={}/{slice} offset={offset} ", board.name());
    assert!(line.starts_with(&said), "{line}");
    most as u64
}

/// Of a slice file whose length cannot be right, no more is read than what can be; and no thread
/// has a whole file in memory to judge its head.
fn slices_of_zeros() {
    // Too long for the one unit of a slice of 4x4.
    let (place, small) = (Place::new(), board("4x4"));
    write_database(&place.db(), &database(&small, 2), 2);
    let head = write_zeros(&place.db(), &small, SliceName([0, 1, 0, 1]), 1);
    let most = check_payload(&place, &small, "0-1-0-1", head);
    assert!(most < PIECES as u64, "{most}");
    // Not too long for these.
    let (place, large) = (Place::new(), board("8x8"));
    all_drawn(5).write(&place.db());
    let head = write_zeros(&place.db(), &large, SliceName([1, 1, 1, 2]), 196);
    write_zeros(&place.db(), &large, SliceName([1, 2, 1, 1]), 196);
    write_zeros(&place.db(), &large, SliceName([2, 1, 1, 1]), 166);
    write_zeros(&place.db(), &large, SliceName([1, 1, 2, 1]), 166);
    let most = check_payload(&place, &large, "1-1-1-2", head);
    assert!(most < LONG + (4 << 20), "{most}");
}

/// Manifests that begin as they should and go on with gigabytes of zeros are not read.
fn manifests_of_zeros() {
    const LONG: u64 = 3 << 30;
    let lengthen = |path: std::path::PathBuf| {
        std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(LONG).unwrap();
    };
    let (place, board) = (Place::new(), board("4x4"));
    write_raw(&place.cert(), draw_4x4(&oracle_4x4(), 0).claim.encode().as_bytes(), &Vec::new());
    write_database(&place.db(), &database(&board, 2), 2);
    lengthen(place.cert().join("MANIFEST"));
    lengthen(place.db().join("4x4/MANIFEST"));
    let options = Options { threads: Some(1), ..place.options() };
    let (verdict, most) = peak(|| check_certificate(&place.cert(), &options));
    let line = verdict.line();
    assert!(line.starts_with("s REFUTED manifest-syntax file=MANIFEST offset=45 "), "{line}");
    assert!(most < ROOM, "{most}");
    let (verdict, most) = peak(|| check_database(&board, None, &options));
    let line = verdict.line();
    assert!(line.starts_with("s REFUTED database-manifest file=4x4/MANIFEST offset=36 "), "{line}");
    assert!(most < ROOM, "{most}");
    // A manifest that states this length has more records than a database can have.
    let path = place.cert().join("MANIFEST");
    let mut start = vec![0; 64];
    let file = std::fs::File::open(&path).unwrap();
    std::os::unix::fs::FileExt::read_exact_at(&file, &mut start, 0).unwrap();
    start[45..50].copy_from_slice(&[0xff, 0xff, 0xff, 0xff, 0x07]);
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &start, 0).unwrap();
    let (verdict, most) = peak(|| check_certificate(&place.cert(), &options));
    let line = verdict.line();
    assert!(line.starts_with("s REFUTED manifest-syntax file=MANIFEST offset=45 "), "{line}");
    assert!(most < ROOM, "{most}");
}

/// A claim of a few bytes that needs the largest of all databases, which is missing: nothing is
/// planned for it.
fn claims_of_many_pieces() {
    let place = Place::new();
    let cover = Cover::up_to(32);
    let crowd = |squares: std::ops::RangeInclusive<u8>| {
        squares.map(|square| square.to_string()).collect::<Vec<_>>().join(",")
    };
    let claim = Claim {
        game: "8x8".into(),
        start: format!("B:W{}:B{}", crowd(21..=32), crowd(1..=12)),
        value: Value::BlackNotLost,
        cover,
        database: Some(Digest([0; 32])),
    };
    write_raw(&place.cert(), claim.encode().as_bytes(), &Vec::new());
    let options = Options { threads: Some(1), ..place.options() };
    let refused = |start: &str| {
        let (verdict, most) = peak(|| check_certificate(&place.cert(), &options));
        let line = verdict.line();
        assert!(line.starts_with(start), "{line}");
        assert!(most < 2 * ROOM, "{most}");
    };
    refused("s ERROR cannot read ");
    // A database that has fewer pieces than the claim.
    all_drawn(2).write(&place.db());
    refused("s REFUTED database-manifest file=8x8/MANIFEST offset=12 ");
}

fn nodes_leaves_and_provenance() {
    let start = "B:W21:B12";
    // One item more than a vector that doubles its capacity has room for.
    for (count, each) in [(131_073, usize::MAX), (131_073, 100), (1025, 1)] {
        let node = |i: usize| {
            let black = u32::try_from(i + 1).unwrap();
            let position = WirePosition { black, white: 0, kings: black, turn: 0 };
            Node { position, rank: 0, data: 0, kind: kind::ASSUMED, reserved: 0 }
        };
        let all = objects(Kind::Nodes, count, each, |header, range| {
            nodes::encode(header, &range.map(node).collect::<Vec<_>>())
        });
        let (line, most) = check(start, &all);
        assert!(line.starts_with("s REFUTED start-missing"), "{line}");
        assert!(most <= 100 * count, "{most} for {count} nodes");
        let leaf = Leaf { positions: u64::MAX, strategy: Vec::new() };
        let all = objects(Kind::Leaves, count, each, |header, range| {
            leaves::encode(header, &vec![leaf.clone(); range.len()])
        });
        let (line, most) = check(start, &all);
        assert!(line.starts_with("s REFUTED leaf-number"), "{line}");
        assert!(most <= 100 * count, "{most} for {count} leaves");
    }
    // Text that is only shown costs the memory that it takes, a few times its bytes.
    let count = 9000;
    let text = String::from;
    let request = Request {
        game: text("8x8"),
        start: text(start),
        claim: Asked::Value,
        cover: Cover::none(),
        leaf_nodes: 0,
        leaf_table: 0,
        max_nodes: None,
        thresholds: None,
        seed_line: vec![String::new(); count],
    };
    let (nodes, leaves, searches, searched, depth) = Default::default();
    let iteration = Iteration { threshold: None, nodes, leaves, searches, searched, depth };
    let (mode, iterations) = (Mode::Reproducible, vec![iteration; count]);
    let provenance = Provenance { program: text("none 0"), mode, request, iterations };
    let all = objects(Kind::Provenance, 1, 1, |head, _| provenance.encode(head));
    let (line, most) = check(start, &all);
    assert!(line.starts_with("s REFUTED start-missing"), "{line}");
    assert!(most <= 4 << 20, "{most} for {count} iterations and moves");
}

/// Choices of Black with which a replay expands `positions` positions before it is at an end or
/// Black is stuck, if these random numbers lead to any.
fn strategy(board: &Board, start: Position, positions: usize, mut random: u64) -> Option<Vec<u8>> {
    let (mut seen, mut bits, mut todo) = (HashSet::new(), BitWriter::default(), vec![start]);
    while let Some(p) = todo.pop().filter(|_| seen.len() < positions) {
        if !seen.insert(p) {
            continue;
        }
        let moves = successors(board, &p);
        if p.turn == Side::White {
            todo.extend(moves.iter().rev());
            continue;
        }
        // Prefers moves after which no piece is taken next, and among these new positions.
        let black = |p: &Position| p.black.count_ones();
        let is_safe = |y: &Position| successors(board, y).iter().all(|z| black(z) == black(y));
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let offset = usize::try_from(random >> 33).unwrap();
        let good = |i: &usize| (is_safe(&moves[*i]), !seen.contains(&moves[*i]));
        let choice = (0..moves.len()).map(|i| (i + offset) % moves.len()).max_by_key(good)?;
        bits.push(choice.try_into().unwrap(), width(moves.len()));
        todo.push(moves[choice]);
    }
    (seen.len() == positions).then(|| bits.finish())
}

fn replays() {
    let board = board("8x8");
    let crowd = "B:WK23,K24,K25,K26,K27,K28,K29,K30,K31,K32:BK1,K2,K3,K4,K5,K6,K7,K8";
    for start in ["B:WK29,K30,K31,K32:BK1,K2,K3,K4", crowd] {
        for positions in [7169, 28_673] {
            let strategy = |random| strategy(&board, fen(start), positions + 1, random);
            let bytes = (1..9).find_map(strategy).expect("a long replay");
            let leaf = Leaf { positions: positions as u64, strategy: bytes };
            let position = wire(&fen(start));
            let node = Node { position, rank: 0, data: 0, kind: kind::LEAF, reserved: 0 };
            let mut all = objects(Kind::Nodes, 1, 1, |h, _| nodes::encode(h, &[node]));
            all.extend(objects(Kind::Leaves, 1, 1, |h, _| {
                leaves::encode(h, std::slice::from_ref(&leaf))
            }));
            let (line, most) = check(start, &all);
            assert!(line.contains("found=more%20positions"), "{line}");
            assert!(most <= 300 * positions, "{most} for {positions} positions");
        }
    }
}

/// Databases that state many positions in few bytes.
fn databases_of_draws() {
    let board = board("8x8");
    for pieces in [4, 6] {
        let place = Place::new();
        all_drawn(pieces).write(&place.db());
        for level in [Level::Exact, Level::Consistent] {
            let options = Options { level, threads: Some(1), ..place.options() };
            let (verdict, most) = peak(|| check_database(&board, None, &options));
            let line = verdict.line();
            // Nothing is made for slices after the first group, which is wrong.
            assert!(line.starts_with("s REFUTED slice-value file=8x8/0-1-0-1 "), "{line}");
            assert!(most < 4 << 20, "{most} with {pieces} pieces");
        }
    }
    let place = Place::new();
    all_drawn(12).write(&place.db());
    let (verdict, most) = peak(|| check_database(&board, None, &place.options()));
    assert!(verdict.line().starts_with("s ERROR no room for "), "{}", verdict.line());
    assert!(most < 4 << 20, "{most}");
}
