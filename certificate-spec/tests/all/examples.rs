//! The worked examples of `SPEC.md` §13 are what the encoders produce. After a change of the format
//! `UPDATE_SPEC=1 cargo test -p certificate-spec` writes them again.

use std::fmt::Write;

use crate::prelude::*;
use certificate_spec::leaves;
use certificate_spec::nodes::{self, kind};
use certificate_spec::value::CHECKSUM;

const HEADING: &str = "## 13. Worked examples\n";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}

fn dump(out: &mut String, title: &str, bytes: &[u8]) {
    writeln!(out, "\n{title} ({} bytes)\n\n```", bytes.len()).unwrap();
    for (i, line) in bytes.chunks(16).enumerate() {
        writeln!(out, "{:04x}  {}", 16 * i, hex(line)).unwrap();
    }
    writeln!(out, "```").unwrap();
}

/// The bytes of a file, described one part after the other.
struct Parts<'a> {
    rest: &'a [u8],
    offset: usize,
    table: String,
}

impl<'a> Parts<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Parts {
            rest: bytes,
            offset: 0,
            table: "\n| offset | bytes | what |\n|---|---|---|\n".into(),
        }
    }

    /// Describes the next bytes, which must be `bytes`.
    fn next(mut self, bytes: &[u8], what: &str) -> Self {
        self.rest = self.rest.strip_prefix(bytes).expect(what);
        let shown = match bytes.len() {
            0..=8 => format!("`{}`", hex(bytes)),
            length => format!("{length} bytes"),
        };
        writeln!(self.table, "| {:#x} | {shown} | {what} |", self.offset).unwrap();
        self.offset += bytes.len();
        self
    }

    /// Describes the next `length` bytes.
    fn take(self, length: usize, what: &str) -> Self {
        let bytes = &self.rest[..length];
        self.next(bytes, what)
    }

    /// Describes the next bytes, which must be a string.
    fn string(self, text: &str, what: &str) -> Self {
        let bytes = [&[text.len().try_into().unwrap()], text.as_bytes()].concat();
        self.next(&bytes, &format!("{what}: {} characters", text.len()))
    }

    /// Ends the description; no bytes may be left.
    fn end(self, out: &mut String) {
        assert_eq!(self.rest, &[0u8; 0]);
        out.push_str(&self.table);
    }
}

/// The claim of the examples, and the head of their objects.
fn claim() -> String {
    let claim = Claim {
        game: "4x4".into(),
        start: "B:W7,8:B1,2".into(),
        value: Value::BlackNotLost,
        cover: Cover::none(),
        database: None,
    };
    claim.encode()
}

fn object_head(count: u64) -> ObjectHead {
    ObjectHead { question: Question::BlackNotLost, first: 0, count }
}

fn section() -> String {
    let mut out = String::from(HEADING);
    out += "
The bytes here are compared with what the encoders produce by `cargo test -p certificate-spec`. They are
examples of encoding: the strategy is not one that holds.
";
    postcard_examples(&mut out);
    out += "
**A claim.** On 4x4 the squares 1 and 2 are row 0, and 7 and 8 are row 3.
";
    let claim = claim();
    write!(out, "\n```\n{claim}```\n").unwrap();
    let digest = Digest::of(claim.as_bytes());
    writeln!(out, "\nIts length is {} and its BLAKE3 `{digest}`.", claim.len()).unwrap();
    let nodes = node_example(&mut out);
    let leaves = leaf_example(&mut out);
    let provenance = provenance_example(&mut out);
    manifest_example(&mut out, &nodes, &leaves, &provenance);
    out += "
**Indices.** On 8x8 M₀ is 28. `B:W18,24,K30:B12,K16`: A = {11}, B = {15}, C = {8, 14} (White's 24 and 18 seen
from its own end), D = {2}. The slice is (1, 1, 2, 1). rank(A) = 11, rank(B) = 15,
rank(C) = C(8, 1) + C(14, 2) = 99, rank(D) = 2. The index is
((11 · C(28, 2) + 99) · 32 + 2) · 32 + 15 = 4359247, and the slice has
28 · C(28, 2) · 32 · 32 = 10838016 indices.

`W:WK17:B3` on 8x8: A = {}, B = {15}, C = {2}, D = {}. The slice is (0, 1, 1, 0), the index
2 · 32 + 15 = 79.
";
    let slice = slice_example(&mut out);
    database_example(&mut out, &slice);
    out
}

