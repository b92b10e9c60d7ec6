//! Decoders accept exactly what encoders write, and no bytes make them fail in any other way.

use certificate_spec::bits::{BitReader, BitWriter, width};
use certificate_spec::claim::{Claim, Value};
use certificate_spec::coding::Frequencies;
use certificate_spec::database::{DatabaseManifest, SliceName, SliceRecord};
use certificate_spec::manifest::{Kind, Manifest, Object, ObjectHeader};
use certificate_spec::nodes::{Node, WirePosition};
use certificate_spec::slice::{self, SliceHead, SliceHeader, Unit, head_length};
use certificate_spec::{Digest, WireError, claim::Question, leaves, nodes};
use quickcheck::{Arbitrary, Gen, QuickCheck};

fn question(g: &mut Gen) -> Question {
    *g.choose(&Question::ALL).unwrap()
}

fn digest(g: &mut Gen) -> Digest {
    Digest(std::array::from_fn(|_| u8::arbitrary(g)))
}

#[derive(Clone, Debug)]
struct AnyNodes(ObjectHeader, Vec<Node>);

impl Arbitrary for AnyNodes {
    fn arbitrary(g: &mut Gen) -> Self {
        let records: Vec<Node> = (0..u8::arbitrary(g) % 9)
            .map(|_| Node {
                position: WirePosition {
                    black: u32::arbitrary(g),
                    white: u32::arbitrary(g),
                    kings: u32::arbitrary(g),
                    turn: u8::arbitrary(g),
                },
                rank: u32::arbitrary(g),
                data: u32::arbitrary(g),
                kind: u8::arbitrary(g),
                reserved: u16::arbitrary(g),
            })
            .collect();
        let count = records.len() as u64;
        AnyNodes(ObjectHeader { question: question(g), first: u64::arbitrary(g), count }, records)
    }
}

#[derive(Clone, Debug)]
struct AnyManifest(Manifest);

impl Arbitrary for AnyManifest {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut objects = Vec::new();
        for kind in [Kind::Nodes, Kind::Leaves, Kind::About] {
            for question in Question::ALL {
                let mut first = 0;
                for _ in 0..u8::arbitrary(g) % 3 {
                    let count = u64::from(u16::arbitrary(g)) + 1;
                    let (length, digest) = (u64::arbitrary(g), digest(g));
                    objects.push(Object { kind, question, first, count, length, digest });
                    first += count;
                }
            }
        }
        AnyManifest(Manifest { claim_length: u64::arbitrary(g), claim_digest: digest(g), objects })
    }
}

/// A head, and the length of the file that it begins.
#[derive(Clone, Debug)]
struct AnyHead(SliceHead, u64);

impl Arbitrary for AnyHead {
    fn arbitrary(g: &mut Gen) -> Self {
        let header = SliceHeader {
            name: SliceName(std::array::from_fn(|_| u8::arbitrary(g))),
            rows: u8::arbitrary(g),
            columns: u8::arbitrary(g),
            indices: u64::arbitrary(g),
        };
        if *g.choose(&[true, false, false]).unwrap() {
            let constant = slice::Value::from_number(u32::arbitrary(g) % 3);
            let (frequencies, units) = (Frequencies::default(), Vec::new());
            return AnyHead(SliceHead { header, constant, frequencies, units }, 64);
        }
        let mut frequencies = Frequencies::default();
        for _ in 0..u8::arbitrary(g) % 9 {
            let loss = 1 + u16::arbitrary(g) % 16382;
            let win = 1 + u16::arbitrary(g) % (16383 - loss);
            frequencies.describe(u16::arbitrary(g) % 576, [loss, win]);
        }
        let count = u64::arbitrary(g) % 20;
        let mut end = 64 + 6 * frequencies.described().len() as u64 + 4 * count;
        let units = (0..count).map(|_| match slice::Value::from_number(u32::arbitrary(g) % 5) {
            Some(value) => Unit::Constant(value),
            None => {
                let (offset, length) = (end, 12 + u32::arbitrary(g) % (1 << 28));
                end += u64::from(length);
                Unit::Coded { offset, length }
            }
        });
        let units = units.collect();
        AnyHead(SliceHead { header, constant: None, frequencies, units }, end)
    }
}

