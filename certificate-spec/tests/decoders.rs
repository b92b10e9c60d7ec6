//! Decoders accept exactly what encoders write, and no bytes make them fail in any other way.

use certificate_spec::bits::{BitReader, BitWriter, width};
use certificate_spec::claim::{Claim, Value};
use certificate_spec::database::{DatabaseManifest, SliceName, SliceRecord, decode_slice};
use certificate_spec::manifest::{Kind, Manifest, Object, ObjectHeader};
use certificate_spec::nodes::{Node, WirePosition};
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
        for kind in [Kind::Nodes, Kind::Leaves] {
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

#[test]
fn what_is_encoded_is_decoded() {
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
    let slice = decode_slice(bytes).is_ok_and(|(h, groups)| {
        [&h.encode()[..], groups].concat() != bytes || h.file_length() != Some(bytes.len() as u64)
    });
    !(claim || manifest || nodes || leaves || database || slice)
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
            }
        }
    }
    QuickCheck::new().quickcheck((|bytes| one_encoding(&bytes)) as fn(Vec<u8>) -> bool);
}

#[test]
fn huge_counts_are_refused_without_reserving_memory() {
    for (sample, counts) in samples().iter().zip([&[][..], &[24], &[24, 32], &[16], &[16]]) {
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