/// Varints and covers, cut out of manifests.
fn postcard_examples(out: &mut String) {
    *out += "
**Varints**, as the length of CLAIM in a manifest:

| number | bytes |
|---|---|
";
    for claim_length in [0, 1, 127, 128, 300, 16383, 16384, u64::MAX] {
        let claim_digest = Digest([0; 32]);
        let bytes = Manifest { claim_length, claim_digest, objects: Vec::new() }.encode();
        writeln!(out, "| {claim_length} | `{}` |", hex(&bytes[12..bytes.len() - 33])).unwrap();
    }
    *out += "
**Covers**, as in the manifest of a database:

| cover | bytes |
|---|---|
";
    for text in ["6", "7,8:4", "10:5", "7:5,8:4"] {
        let cover = Cover::parse(text).expect("canonical text");
        let bytes = DatabaseManifest { rows: 8, columns: 8, cover, slices: Vec::new() }.encode();
        // After the rules, rows and columns; before the number of records.
        writeln!(out, "| `{text}` | `{}` |", hex(&bytes[33..bytes.len() - 1])).unwrap();
    }
}

fn node_example(out: &mut String) -> Vec<u8> {
    *out += "
**Nodes.** `B:W7,8:B1,2` with Black to move is black 0x3, white 0xc0. It is an Or node that chooses
successor 1. After 2-4, in `W:W7,8:B1,4`, comes the Leaf node of leaf 0. The order is that of the masks.
";
    let position = |black, white, turn| WirePosition { black, white, kings: 0, turn };
    let node = |position, data, kind| Node { position, rank: 0, data, kind, reserved: 0 };
    let records = [
        node(position(0b0011, 0b1100_0000, 0), 1, kind::OR),
        node(position(0b1001, 0b1100_0000, 1), 0, kind::LEAF),
    ];
    let bytes = nodes::encode(&object_head(2), &records);
    dump(out, "Object of nodes", &bytes);
    let parts = Parts::new(&bytes)
        .next(b"DPNODES\0", "magic")
        .next(&[1, 0, 0, 0], "version 1")
        .next(&[0], "question 0")
        .next(&[0], "first 0")
        .next(&[2], "count 2");
    parts.take(24, "the Or node").take(24, "the Leaf node").end(out);
    bytes
}

fn leaf_example(out: &mut String) -> Vec<u8> {
    *out += "
**A leaf.** The choices 2 of 3, 0 of 1 and 4 of 5 take 2, 1 and 3 bits: `01`, `0` and `001` as they are
written, lowest bit first, so the byte is 0b100010 = 0x22. The replay is said to expand 6 positions.
";
    let mut bits = BitWriter::default();
    for (choice, n) in [(2, 3), (0, 1), (4, 5)] {
        bits.push(choice, width(n));
    }
    let bytes = leaves::encode(&object_head(1), &[Leaf { positions: 6, strategy: bits.finish() }]);
    dump(out, "Object of leaves", &bytes);
    Parts::new(&bytes)
        .next(b"DPLEAVES", "magic")
        .next(&[1, 0, 0, 0], "version 1")
        .next(&[0, 0, 1], "question 0, first 0, count 1")
        .next(&1u64.to_le_bytes(), "length of the strategy")
        .next(&6u64.to_le_bytes(), "positions")
        .next(&[0x22], "the strategy")
        .end(out);
    bytes
}

fn provenance_example(out: &mut String) -> Vec<u8> {
    *out += "
**A provenance.** The search of a leaf could expand 1000 nodes, with a table of 2²⁰ bytes. The thresholds
went up from 100 by 50, and the second was the last.
";
    let iteration = |threshold, searched| Iteration {
        threshold,
        nodes: 2,
        leaves: 1,
        searches: 1,
        searched,
        depth: 1,
    };
    let provenance = Provenance {
        program: "draughtproof-prove 0.1.0".into(),
        mode: Mode::Reproducible,
        request: Request {
            game: "4x4".into(),
            start: "B:W7,8:B1,2".into(),
            claim: Asked::BlackNotLost,
            cover: Cover::none(),
            leaf_nodes: 1000,
            leaf_table: 1 << 20,
            max_nodes: None,
            thresholds: Some(Thresholds { first: 100, increment: 50, until: None }),
            seed_line: vec!["2-4".into()],
        },
        iterations: vec![iteration(Some(100), 6), iteration(None, 200)],
    };
    let bytes = provenance.encode(&object_head(1));
    dump(out, "Object of provenance", &bytes);
    Parts::new(&bytes)
        .next(b"DPPROVEN", "magic")
        .next(&[1, 0, 0, 0], "version 1")
        .next(&[0, 0, 1], "question 0, first 0, count 1")
        .string("draughtproof-prove 0.1.0", "program")
        .next(&[0], "mode 0: reproducible")
        .string("4x4", "game")
        .string("B:W7,8:B1,2", "start")
        .next(&[1], "claim 1: Black does not lose")
        .next(&[0], "cover: no clauses")
        .next(&[0xe8, 0x07], "leaf nodes 1000")
        .next(&[0x80, 0x80, 0x40], "leaf table 2²⁰")
        .next(&[0], "max nodes: none")
        .next(&[1, 100, 50, 0], "thresholds: some, first 100, increment 50, until: none")
        .next(&[1], "seed line: 1 string")
        .string("2-4", "its first move")
        .next(&[2], "iterations: 2")
        .next(
            &[1, 100, 2, 1, 1, 6, 1],
            "threshold 100, 2 nodes, 1 leaf, 1 search, 6 searched, depth 1",
        )
        .next(
            &[0, 2, 1, 1, 0xc8, 1, 1],
            "no threshold, 2 nodes, 1 leaf, 1 search, 200 searched, depth 1",
        )
        .end(out);
    bytes
}

