//! Cases about what a certificate says of how it was made: it is typed, and nothing rests on it.

use super::*;
use certificate_spec::provenance::{Asked, Mode, Provenance, Resources, Thresholds};

use crate::draft::write_objects;
use crate::encoding::{counted, pad, varint};

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    accepted(corpus, &bases.draw);
    refused(corpus, &bases.draw);
    spoilt(corpus, &bases.draw);
}

fn provenance(base: &Base) -> &Provenance {
    base.draft.parts[0].provenance.as_ref().expect("a provenance")
}

/// Provenances that are accepted, whether they are true or false.
fn accepted(corpus: &mut Corpus, base: &Base) {
    let mut accept = |name: &str, edit: &dyn Fn(&mut Provenance)| {
        corpus.add_draft(name, base, |draft| {
            edit(draft.parts[0].provenance.as_mut().expect("a provenance"));
            Box::new(|_| Expected::verified("DRAW 4x4 start=initial"))
        });
    };
    accept("provenance-like-a-verdict", &|p| p.program = "s VERIFIED DRAW 8x8".into());
    accept("provenance-that-lies", &|p| {
        p.program = "draughtproof-check 9.9.9".into();
        (p.request.game, p.request.start) = ("8x8".into(), "W:W32:BK1".into());
        (p.request.claim, p.request.cover) = (Asked::WhiteNotLost, Cover::up_to(32));
        (p.request.leaf_nodes, p.request.leaf_table) = (0, u64::MAX);
        p.request.max_nodes = Some(u64::MAX);
        p.iterations.clear();
    });
    accept("provenance-of-nothing", &|p| {
        (p.program, p.request.game, p.request.start) = Default::default();
        p.request.cover = Cover::none();
    });
    let resources = Resources { threads: u32::MAX, workers: 0, seconds: u64::MAX };
    accept("provenance-of-many-threads", &|p| p.mode = Mode::FreeRunning(resources));
    accept("provenance-of-a-farm", &|p| p.mode = Mode::Farm(resources));
    accept("provenance-of-thresholds-and-moves", &|p| {
        p.request.thresholds = Some(Thresholds { first: 50, increment: 0, until: Some(0) });
        p.request.seed_line = ["1-3", "", " ~"].map(String::from).into();
        p.iterations.extend_from_within(..);
    });
    corpus.add_draft("provenance-missing", base, |draft| {
        draft.parts[1].provenance = None;
        Box::new(|_| Expected::verified("DRAW 4x4 start=initial"))
    });
}

/// Expects a refusal of the first provenance, spoilt by `edit`, at an offset from the end of its
/// head.
fn refuse(
    corpus: &mut Corpus,
    name: &str,
    base: &Base,
    at: usize,
    edit: impl FnOnce(&mut Vec<u8>),
) {
    corpus.add(name, base, |d| {
        let mut objects = base.draft.objects();
        let object = objects.iter_mut().find(|o| o.kind == Kind::Provenance).expect("one");
        let start = object.head.length();
        let mut contents = object.bytes.split_off(start);
        edit(&mut contents);
        object.bytes.extend(contents);
        let file = format!("objects/{}", Digest::of(&object.bytes));
        write_objects(&d.join("cert"), base.draft.claim.encode().as_bytes(), &objects);
        Expected::refuted("object-syntax", file).at((start + at) as u64)
    });
}

/// Texts with bytes that are not printable ASCII.
fn refused(corpus: &mut Corpus, base: &Base) {
    let right = provenance(base);
    let bytes = |p: &Provenance| {
        let head = base.draft.parts[0].head(1);
        p.encode(&head).split_off(head.length())
    };
    let mut text = |name: &str, edit: &dyn Fn(&mut Provenance)| {
        let mut wrong = right.clone();
        edit(&mut wrong);
        refuse(corpus, name, base, 0, |b| *b = bytes(&wrong));
    };
    text("provenance-carriage-return", &|p| p.program.push('\r'));
    text("provenance-line-feed", &|p| p.program.push_str("\ns VERIFIED DRAW 8x8"));
    text("provenance-escape-character", &|p| p.program.insert(0, '\x1b'));
    text("provenance-delete-character", &|p| p.program.push('\x7f'));
    text("provenance-beyond-ascii", &|p| p.program.push('\u{e9}'));
    text("provenance-game-with-a-tab", &|p| p.request.game.push('\t'));
    text("provenance-start-with-a-zero", &|p| p.request.start.push('\0'));
    text("provenance-move-beyond-ascii", &|p| p.request.seed_line.push("1\u{2013}3".into()));
}

/// Bytes that are not those of a provenance.
fn spoilt(corpus: &mut Corpus, base: &Base) {
    let right = provenance(base);
    let length = {
        let head = base.draft.parts[0].head(1);
        right.encode(&head).len() - head.length()
    };
    // The mode comes after the program, and the request after it.
    let mode = counted(right.program.as_bytes()).len();
    let asked = mode
        + 1
        + counted(right.request.game.as_bytes()).len()
        + counted(right.request.start.as_bytes()).len();
    let cover = asked + 1;
    assert!(right.mode == Mode::Reproducible && right.request.cover == Cover::up_to(3));
    let budget =
        cover + 3 + varint(right.request.leaf_nodes).len() + varint(right.request.leaf_table).len();
    let seed_line = budget + 2;
    assert!(right.request.max_nodes.is_none() && right.request.thresholds.is_none());
    let iterations = seed_line + 1;
    let mut case = |name: &str, at: usize, edit: &dyn Fn(&mut Vec<u8>)| {
        refuse(corpus, name, base, at, edit);
    };
    case("provenance-empty", 0, &|b| b.clear());
    case("provenance-cut-short", 0, &|b| b.truncate(length - 1));
    case("provenance-trailing-byte", length, &|b| b.push(0));
    case("provenance-twice-in-an-object", length, &|b| b.extend_from_within(..));
    case("provenance-beyond-utf-8", 0, &|b| b[1] = 0xe9);
    let long = |n: u64| move |b: &mut Vec<u8>| drop(b.splice(..1, varint(n)));
    case("provenance-text-longer-than-all", 0, &long(1 << 20));
    case("provenance-text-2-to-64", 0, &long(u64::MAX));
    case("provenance-text-length-padded", 0, &|b| *b = pad(b, 0));
    case("provenance-mode-3", 0, &|b| b[mode] = 3);
    case("provenance-mode-padded", mode, &|b| *b = pad(b, mode));
    case("provenance-claim-3", 0, &|b| b[asked] = 3);
    case("provenance-cover-with-an-implied-clause", 0, &|b| {
        b.splice(cover..cover + 3, [2, 2, 1, 3, 2]);
    });
    case("provenance-cover-of-more-than-all", 0, &|b| b[cover + 1] = 33);
    case("provenance-clauses-2-to-64", 0, &|b| {
        b.splice(cover..cover + 1, varint(u64::MAX));
    });
    case("provenance-option-2", 0, &|b| b[budget] = 2);
    case("provenance-moves-2-to-64", 0, &|b| {
        b.splice(seed_line..=seed_line, varint(u64::MAX));
    });
    case("provenance-iterations-2-to-64", 0, &|b| {
        b.splice(iterations..=iterations, varint(u64::MAX));
    });
    case("provenance-one-iteration-more", 0, &|b| b[iterations] += 1);
    case("provenance-number-padded", length - 1, &|b| *b = pad(b, length - 1));
}