#[test]
fn what_is_encoded_is_decoded() {
    fn heads_come_back(AnyHead(head, length): AnyHead) -> bool {
        let bytes = head.encode();
        head_length(&bytes) == Ok(bytes.len() as u64)
            && SliceHead::decode(&bytes, length).as_ref() == Ok(&head)
            && [length - 1, length + 1].iter().all(|&l| SliceHead::decode(&bytes, l).is_err())
    }
    fn nodes_come_back(AnyNodes(header, records): AnyNodes) -> bool {
        nodes::decode(&nodes::encode(&header, &records)) == Ok((header, records))
    }
    fn manifests_come_back(AnyManifest(manifest): AnyManifest) -> bool {
        Manifest::decode(&manifest.encode()) == Ok(manifest)
    }
    fn choices_come_back(choices: Vec<(u8, u8)>) -> bool {
        let choices: Vec<(u32, u32)> = choices
            .into_iter()
            .map(|(choice, n)| (u32::from(choice % n.max(1)), width(usize::from(n.max(1)))))
            .collect();
        let mut writer = BitWriter::default();
        choices.iter().for_each(|&(choice, width)| writer.push(choice, width));
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes);
        choices.iter().all(|&(choice, width)| reader.take(width) == Some(choice))
            && reader.is_finished()
    }
    QuickCheck::new().quickcheck(heads_come_back as fn(AnyHead) -> bool);
    QuickCheck::new().quickcheck(nodes_come_back as fn(AnyNodes) -> bool);
    QuickCheck::new().quickcheck(manifests_come_back as fn(AnyManifest) -> bool);
    QuickCheck::new().quickcheck(choices_come_back as fn(Vec<(u8, u8)>) -> bool);
}

#[test]
fn widths_are_the_smallest_that_hold_every_choice() {
    let widths: Vec<u32> = (0..10).map(width).collect();
    assert_eq!(widths, [1, 1, 1, 2, 2, 3, 3, 3, 3, 4]);
}

/// Whatever decodes must encode to the same bytes.
fn one_encoding(bytes: &[u8]) -> bool {
    let claim = Claim::decode(bytes).is_ok_and(|c| c.encode().as_bytes() != bytes);
    let manifest = Manifest::decode(bytes).is_ok_and(|m| m.encode() != bytes);
    let nodes = nodes::decode(bytes).is_ok_and(|(h, n)| nodes::encode(&h, &n) != bytes);
    let leaves = leaves::decode(bytes).is_ok_and(|(h, l)| leaves::encode(&h, &l) != bytes);
    let database = DatabaseManifest::decode(bytes).is_ok_and(|d| d.encode() != bytes);
    let slice = SliceHead::decode(bytes, bytes.len() as u64).is_ok_and(|h| {
        let head = h.encode();
        head_length(bytes) != Ok(head.len() as u64) || !bytes.starts_with(&head)
    });
    !(claim || manifest || nodes || leaves || database || slice)
}

/// Makes the checksum of a slice file's head right again, if it is all there.
fn mend(bytes: &mut [u8]) {
    let Ok(length) = head_length(bytes) else { return };
    let Some(rest) = bytes.get(64..usize::try_from(length).unwrap()) else { return };
    let sum = Digest::of(&[&bytes[..40], rest].concat());
    bytes[40..64].copy_from_slice(&sum.0[..24]);
}