fn manifest_example(out: &mut String, nodes: &[u8], leaves: &[u8], provenance: &[u8]) {
    *out += "
**The manifest** of these:
";
    let claim = claim();
    let object = |kind, count, bytes: &[u8]| Object {
        kind,
        question: Question::BlackNotLost,
        first: 0,
        count,
        length: bytes.len() as u64,
        digest: Digest::of(bytes),
    };
    let objects = vec![
        object(Kind::Nodes, 2, nodes),
        object(Kind::Leaves, 1, leaves),
        object(Kind::Provenance, 1, provenance),
    ];
    let claim_digest = Digest::of(claim.as_bytes());
    let manifest = Manifest { claim_length: claim.len() as u64, claim_digest, objects };
    let bytes = manifest.encode();
    dump(out, "MANIFEST", &bytes);
    let length = |bytes: &[u8]| u8::try_from(bytes.len()).unwrap();
    Parts::new(&bytes)
        .next(b"DPCERT\0\0", "magic")
        .next(&[1, 0, 0, 0], "version 1")
        .next(&[length(claim.as_bytes())], "length of CLAIM")
        .next(&claim_digest.0, "BLAKE3 of CLAIM")
        .next(&[3], "3 records")
        .next(&[0, 0, 0, 2, length(nodes)], "nodes, question 0, first 0, count 2, length")
        .next(&Digest::of(nodes).0, "BLAKE3")
        .next(&[1, 0, 0, 1, length(leaves)], "leaves, question 0, first 0, count 1, length")
        .next(&Digest::of(leaves).0, "BLAKE3")
        .next(&[2, 0, 0, 1, length(provenance)], "provenance, question 0, first 0, count 1, length")
        .next(&Digest::of(provenance).0, "BLAKE3")
        .end(out);
    writeln!(out, "\nThe root is `{}`.", Digest::certificate_root(&bytes)).unwrap();
}

/// The values of the example and their contexts, by index.
const VALUES: [(u64, u16, value::Value); 9] = {
    use value::Value::{Draw, Loss, Win};
    [
        (0, 4, Win),
        (1, 7, Draw),
        (2, 5, Draw),
        (4, 148, Draw),
        (5, 40, Loss),
        (7, 1, Draw),
        (8, 147, Draw),
        (10, 40, Draw),
        (11, 4, Draw),
    ]
};

