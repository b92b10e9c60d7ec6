//! Arbitrary contents of files, for properties.

use crate::covers::AnyClauses;
use crate::prelude::*;

/// An arbitrary value of a type for which quickcheck has no generator.
#[derive(Clone, Debug)]
pub(crate) struct Any<T>(pub(crate) T);

fn any<T>(g: &mut Gen) -> T
where
    Any<T>: Arbitrary,
{
    Any::<T>::arbitrary(g).0
}

/// A number, often small and often at an end of a range in which encodings have the same length.
fn number(g: &mut Gen) -> u64 {
    let small = u64::arbitrary(g) % 200;
    let number = u64::arbitrary(g) >> (u8::arbitrary(g) % 64);
    *g.choose(&[small, number, number, 127, 128, 16383, 16384, u64::MAX]).unwrap()
}

fn small(g: &mut Gen) -> u32 {
    u32::try_from(number(g) & 0xffff_ffff).unwrap()
}

/// A list of at most `most` items.
fn list<T>(g: &mut Gen, most: u8, mut one: impl FnMut(&mut Gen) -> T) -> Vec<T> {
    (0..u8::arbitrary(g) % (most + 1)).map(|_| one(g)).collect()
}

fn option<T>(g: &mut Gen, one: impl FnOnce(&mut Gen) -> T) -> Option<T> {
    bool::arbitrary(g).then(|| one(g))
}

/// Printable ASCII.
fn text(g: &mut Gen) -> String {
    let length = *g.choose(&[0, 1, 5, 127, 128]).unwrap();
    (0..length).map(|_| char::from(b' ' + u8::arbitrary(g) % 95)).collect()
}

impl Arbitrary for Any<Digest> {
    fn arbitrary(g: &mut Gen) -> Self {
        Any(Digest(std::array::from_fn(|_| u8::arbitrary(g))))
    }
}

impl Arbitrary for Any<Cover> {
    fn arbitrary(g: &mut Gen) -> Self {
        Any(Cover::of(AnyClauses::arbitrary(g).0))
    }
}

impl Arbitrary for Any<ObjectHead> {
    fn arbitrary(g: &mut Gen) -> Self {
        let question = *g.choose(&Question::ALL).unwrap();
        Any(ObjectHead { question, first: number(g), count: number(g) })
    }
}

impl Arbitrary for Any<Claim> {
    fn arbitrary(g: &mut Gen) -> Self {
        let word = |g: &mut Gen| {
            let word = text(g).replace(' ', "_");
            if word.is_empty() { "x".into() } else { word }
        };
        let values = [
            Value::Draw,
            Value::BlackNotLost,
            Value::WhiteNotLost,
            Value::BlackWins,
            Value::WhiteWins,
        ];
        let cover: Cover = any(g);
        Any(Claim {
            game: word(g),
            start: word(g),
            value: *g.choose(&values).unwrap(),
            database: (!cover.is_empty()).then(|| any(g)),
            cover,
        })
    }
}

/// An object of nodes.
pub(crate) type Nodes = (ObjectHead, Vec<Node>);

impl Arbitrary for Any<Nodes> {
    fn arbitrary(g: &mut Gen) -> Self {
        let records = list(g, 8, |g| Node {
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
        });
        Any((ObjectHead { count: records.len() as u64, ..any(g) }, records))
    }
}

/// An object of leaves.
pub(crate) type Leaves = (ObjectHead, Vec<Leaf<Vec<u8>>>);

impl Arbitrary for Any<Leaves> {
    fn arbitrary(g: &mut Gen) -> Self {
        let leaves = list(g, 8, |g| Leaf {
            positions: number(g).max(1),
            strategy: list(g, 30, u8::arbitrary),
        });
        Any((ObjectHead { count: leaves.len() as u64, ..any(g) }, leaves))
    }
}

