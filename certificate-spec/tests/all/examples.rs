//! The worked examples of `SPEC.md` §13 are what the encoders produce. After a change of the format
//! `UPDATE_SPEC=1 cargo test -p certificate-spec` writes them anew.

use std::fmt::Write;

use certificate_spec::Digest;
use certificate_spec::bits::{BitWriter, width};
use certificate_spec::claim::{Claim, Question, Value};
use certificate_spec::coding::{Decoder, Frequencies, TOTAL, encode};
use certificate_spec::database::{DatabaseManifest, SliceName, SliceRecord};
use certificate_spec::leaves::{self, Leaf};
use certificate_spec::manifest::{Kind, Manifest, Object, ObjectHeader};
use certificate_spec::nodes::{self, Node, WirePosition, kind};
use certificate_spec::slice::{self, CHECKSUM, SliceHead, SliceHeader, Unit};

const HEADING: &str = "## 13. Worked examples\n";

fn dump(out: &mut String, title: &str, bytes: &[u8]) {
    writeln!(out, "\n{title} ({} bytes)\n\n```", bytes.len()).unwrap();
    for (i, line) in bytes.chunks(16).enumerate() {
        let hex: Vec<String> = line.iter().map(|b| format!("{b:02x}")).collect();
        writeln!(out, "{:04x}  {}", 16 * i, hex.join(" ")).unwrap();
    }
    writeln!(out, "```").unwrap();
}

fn section() -> String {
    let mut out = String::from(HEADING);
    out += "
The bytes here are compared with what the encoders produce by `cargo test -p certificate-spec`. They
are examples of encoding: the strategy is not one that holds.

**A claim.** On 4x4 the squares 1 and 2 are row 0, and 7 and 8 are row 3.
";
    let claim = Claim {
        game: "4x4".into(),
        start: "B:W7,8:B1,2".into(),
        value: Value::BlackNotLost,
        pieces: 0,
        database: None,
    };
    let claim = claim.encode();
    write!(out, "\n```\n{claim}```\n").unwrap();
    writeln!(
        out,
        "\nIts length is {} and its BLAKE3 `{}`.",
        claim.len(),
        Digest::of(claim.as_bytes())
    )
    .unwrap();

    out += "
**Nodes.** `B:W7,8:B1,2` with Black to move is black 0x3, white 0xc0. It is an Or node that chooses
successor 1; after 2-4, `W:W7,8:B1,4`, comes the Leaf node of leaf 0. The order is that of the masks.
";
    let position = |black, white, turn| WirePosition { black, white, kings: 0, turn };
    let node = |position, data, kind| Node { position, rank: 0, data, kind, reserved: 0 };
    let records = [
        node(position(0b0011, 0b1100_0000, 0), 1, kind::OR),
        node(position(0b1001, 0b1100_0000, 1), 0, kind::LEAF),
    ];
    let header = |count| ObjectHeader { question: Question::BlackNotLost, first: 0, count };
    let node_bytes = nodes::encode(&header(2), &records);
    dump(&mut out, "Object of nodes", &node_bytes);

    out += "
**A leaf.** The choices 2 of 3, 0 of 1 and 4 of 5 take 2, 1 and 3 bits: `01`, `0` and `001` as they are
written, lowest bit first, so the byte is 0b100010 = 0x22. The replay is said to expand 6 positions.
";
    let mut bits = BitWriter::default();
    for (choice, n) in [(2, 3), (0, 1), (4, 5)] {
        bits.push(choice, width(n));
    }
    let leaf_bytes = leaves::encode(&header(1), &[Leaf { positions: 6, strategy: bits.finish() }]);
    dump(&mut out, "Object of leaves", &leaf_bytes);

    out += "
**The manifest** of these:
";
    let object = |kind, count, bytes: &[u8]| Object {
        kind,
        question: Question::BlackNotLost,
        first: 0,
        count,
        length: bytes.len() as u64,
        digest: Digest::of(bytes),
    };
    let manifest = Manifest {
        claim_length: claim.len() as u64,
        claim_digest: Digest::of(claim.as_bytes()),
        objects: vec![object(Kind::Nodes, 2, &node_bytes), object(Kind::Leaves, 1, &leaf_bytes)],
    };
    let bytes = manifest.encode();
    dump(&mut out, "MANIFEST", &bytes);
    writeln!(out, "\nThe root is `{}`.", Digest::certificate_root(&bytes)).unwrap();

    out += "
**Indices.** On 8x8 M is 28. `B:W18,24,K30:B12,K16`: A = {11}, B = {15}, C = {8, 14} (White's 24 and
18 seen from its own end), D = {2}. The slice is (1, 1, 2, 1); rank(A) = 11, rank(B) = 15,
rank(C) = C(8, 1) + C(14, 2) = 99, rank(D) = 2; the index is
((11 · C(28, 2) + 99) · 32 + 2) · 32 + 15 = 4359247, and the slice has
28 · C(28, 2) · 32 · 32 = 10838016 indices. `W:WK17:B3` on 8x8: A = {}, B = {15}, C = {2}, D = {};
slice (0, 1, 1, 0), index 2 · 32 + 15 = 79.

**A slice.** The database of 3x3 with 2 pieces has, on 4 dark squares, the slices (0, 1, 0, 1),
(0, 1, 1, 0), (1, 0, 0, 1) and (1, 0, 1, 0), of 16, 12, 12 and 9 indices. In (0, 1, 1, 0) there is one
unit of three blocks, of one row each: the man's places 0, 1 and 2, seen by its owner. It stands on
place 0 in the lower blocks of 1 and of 2. Nothing can be captured, and the indices 3, 6 and 9 stand for
no position, so nine positions are quiet. The file of such a slice in which index 0 is a win, 5 a loss
and the others draws:
";
    let slice = slice_example(&mut out);
    let names = [[0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0]].map(SliceName);
    let slices = names.map(|name| SliceRecord {
        name,
        length: slice.len() as u64,
        digest: Digest::of(&slice),
    });
    let database = DatabaseManifest { rows: 3, columns: 3, pieces: 2, slices: slices.to_vec() };
    out += "
**The manifest of a database** in which all four files were these bytes:
";
    dump(&mut out, "MANIFEST", &database.encode());
    writeln!(out, "\nThe root for 2 pieces is `{}`.", database.root()).unwrap();
    out
}