/// The file of the slice (0, 1, 1, 0).
fn slice_example(out: &mut String) -> Vec<u8> {
    *out += "
**A slice.** The database of 3x3 with the cover `2` has, on 4 dark squares, the slices (0, 1, 0, 1),
(0, 1, 1, 0), (1, 0, 0, 1) and (1, 0, 1, 0), of 16, 12, 12 and 9 indices. In (0, 1, 1, 0) there is one unit of
one part of three blocks, of one row each: the man's places 0, 1 and 2, seen by its owner. It stands on place
0 in the lower blocks of 1 and of 2. Nothing can be captured, and the indices 3, 6 and 9 stand for no position,
so nine positions are quiet. The file of such a slice in which index 0 is a win, 5 a loss and the others draws:
";
    let header = SliceHeader { name: SliceName([0, 1, 1, 0]), rows: 3, columns: 3, indices: 12 };
    let described = [(4, [1, 8192]), (40, [8191, 1])];
    let mut frequencies = Frequencies::default();
    assert!(described.iter().all(|&(context, described)| frequencies.describe(context, described)));
    let code = encode(&frequencies, &VALUES.map(|(_, context, value)| (context, value)));
    let mut decoder = Decoder::new(&frequencies, &code).expect("a code");
    assert!(VALUES.iter().all(|&(_, context, value)| decoder.next(context.into()) == value));
    assert!(decoder.is_finished());
    let payload = payload::encode(&[Part::Coded(&code)]);
    let length = u8::try_from(payload.len()).unwrap();
    let units = vec![Unit::Coded { offset: 0, length: length.into() }];
    let mut file = SliceHead { header, constant: None, frequencies, units }.encode();
    let payload_at = file.len();
    file.extend(&payload);
    dump(out, "0-1-1-0", &file);
    Parts::new(&file)
        .next(b"DPVALUES", "magic")
        .next(&[1, 0, 0, 0], "version 1")
        .string("english-checkers-1", "rules")
        .next(&[3, 3], "rows and columns")
        .next(&[0, 1, 1, 0], "the slice")
        .next(&[12], "12 indices")
        .next(&[1, 2, 1], "coding 1: units; 2 contexts, 1 unit")
        .take(24, "BLAKE3 of all before this and of contexts and directory, cut to 24 bytes")
        .next(&[4, 0, 1, 0, 0, 0x20], "context 4: F₀ = 1, F₂ = 8192")
        .next(&[40, 0, 0xff, 0x1f, 1, 0], "context 40: F₀ = 8191, F₂ = 1")
        .next(&[length << 2 | 3, 0, 0, 0], "directory: a payload of 13 bytes, 4 · 13 + 3")
        .take(CHECKSUM, "BLAKE3 of what follows, cut to 8 bytes")
        .next(&[4], "the part: a code of 4 − 2 words")
        .next(&code, "the code")
        .end(out);
    explain_decoding(out, &code, payload_at + CHECKSUM + 1);
    file
}

fn explain_decoding(out: &mut String, code: &[u8], code_at: usize) {
    let contexts: Vec<String> =
        VALUES.iter().map(|(i, context, _)| format!("{i}: {context}")).collect();
    let contexts = contexts.join(", ");
    let [a, b, c, d] = code.try_into().expect("two words");
    let x = u32::from_le_bytes([c, d, a, b]);
    let m = x % TOTAL;
    // Encodes a win, whose numbers are the last 8192.
    let (f, s) = (8192, TOTAL - 8192);
    assert!(m >= s);
    let after = f * (x / TOTAL) + m - s;
    writeln!(
        out,
        "
The contexts are, by index, {contexts}.

Index 0 has no neighbours and nothing before it: w = e = l = 0, p = q = 1. The neighbour of 5 is 1, a draw,
and 4 and 2 before it are draws, too: ((0 · 4 + 1) · 4 · 3 + 1) · 3 + 1 = 40. The neighbour of 4 is 0, a win:
w = 1. 7 has none, since 3 is no position; before it are 5, a loss, and 4: p = 0, q = 1.

Decoding begins with x = {x:#x}, the two words at {code_at:#x}, the higher first. In context 4 m = {m}, at
least F₀ + F₁ = {s}: a win, and x becomes {f} · {} + {m} − {s} = {after:#x}. There are no further words: this
is one of the codes so short that x has room for all.",
        x / TOTAL,
    )
    .unwrap();
}

fn database_example(out: &mut String, slice: &[u8]) {
    *out += "
**The manifest of a database** in which all four files were these bytes:
";
    let names = [[0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0]];
    let (length, digest) = (slice.len() as u64, Digest::of(slice));
    let slices = names.map(|name| SliceRecord { name: SliceName(name), length, digest }).to_vec();
    let database = DatabaseManifest { rows: 3, columns: 3, cover: Cover::up_to(2), slices };
    let bytes = database.encode();
    dump(out, "MANIFEST", &bytes);
    let mut parts = Parts::new(&bytes)
        .next(b"DPEGDB\0\0", "magic")
        .next(&[1, 0, 0, 0], "version 1")
        .string("english-checkers-1", "rules")
        .next(&[3, 3], "rows and columns")
        .next(&[1, 2, 1], "cover: 1 clause, at most 2 pieces and 1 a side")
        .next(&[4], "4 records");
    for name in names {
        let record = [&name[..], &[length.try_into().unwrap()]].concat();
        parts = parts.next(&record, "a slice, its length").next(&digest.0, "BLAKE3");
    }
    parts.end(out);
    writeln!(out, "\nThe root for the cover `2` is `{}`.", database.root()).unwrap();
}

#[test]
fn examples_in_the_specification_are_what_the_encoders_produce() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/SPEC.md");
    let spec = std::fs::read_to_string(path).unwrap();
    let at = spec.find(HEADING).expect("the heading of the examples");
    if std::env::var_os("UPDATE_SPEC").is_some() {
        std::fs::write(path, format!("{}{}", &spec[..at], section())).unwrap();
        return;
    }
    assert_eq!(&spec[at..], section());
}
