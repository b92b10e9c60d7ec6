//! `prove trim`: certificates with parts that the start does not need.
//!
//! `prove expand`: certificates over a smaller cover.

use certificate_spec::claim::Value;
use draughtproof_egdb::numbers::counted;
use draughtproof_egdb::{BuildSession, DepthFinder, Depths, Store};
use draughtproof_proof::certificate::{Certificate, Stored, Target};
use draughtproof_proof::expand::{Sources, expand};
use draughtproof_proof::progress::Progress;
use tests::positions;
use tests::prelude::*;

/// A certificate of 4x4 over the values of two pieces, of several nodes and leaves.
const SMALL: [&str; 7] = ["--game", "4x4", "--pieces", "2", "--leaf-nodes", "3", "-q"];

/// A draft of that certificate, which is in the folder `cert`.
fn small(here: &Path) -> Draft {
    prove(&[&SMALL[..], &["--emit", "cert"]].concat(), here);
    let draft = Draft::read(&here.join("cert"));
    assert!(draft.parts.iter().all(|part| part.nodes.len() > 2 && part.leaves.len() > 1));
    draft
}

fn node(fen: &str, kind: u8, data: u32) -> Node {
    let game: Game = "4x4".parse().unwrap();
    let rules = Rules::new(positions::database(&game.board, 2));
    let position = rules.wire(&game.board.read_fen(fen).unwrap());
    Node { position, rank: 0, data, kind, reserved: 0 }
}

/// Adds a node at its place, with a leaf if it is a Leaf node, and numbers leaves again.
fn add(part: &mut Part, node: Node, leaf: Option<Leaf<Vec<u8>>>) {
    let at = part.nodes.partition_point(|there| there.position < node.position);
    let before = part.nodes[..at].iter().filter(|node| node.kind == kind::LEAF).count();
    part.nodes.insert(at, node);
    if let Some(leaf) = leaf {
        part.leaves.insert(before, leaf);
    }
    let leaves = part.nodes.iter_mut().filter(|node| node.kind == kind::LEAF);
    leaves.zip(0..).for_each(|(node, number)| node.data = number);
}

fn black(draft: &mut Draft) -> &mut Part {
    draft.parts.iter_mut().find(|part| part.question == Question::BlackNotLost).unwrap()
}

/// Trims `from` into `to`, and checks the result.
fn trim(here: &Path, from: &str, to: &str) -> (String, Said) {
    let said = prove(&["trim", from, "--emit", to], here);
    (said, check(&[to], here))
}