/// Two contexts, and a unit of each kind.
fn slice_sample() -> Vec<u8> {
    let header = SliceHeader { name: SliceName([0, 1, 1, 0]), rows: 3, columns: 3, indices: 12 };
    let mut frequencies = Frequencies::default();
    frequencies.describe(4, [1, 8000]);
    frequencies.describe(575, [1, 16382]);
    let units = [slice::Value::Loss, slice::Value::Draw, slice::Value::Win].map(Unit::Constant);
    let units = [&units[..], &[Unit::Coded { offset: 0, length: 12 }]].concat();
    let mut bytes = SliceHead { header, constant: None, frequencies, units }.encode();
    bytes.extend([0; 12]);
    bytes
}

fn samples() -> Vec<Vec<u8>> {
    let claim = Claim {
        game: "6x6".into(),
        start: "B:W13:B1".into(),
        value: Value::Draw,
        pieces: 2,
        database: Some(Digest::of(b"database")),
    };
    let header = ObjectHeader { question: Question::WhiteWins, first: 3, count: 1 };
    let position = WirePosition { black: 1, white: 2, kings: 0, turn: 0 };
    let node = Node { position, rank: 1, data: 0, kind: 1, reserved: 0 };
    let leaf = leaves::Leaf { positions: 1, strategy: vec![1, 2, 3] };
    let name = SliceName([0, 1, 0, 1]);
    let record = SliceRecord { name, length: 48, digest: Digest::of(b"slice") };
    let database = DatabaseManifest { rows: 3, columns: 3, pieces: 2, slices: vec![record] };
    let object = Object {
        kind: Kind::Nodes,
        question: Question::BlackNotLost,
        first: 0,
        count: 2,
        length: 80,
        digest: Digest::of(b"object"),
    };
    let manifest = Manifest {
        claim_length: 1,
        claim_digest: Digest::of(b"claim"),
        objects: vec![object, Object { first: 2, ..object }],
    };
    vec![
        claim.encode().into_bytes(),
        nodes::encode(&header, &[node]),
        leaves::encode(&header, &[leaf]),
        database.encode(),
        manifest.encode(),
        slice_sample(),
    ]
}

#[test]
fn no_other_bytes_are_accepted() {
    for sample in samples() {
        assert!(one_encoding(&sample));
        for end in 0..sample.len() {
            assert!(one_encoding(&sample[..end]), "cut to {end}");
        }
        for extra in [0, b'\n', 1] {
            assert!(one_encoding(&[&sample[..], &[extra]].concat()));
        }
        for at in 0..sample.len() {
            for bit in 0..8 {
                let mut bytes = sample.clone();
                bytes[at] ^= 1 << bit;
                assert!(one_encoding(&bytes), "byte {at} bit {bit}");
                // Behind the checksum there must be one encoding as well.
                mend(&mut bytes);
                assert!(one_encoding(&bytes), "byte {at} bit {bit}, mended");
            }
        }
    }
    QuickCheck::new().quickcheck((|bytes| one_encoding(&bytes)) as fn(Vec<u8>) -> bool);
}

#[test]
fn changed_slice_heads_have_one_encoding() {
    fn changed(AnyHead(head, length): AnyHead, changes: Vec<(u16, u8)>, cut: u8) -> bool {
        let mut bytes = head.encode();
        for (at, to) in changes {
            let at = usize::from(at) % bytes.len();
            bytes[at] ^= to;
        }
        mend(&mut bytes);
        let same = |length| {
            SliceHead::decode(&bytes, length).is_ok_and(|h| !bytes.starts_with(&h.encode()))
        };
        let whole = !same(length) && !same(length + u64::from(cut)) && one_encoding(&bytes);
        bytes.truncate(usize::from(cut));
        whole && one_encoding(&bytes)
    }
    let property = changed as fn(AnyHead, Vec<(u16, u8)>, u8) -> bool;
    QuickCheck::new().tests(2000).quickcheck(property);
}