/// The contexts in which the values of the example are found, and the values, by index.
const VALUES: [(u64, u16, slice::Value); 9] = {
    use slice::Value::{Draw, Loss, Win};
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

/// The file of the slice (0, 1, 1, 0), shown and explained.
fn slice_example(out: &mut String) -> Vec<u8> {
    let header = SliceHeader { name: SliceName([0, 1, 1, 0]), rows: 3, columns: 3, indices: 12 };
    let described = [(4, [1, 8192]), (40, [8191, 1])];
    let mut frequencies = Frequencies::default();
    assert!(described.iter().all(|&(context, described)| frequencies.describe(context, described)));
    let payload = encode(&frequencies, &VALUES.map(|(_, context, value)| (context, value)));
    let mut decoder = Decoder::new(&frequencies, &payload).expect("a payload");
    assert!(VALUES.iter().all(|&(_, context, value)| decoder.next(context.into()) == value));
    assert!(decoder.is_finished());
    let length = u32::try_from(payload.len()).unwrap();
    let units = vec![Unit::Coded { offset: 0, length }];
    let mut file = SliceHead { header, constant: None, frequencies, units }.encode();
    let directory = file.len() - 4;
    file.extend(&payload);
    dump(out, "0-1-1-0", &file);

    let contexts: Vec<String> =
        VALUES.iter().map(|(i, context, _)| format!("{i}: {context}")).collect();
    let contexts = contexts.join(", ");
    let state = |at: usize| u32::from_le_bytes(payload[CHECKSUM + at..][..4].try_into().unwrap());
    let (x, m) = (state(0), state(0) % TOTAL);
    // A win, whose numbers are the last 8192.
    let (f, s) = (8192, TOTAL - 8192);
    assert!(m >= s);
    let after = f * (x / TOTAL) + m - s;
    writeln!(
        out,
        "
At 0x40 are two contexts, 4 with F₀ = 1 and F₂ = 8192, and 40 with F₀ = 8191 and F₂ = 1. The entry at
{directory:#x} is 4 · {length} + 3. The payload begins at {:#x} with its hash. The contexts are, by index,
{contexts}.
Index 0 has no neighbours and nothing before it: w = e = l = 0, p = q = 1. The neighbour of 5 is 1, a
draw, and 4 and 2 before it are draws, too: ((0 · 4 + 1) · 4 · 3 + 1) · 3 + 1 = 40. The neighbour of 4 is 0, a
win: w = 1. 7 has none, since 3 is no position; before it are 5, a loss, and 4: p = 0, q = 1.

Decoding begins with x = {x:#x}, the four bytes at {:#x}. In context 4 m = {m}, at least
F₀ + F₁ = {s}: a win, and x becomes {f} · {} + {m} − {s} = {after:#x}. No `u16` follows: this is one of the
codes so short that x has room for all.",
        directory + 4,
        directory + 4 + CHECKSUM,
        x / TOTAL,
    )
    .unwrap();
    assert!(payload.len() == 12, "the explanation says nothing of further words");
    file
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
