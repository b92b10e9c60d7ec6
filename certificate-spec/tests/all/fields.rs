//! Each rule about the fields of a file: a file that breaks it is refused, at the right offset.

use crate::decoders::{
    checksum_at, claim_sample, constant_sample, database_sample, manifest_sample, mend,
    object_sample, slice_sample,
};
use crate::prelude::*;
use certificate_spec::leaves;
use certificate_spec::nodes;

/// The offset of an error of syntax.
fn place<T: std::fmt::Debug>(result: Result<T, WireError>) -> u64 {
    match result {
        Err(WireError::Syntax { offset, .. }) => offset,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_line_of_a_claim_is_judged() {
    let right = claim_sample().encode();
    let line = |text: &str, n: usize| {
        text.split_inclusive('\n').take(n).map(str::len).sum::<usize>() as u64
    };
    for (from, to, wrong) in [
        ("draughtproof", "Draughtproof", 0),
        ("certificate 1", "certificate  1", 0),
        ("rules ", "rules  ", 1),
        ("game 6x6", "game 6 x 6", 2),
        ("game 6x6", "game ", 2),
        ("game 6x6", "game 6x6\r", 2),
        ("start ", "", 3),
        ("DRAW", "DRAWN", 4),
        ("DRAW", "draw", 4),
        ("pieces 7,8:4", "pieces 8:4,7", 5),
        ("pieces 7,8:4", "pieces 07", 5),
        ("pieces 7,8:4", "pieces 7:6", 5),
        ("pieces 7,8:4", "pieces 33", 5),
        ("pieces 7,8:4", "pieces 0", 6),
        ("database ", "database 0", 6),
        ("database ", "database A", 6),
        ("database ", "database none\n", 6),
    ] {
        let changed = right.replacen(from, to, 1);
        assert_ne!(changed, right);
        assert_eq!(place(Claim::decode(changed.as_bytes())), line(&changed, wrong), "{to}");
    }
    let without = Claim { cover: Cover::none(), database: None, ..claim_sample() }.encode();
    assert!(Claim::decode(without.as_bytes()).is_ok());
    let with = without.replace("database none", "database nothing");
    assert_eq!(place(Claim::decode(with.as_bytes())), line(&with, 6));
}

#[test]
fn every_field_of_a_manifest_is_judged() {
    let right = manifest_sample();
    let object = object_sample();
    let most = Object { count: u64::MAX, ..object };
    let provenance = right.objects[2];
    let white = |object: Object| Object { question: Question::WhiteWins, ..object };
    let leaves = |object: Object| Object { kind: Kind::Leaves, ..object };
    // The records, and the index of the wrong one.
    let cases: [(&str, Vec<Object>, usize); 14] = [
        ("nothing", vec![Object { count: 0, ..object }], 0),
        ("a first that is not 0", vec![Object { first: 1, ..object }], 0),
        ("a gap", vec![object, Object { first: 201, ..object }], 1),
        ("an overlap", vec![object, Object { first: 199, ..object }], 1),
        ("a record twice", vec![object, object], 1),
        ("a first that goes on in another question", vec![object, white(right.objects[1])], 1),
        ("a first that goes on in another kind", vec![object, leaves(right.objects[1])], 1),
        ("questions that descend", vec![white(object), object], 1),
        ("kinds that descend", vec![leaves(object), white(object)], 1),
        ("more than 2⁶⁴ − 1", vec![object, Object { first: 200, ..most }], 1),
        ("two provenances at once", vec![Object { count: 2, ..provenance }], 0),
        ("two provenances", vec![provenance, Object { first: 1, ..provenance }], 1),
        ("a provenance before nodes", vec![provenance, object], 1),
        ("no provenance", vec![object, Object { count: 0, ..provenance }], 1),
    ];
    for (what, objects, wrong) in cases {
        let manifest = Manifest { objects, ..right.clone() };
        assert_eq!(place(Manifest::decode(&manifest.encode())), manifest.offset(wrong), "{what}");
    }
    let all = Manifest { objects: vec![most], ..right.clone() };
    assert!(Manifest::decode(&all.encode()).is_ok(), "2⁶⁴ − 1 of them may be");
    // A kind and a question that do not exist.
    for (at, number) in [(0, 3), (1, 4), (0, 0x7f)] {
        let mut bytes = right.encode();
        bytes[usize::try_from(right.offset(1)).unwrap() + at] = number;
        assert_eq!(place(Manifest::decode(&bytes)), right.offset(1));
    }
}

#[test]
fn every_field_of_a_database_manifest_is_judged() {
    let right = database_sample();
    let with = |names: &[[u8; 4]]| {
        let record = right.slices[0];
        let slices = names.iter().map(|&name| {
            let name = SliceName(name);
            certificate_spec::database::SliceRecord { name, ..record }
        });
        DatabaseManifest { slices: slices.collect(), ..right.clone() }
    };
    let first = [0, 1, 0, 1];
    // The database's cover is 7,8:4.
    for (what, names, wrong) in [
        ("a slice twice", [first, first], 1),
        ("fewer men after more", [[1, 0, 1, 0], [0, 1, 1, 0]], 1),
        ("fewer pieces after more", [[0, 2, 0, 1], first], 1),
        ("nine pieces", [first, [4, 0, 4, 1]], 1),
        ("five on a side", [first, [4, 1, 3, 0]], 1),
        ("one side only", [[0, 2, 0, 0], first], 0),
        ("numbers that add up to more than a byte", [first, [255, 255, 255, 255]], 1),
    ] {
        let manifest = with(&names);
        let read = DatabaseManifest::decode(&manifest.encode());
        assert_eq!(place(read), manifest.offset(wrong), "{what}");
    }
    for name in [[0, 4, 0, 4], [4, 0, 4, 0], [6, 0, 0, 1], [0, 1, 3, 3]] {
        assert!(DatabaseManifest::decode(&with(&[first, name]).encode()).is_ok(), "{name:?}");
    }
}

#[test]
fn a_part_of_a_database_has_the_slices_that_its_cover_admits() {
    fn is_so(Any(manifest): Any<DatabaseManifest>, Any(cover): Any<Cover>) -> bool {
        let part = manifest.restricted_to(&cover);
        let right: Vec<_> = manifest.slices.iter().filter(|s| cover.admits_slice(s.name)).collect();
        part.cover == cover
            && part.slices.iter().eq(right)
            && (part.rows, part.columns) == (manifest.rows, manifest.columns)
            && manifest.restricted_to(&manifest.cover) == manifest
            && (part == manifest) == (part.root() == manifest.root())
            && DatabaseManifest::decode(&part.encode()) == Ok(part)
    }
    let property = is_so as fn(Any<DatabaseManifest>, Any<Cover>) -> bool;
    QuickCheck::new().quickcheck(property);
}

#[test]
fn objects_have_as_many_records_as_they_say() {
    let head = |count| ObjectHead { question: Question::BlackNotLost, first: 0, count };
    let position = nodes::WirePosition { black: 1, white: 2, kings: 0, turn: 0 };
    let node = nodes::Node { position, rank: 1, data: 0, kind: 1, reserved: 0 };
    let leaf = |strategy: &'static [u8]| Leaf { positions: 1, strategy };
    for count in [0, 1, 3, u64::MAX] {
        let at = head(count).length() as u64;
        assert_eq!(place(nodes::decode(&nodes::encode(&head(count), &[node; 2]))), at);
        if count > 2 {
            let all = leaves::encode(&head(count), &[leaf(&[]), leaf(&[])]);
            assert_eq!(place(leaves::decode(&all)), at);
        }
    }
    // The bytes after the directory are those of strategies.
    let too_few = leaves::encode(&head(1), &[leaf(&[]), leaf(&[])]);
    assert_eq!(place(leaves::decode(&too_few)), 15 + 16);
    let right = leaves::encode(&head(2), &[leaf(&[7, 8]), leaf(&[9, 10])]);
    assert!(leaves::decode(&right).is_ok());
    for (what, at, to, wrong) in [
        ("no positions", 15 + 16 + 8, 0, 15 + 16 + 8),
        ("a strategy longer than the rest", 15, 5, 15),
        ("a second one longer than what the first leaves", 15 + 16, 3, 15 + 16),
        ("a byte left over", 15 + 16, 1, 15 + 32 + 3),
    ] {
        let mut bytes = right.clone();
        bytes[at] = to;
        assert_eq!(place(leaves::decode(&bytes)), wrong, "{what}");
    }
    // A question that does not exist.
    let mut bytes = right;
    bytes[12] = 4;
    assert_eq!(place(leaves::decode(&bytes)), 12);
}

#[test]
fn every_field_of_a_slice_head_is_judged() {
    let sample = slice_sample();
    // The offsets of the coding, of the first context and of the first directory entry.
    let sum = checksum_at(&sample).unwrap();
    let (coding, contexts, entries) = (sum - 3, sum + 24, sum + 24 + 12);
    let (sum_at, end) = (sum as u64, sample.len() as u64);
    let [first, second] = [contexts, contexts + 6].map(|at| at as u64);
    let entry = |i: usize| (entries + 4 * i) as u64;
    // The change, and the offset that the error names.
    let changes: [(&str, usize, &[u8], u64); 22] = [
        ("magic", 0, b"X", 0),
        ("coding 2", coding, &[2], 12),
        ("value 3", coding, &[0, 3], 12),
        ("a value, and then too much", coding, &[0, 2], sum_at - 1 + 24),
        ("577 contexts", coding + 1, &[0xc1, 4], 12),
        ("another number of contexts", coding + 1, &[1], first + 10),
        ("another number of units", coding + 2, &[3], entry(3)),
        ("as many units as there is room for", coding + 2, &[7], end),
        ("more units than there is room for", coding + 2, &[8], 12),
        ("checksum", sum + 23, &[0], sum_at),
        ("a context twice", contexts + 6, &[4, 0], second),
        ("contexts that descend", contexts + 6, &[3, 0], second),
        ("context 576", contexts + 6, &[0x40, 2], second),
        ("no losses", contexts + 2, &[0, 0], first),
        ("no wins", contexts + 4, &[0, 0], first),
        ("no draws", contexts + 2, &[0xbf, 0x20, 0x41, 0x1f], first),
        ("frequencies that add up to more than 2¹⁶", contexts + 2, &[0xff; 4], first),
        ("the default", contexts + 2, &[0x55, 0x15, 0x55, 0x15], first),
        ("a constant with a length", entries, &[4], entry(0)),
        ("too short a payload", entries + 12, &[8 << 2 | 3], entry(3)),
        ("another length", entries + 12, &[13 << 2 | 3], end),
        ("one payload more", entries, &[12 << 2 | 3], end),
    ];
    assert!(SliceHead::decode(&sample, end).is_ok());
    for (what, at, to, offset) in changes {
        let mut bytes = sample.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        assert_ne!(bytes, sample, "{what}");
        if what != "checksum" {
            mend(&mut bytes);
        }
        assert_eq!(place(SliceHead::decode(&bytes, end)), offset, "{what}");
    }
    // A file that is longer or shorter than its directory says.
    for (length, offset) in [(end + 1, end), (end - 1, end - 1)] {
        assert_eq!(place(SliceHead::decode(&sample, length)), offset);
    }
    let constant = constant_sample();
    let length = constant.len() as u64;
    assert_eq!(place(SliceHead::decode(&constant, length + 1)), length);
}

#[test]
fn texts_of_a_provenance_are_printable_ascii() {
    fn refused(Any(provenance): Any<Provenance>, which: u8, text: String, byte: u8) -> bool {
        let head = ObjectHead { question: Question::BlackWins, first: 0, count: 1 };
        let put = |text: &str| {
            let mut other = provenance.clone();
            let text = text.to_string();
            match which % 4 {
                0 => other.program = text,
                1 => other.request.game = text,
                2 => other.request.start = text,
                _ => other.request.seed_line.push(text),
            }
            other.encode(&head)
        };
        let is_printable = |text: &str| text.bytes().all(|b| (32..=126).contains(&b));
        let is_right = |text: &str| match Provenance::decode(&put(text)) {
            Ok((_, read)) => is_printable(text) && read.encode(&head) == put(text),
            Err(error) => !is_printable(text) && error.to_string().starts_with("offset 15: "),
        };
        // A text that is not UTF-8.
        let mut bytes = put("?marked?");
        let at = bytes.windows(8).position(|window| window == b"?marked?").unwrap();
        bytes[at] = byte | 0x80;
        let ascii = char::from(byte & 0x7f).to_string();
        is_right(&text) && is_right(&ascii) && place(Provenance::decode(&bytes)) == 15
    }
    let property = refused as fn(Any<Provenance>, u8, String, u8) -> bool;
    QuickCheck::new().tests(1000).quickcheck(property);
}

#[test]
fn a_provenance_is_shown_in_printable_lines() {
    fn is_so(Any(provenance): Any<Provenance>) -> bool {
        let text = provenance.to_string();
        text.lines().count() == 2 + provenance.iterations.len()
            && text.bytes().all(|b| b == b'\n' || (32..=126).contains(&b))
    }
    QuickCheck::new().quickcheck(is_so as fn(Any<Provenance>) -> bool);

    let Any(mut provenance) = Any::<Provenance>::arbitrary(&mut Gen::new(1));
    provenance.program = "draughtproof-prove 0.1.0".into();
    provenance.mode = Mode::FreeRunning(Resources { threads: 4, workers: 1, seconds: 60 });
    let request = &mut provenance.request;
    (request.game, request.start) = ("6x6".into(), "B:W13:B1".into());
    (request.leaf_nodes, request.leaf_table) = (1000, 4096);
    request.cover = Cover::parse("7,8:4").unwrap();
    request.claim = certificate_spec::provenance::Asked::BlackNotLost;
    request.max_nodes = Some(5);
    request.thresholds = Some(Thresholds { first: 100, increment: 50, until: Some(300) });
    request.seed_line = vec!["9-13".into(), "22x15".into()];
    let threshold = Some(100);
    let (nodes, leaves, searches, searched, depth) = (1, 2, 3, 4, 5);
    let iteration = Iteration { threshold, nodes, leaves, searches, searched, depth };
    provenance.iterations = vec![iteration, Iteration { threshold: None, ..iteration }];
    let lines = [
        "made by draughtproof-prove 0.1.0, free-running: 4 threads, 1 workers, 60 s",
        "game=6x6 start=B:W13:B1 claim=black-not-lost pieces=7,8:4 leaf-nodes=1000 leaf-table=4096 \
         max-nodes=5 threshold=100 increment=50 until-threshold=300 seed-line=9-13 22x15",
        "iteration threshold=100 nodes=1 leaves=2 searches=3 searched=4 depth=5",
        "iteration threshold=none nodes=1 leaves=2 searches=3 searched=4 depth=5",
    ];
    assert_eq!(provenance.to_string(), lines.join("\n"));
}