#[test]
fn every_field_of_a_slice_head_is_judged() {
    let sample = slice_sample();
    // What is changed, and the offset that the error names.
    let changes: [(&str, usize, &[u8], u64); 20] = [
        ("magic", 0, b"X", 0),
        ("value 4", 18, &[4], 18),
        ("value with contexts", 18, &[1], 18),
        ("reserved", 23, &[1], 19),
        ("577 contexts", 32, &[0x41, 2], 32),
        ("2³² − 1 contexts", 32, &[0xff; 4], 32),
        ("2³² − 1 units", 36, &[0xff; 4], 32),
        ("2³² − 1 of both", 32, &[0xff; 8], 32),
        ("checksum", 63, &[0], 40),
        ("a context twice", 70, &[4, 0], 70),
        ("contexts that descend", 70, &[3, 0], 70),
        ("context 576", 70, &[0x40, 2], 70),
        ("no losses", 66, &[0, 0], 64),
        ("no wins", 68, &[0, 0], 64),
        ("no draws", 66, &[0xbf, 0x20, 0x41, 0x1f], 64),
        ("frequencies that add up to more than 2¹⁶", 66, &[0xff; 4], 64),
        ("the default", 66, &[0x55, 0x15, 0x55, 0x15], 64),
        ("a constant with a length", 76, &[4], 76),
        ("too short a payload", 88, &[11 << 2 | 3], 88),
        ("another length", 88, &[13 << 2 | 3], 104),
    ];
    assert!(SliceHead::decode(&sample, sample.len() as u64).is_ok());
    for (what, at, to, offset) in changes {
        let mut bytes = sample.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        assert_ne!(bytes, sample, "{what}");
        if what != "checksum" {
            mend(&mut bytes);
        }
        match SliceHead::decode(&bytes, bytes.len() as u64) {
            Err(WireError::Syntax { offset: found, .. }) => assert_eq!(found, offset, "{what}"),
            other => panic!("{what}: {other:?}"),
        }
    }
}

#[test]
fn huge_counts_are_refused_without_reserving_memory() {
    for (sample, counts) in samples().iter().zip([&[][..], &[24], &[24, 32], &[16], &[16], &[32]]) {
        for &at in counts {
            for count in [u64::MAX, u64::MAX / 16, 1 << 40] {
                let mut bytes = sample.clone();
                bytes[at..at + 8].copy_from_slice(&count.to_le_bytes());
                assert!(one_encoding(&bytes));
                let refused = match at {
                    16 => {
                        Manifest::decode(&bytes).is_err()
                            && DatabaseManifest::decode(&bytes).is_err()
                    }
                    32 if bytes.starts_with(b"DPSLICE") => {
                        SliceHead::decode(&bytes, u64::MAX).is_err()
                    }
                    _ => nodes::decode(&bytes).is_err() && leaves::decode(&bytes).is_err(),
                };
                assert!(refused, "count {count} at {at}");
            }
        }
    }
}

#[test]
fn a_future_version_is_told_apart_from_nonsense() {
    for sample in &samples()[1..] {
        let mut bytes = sample.clone();
        bytes[8] = 7;
        let errors = [
            nodes::decode(&bytes).err(),
            leaves::decode(&bytes).err(),
            Manifest::decode(&bytes).err(),
            DatabaseManifest::decode(&bytes).err(),
            SliceHead::decode(&bytes, bytes.len() as u64).err(),
        ];
        let version =
            |e: &Option<WireError>| matches!(e, Some(WireError::Version { offset: 8, .. }));
        assert_eq!(errors.iter().filter(|e| version(e)).count(), 1);
    }
    let claim = String::from_utf8(samples()[0].clone()).unwrap();
    let future = claim.replace("certificate 0", "certificate 1");
    assert!(matches!(Claim::decode(future.as_bytes()), Err(WireError::Version { .. })));
    let other = claim.replace("english", "russian");
    assert!(matches!(Claim::decode(other.as_bytes()), Err(WireError::Rules { .. })));
}