/// White is blocked in both positions that White has to move in, and the start has fewer pieces
/// than any of the three.
#[test]
fn what_nothing_reaches_is_left_out() {
    let here = &Scratch::empty();
    let whole = small(here);
    let mut padded = whole.clone();
    let part = black(&mut padded);
    add(part, node("W:W7,8:B3,4,5,6", kind::AND, 0), None);
    add(part, node("B:W7,8:B2,3,5,6", kind::OR, 0), None);
    let leaf = Leaf { positions: 1, strategy: Vec::new() };
    add(part, node("W:W3,4,5,6:B1,2", kind::LEAF, 0), Some(leaf));
    padded.write(&here.join("padded"));
    let before = check(&["cert"], here);
    let said = check(&["padded"], here);
    assert!(said.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{said:?}");
    assert_ne!(said.verdict, before.verdict);

    let dry = prove(&["trim", "padded"], here);
    let (text, after) = trim(here, "padded", "trimmed");
    let [nodes, leaves] = [
        padded.parts.iter().map(|part| part.nodes.len()).sum::<usize>(),
        padded.parts.iter().map(|part| part.leaves.len()).sum(),
    ];
    let left_out =
        format!("left out: 3 of {} and 1 of {}", counted(nodes, "node"), counted(leaves, "leaf"));
    assert!(dry.contains(&left_out) && text.contains(&left_out), "{dry}{text}");
    let counts = |said: &Said| said.verdict.split_once(" db=").unwrap().1.to_string();
    assert!(after.verdict.starts_with("s VERIFIED DRAW 4x4 start=initial "), "{after:?}");
    assert_eq!((counts(&after), after.status), (counts(&before), Some(0)));
    // Nodes and leaves are those of before, and the provenance is left out where it is not true.
    let mut expected = whole.clone();
    black(&mut expected).provenance = None;
    assert_eq!(Draft::read(&here.join("trimmed")), expected);
}

/// An unreachable part can spoil a certificate, which is a proof without it.
#[test]
fn a_wrong_part_that_nothing_reaches_is_left_out() {
    let here = &Scratch::empty();
    let whole = small(here);
    for (kind, before) in
        [(kind::AND, "s REFUTED not-covered "), (kind::ASSUMED, "s CONDITIONAL DRAW 4x4 ")]
    {
        let mut padded = whole.clone();
        add(black(&mut padded), node("W:W5,6,7,8:B3", kind, 0), None);
        padded.write(&here.join("padded"));
        let said = check(&["padded"], here);
        assert!(said.verdict.starts_with(before), "{said:?}");
        let _ = fs::remove_dir_all(here.join("trimmed"));
        let (_, after) = trim(here, "padded", "trimmed");
        assert!(after.verdict.starts_with("s VERIFIED DRAW 4x4 "), "{after:?}");
    }
}

#[test]
fn what_prove_writes_has_no_such_part() {
    let here = &Scratch::empty();
    for (name, options) in [
        ("draw", &["--game", "6x6", "--pieces", "5", "--leaf-nodes", "3000"][..]),
        ("win", &["--game", "5x5/2", "--pieces", "3", "--leaf-nodes", "50"]),
        ("none", &["--game", "4x4", "--pieces", "0"]),
        ("in-the-database", &["--pieces", "5", "--fen", "B:W17,18:BK1,K2"]),
    ] {
        prove(&[options, &["--emit", name, "-q"]].concat(), here);
        let to = format!("{name}-trimmed");
        let said = prove(&["trim", name, "--emit", &to], here);
        assert!(said.contains("\nleft out: nothing, "), "{said}");
        assert!(read_all(&here.join(name)) == read_all(&here.join(to)), "{name}");
    }
}

#[test]
fn what_is_no_proof_is_not_trimmed() {
    let here = &Scratch::empty();
    let whole = small(here);
    // Without a node that another one needs, and with a choice that is no move.
    let mut holed = whole.clone();
    let part = black(&mut holed);
    let last = part.nodes.iter().rposition(|node| node.kind != kind::LEAF).unwrap();
    part.nodes.remove(last);
    holed.write(&here.join("holed"));
    fails(here, &["trim", "holed", "--emit", "out"], 3, &["holed", "no proof at ", "found none"]);
    let mut wrong = whole.clone();
    let part = black(&mut wrong);
    part.nodes.iter_mut().find(|node| node.kind == kind::OR).unwrap().data = 40;
    wrong.write(&here.join("wrong"));
    fails(here, &["trim", "wrong", "--emit", "out"], 3, &["no proof at ", "found number 40"]);
    fails(here, &["trim", "nowhere"], 3, &["nowhere"]);
    // Nothing that exists is overwritten.
    prove(&["--game", "4x8", "--pieces", "2", "--emit", "other", "-q"], here);
    let other = read_all(&here.join("other"));
    fails(here, &["trim", "cert", "--emit", "other"], 3, &["other"]);
    assert!(other == read_all(&here.join("other")) && !here.join("out").exists());
}

/// The path of a certificate in `corpus/ladder`.
fn ladder(folder: &str) -> String {
    format!("{}/../corpus/ladder/{folder}", env!("CARGO_MANIFEST_DIR"))
}

fn make_database(here: &Path, game: &str, pieces: &str) {
    prove(&["db", "--game", game, "--pieces", pieces, "-q"], here);
}

/// Checks a certificate over a cover: the claim is as it was.
fn verify(here: &Path, name: &str, claim: &str, pieces: &str) {
    let said = check(&[name], here);
    assert!(said.verdict.starts_with(&format!("s VERIFIED {claim} start=initial ")), "{said:?}");
    let words = if pieces == "0" { " db=none " } else { &format!(" pieces={pieces} ") };
    assert!(said.verdict.contains(words) && said.status == Some(0), "{said:?}");
}

/// Draws and wins, down to small covers and to none, each in one step and from the step before.
#[test]
fn an_expanded_certificate_proves_the_same_over_a_smaller_cover() {
    let games = [
        ("4x4", "4x4", "DRAW 4x4", "3", ["2", "0"]),
        ("8x4", "8x4", "DRAW 8x4", "6", ["5:3", "4"]),
        ("5x5-2", "5x5/2", "WHITE-WINS 5x5/2", "7", ["5", "3"]),
        ("6x4", "6x4", "WHITE-WINS 6x4", "7", ["6:3", "2"]),
    ];
    for (folder, game, claim, pieces, smaller) in games {
        let here = &Scratch::empty();
        make_database(here, game, pieces);
        let [one, two] = smaller;
        for (from, cover) in [(&*ladder(folder), one), (&*ladder(folder), two), (one, two)] {
            let _ = fs::remove_dir_all(here.join(cover));
            prove(&["expand", from, "--pieces", cover, "--emit", cover, "-q"], here);
            verify(here, cover, claim, cover);
        }
        // What is needed of the database is made without it.
        fs::remove_dir_all(here.join("egdb")).unwrap();
        if two != "0" {
            make_database(here, game, two);
        }
        verify(here, two, claim, two);
    }
}

#[test]
fn threads_make_no_difference() {
    let here = &Scratch::empty();
    make_database(here, "8x4", "6");
    for threads in ["1", "4"] {
        let own = ["expand", &ladder("8x4"), "--pieces", "5", "--emit", threads];
        prove(&[&own[..], &["--threads", threads, "-q"]].concat(), here);
    }
    assert_eq!(read_all(&here.join("1")), read_all(&here.join("4")));
}

/// A limit that the command would reach with tens of millions of positions.
#[test]
fn leaves_are_cut_at_a_limit() {
    for (folder, game, claim, pieces, most) in
        [("5x5-2", "5x5/2", "WHITE-WINS 5x5/2", "7", 100), ("8x4", "8x4", "DRAW 8x4", "6", 3_000)]
    {
        let here = &Scratch::empty();
        make_database(here, game, pieces);
        let stored = Stored::read(Path::new(&ladder(folder))).unwrap();
        let (root, board) = (here.join("egdb"), &stored.game.board);
        let store = Store::new(&root, board);
        let session = BuildSession::new(&store, &stored.claim.cover, 1 << 30).unwrap();
        let sources = Sources {
            values: &session.load_all(|_| ()).unwrap(),
            depths: &Depths::open(&root, board).unwrap(),
            finder: Mutex::new(DepthFinder::new(1 << 30)),
        };
        let cover = Cover::up_to(4);
        let sections = expand(&stored, &cover, &sources, most, &Progress::Quiet).unwrap();
        let leaves = || sections.iter().flat_map(|section| &section.leaves);
        assert!(leaves().count() > 2, "{folder}: {} leaves", leaves().count());
        assert!(leaves().all(|leaf| leaf.positions <= most), "{folder}");
        let database = Some(store.manifest_of(&cover).unwrap().root());
        let claimed = Claim { cover, database, ..stored.claim.clone() };
        let target = Target::new(&here.join("cut")).unwrap();
        Certificate::new(&claimed, &sections).write(target).unwrap();
        verify(here, "cut", claim, "4");
    }
}

#[test]
fn faults_are_named() {
    let here = &Scratch::empty();
    let cert = &ladder("4x4");
    let expand = |from: &str, pieces: &str, status: i32, words: &[&str]| {
        let arguments = ["expand", from, "--pieces", pieces, "--emit", "out", "-q"];
        fails(here, &arguments, status, words);
        assert!(!here.join("out").exists());
    };
    let command = "no database here (build it with `prove db`): \
        `prove db --game 4x4 --pieces 3` makes the one of CERT";
    expand(cert, "2", 3, &["egdb/4x4/MANIFEST", command]);
    make_database(here, "4x4", "2");
    expand(cert, "2", 3, &["found one with 2 (extend it with `prove db --game 4x4 --pieces 3"]);
    make_database(here, "4x4", "3");
    for pieces in ["3", "4", "4:2"] {
        let want = "--pieces: expected a cover smaller than 3 of ";
        expand(cert, pieces, 2, &[want, &format!("found {pieces}")]);
    }
    // The proof of a win is a part of the larger one.
    make_database(here, "5x5/2", "7");
    let cert = &ladder("5x5-2");
    let mut draft = Draft::read(Path::new(cert));
    draft.parts[0].nodes.iter_mut().for_each(|node| node.kind = kind::ASSUMED);
    draft.parts[0].leaves.clear();
    draft.write(&here.join("assumed"));
    expand("assumed", "3", 3, &["assumed: no proof at ", ": it is only assumed"]);
    let mut draft = Draft::read(Path::new(cert));
    draft.parts[0].leaves[0].strategy.iter_mut().for_each(|byte| *byte ^= 1);
    draft.write(&here.join("false"));
    expand("false", "3", 3, &["false: no proof at "]);
    // A claim of not losing is searched again, whatever the certificate says; a false one is found.
    let mut draft = Draft::read(Path::new(&ladder("5x5-2")));
    draft.claim.value = Value::BlackNotLost;
    draft.parts.clear();
    draft.write(&here.join("lost"));
    expand("lost", "3", 3, &["lost: no proof at ", ": the database refutes it"]);
}