impl Arbitrary for Any<Manifest> {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut objects = Vec::new();
        for kind in [Kind::Nodes, Kind::Leaves, Kind::Provenance] {
            for question in Question::ALL {
                let most = if kind == Kind::Provenance { 1 } else { 2 };
                let mut first = 0;
                for _ in 0..u8::arbitrary(g) % (most + 1) {
                    let count = if kind == Kind::Provenance { 1 } else { number(g) / 4 + 1 };
                    let (length, digest) = (number(g), any(g));
                    objects.push(Object { kind, question, first, count, length, digest });
                    first += count;
                }
            }
        }
        Any(Manifest { claim_length: number(g), claim_digest: any(g), objects })
    }
}

impl Arbitrary for Any<DatabaseManifest> {
    fn arbitrary(g: &mut Gen) -> Self {
        let cover: Cover = any(g);
        let mut slices = list(g, 40, |g| SliceRecord {
            name: SliceName(std::array::from_fn(|_| u8::arbitrary(g) % 4)),
            length: number(g),
            digest: any(g),
        });
        slices.retain(|slice| cover.admits_slice(slice.name));
        slices.sort_by_key(|slice| slice.name.order());
        slices.dedup_by_key(|slice| slice.name);
        let (rows, columns) = (u8::arbitrary(g), u8::arbitrary(g));
        Any(DatabaseManifest { rows, columns, cover, slices })
    }
}

impl Arbitrary for Any<Provenance> {
    fn arbitrary(g: &mut Gen) -> Self {
        let resources = Resources { threads: small(g), workers: small(g), seconds: number(g) };
        let modes = [Mode::Reproducible, Mode::FreeRunning(resources), Mode::Farm(resources)];
        let claims = [Asked::Value, Asked::BlackNotLost, Asked::WhiteNotLost];
        Any(Provenance {
            program: text(g),
            mode: *g.choose(&modes).unwrap(),
            request: Request {
                game: text(g),
                start: text(g),
                claim: *g.choose(&claims).unwrap(),
                cover: any(g),
                leaf_nodes: number(g),
                leaf_table: number(g),
                max_nodes: option(g, number),
                thresholds: option(g, |g| Thresholds {
                    first: small(g),
                    increment: small(g),
                    until: option(g, small),
                }),
                seed_line: list(g, 5, text),
            },
            iterations: list(g, 5, |g| Iteration {
                threshold: option(g, small),
                nodes: number(g),
                leaves: number(g),
                searches: number(g),
                searched: number(g),
                depth: number(g),
            }),
        })
    }
}

/// The head of a slice file, and the length of the file.
pub(crate) type Head = (SliceHead, u64);

impl Arbitrary for Any<Head> {
    fn arbitrary(g: &mut Gen) -> Self {
        let header = SliceHeader {
            name: SliceName(std::array::from_fn(|_| u8::arbitrary(g))),
            rows: u8::arbitrary(g),
            columns: u8::arbitrary(g),
            indices: number(g),
        };
        let value = |g: &mut Gen, of| value::Value::from_number(u32::arbitrary(g) % of);
        let frequencies = Frequencies::default();
        let mut head = SliceHead { header, constant: None, frequencies, units: Vec::new() };
        if *g.choose(&[true, false, false]).unwrap() {
            head.constant = value(g, 3);
            let length = head.encode().len() as u64;
            return Any((head, length));
        }
        for _ in 0..u8::arbitrary(g) % 9 {
            let loss = 1 + u16::arbitrary(g) % 16382;
            let win = 1 + u16::arbitrary(g) % (16383 - loss);
            head.frequencies.describe(u16::arbitrary(g) % 576, [loss, win]);
        }
        head.units = list(g, 20, |g| match value(g, 5) {
            Some(value) => Unit::Constant(value),
            None => Unit::Coded { offset: 0, length: 12 + u32::arbitrary(g) % (1 << 28) },
        });
        // The offsets of payloads are known once the head is.
        let mut end = head.encode().len() as u64;
        for unit in &mut head.units {
            if let Unit::Coded { offset, length } = unit {
                *offset = end;
                end += u64::from(*length);
            }
        }
        Any((head, end))
    }
}
