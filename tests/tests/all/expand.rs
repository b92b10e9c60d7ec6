//! `prove expand`: certificates over a smaller cover.

use certificate_spec::claim::Value;
use draughtproof_egdb::{BuildSession, DepthFinder, Depths, Store};
use draughtproof_proof::certificate::{Certificate, Stored, Target};
use draughtproof_proof::expand::{Sources, expand};
use draughtproof_proof::progress::Progress;
use tests::prelude::*;

/// The path of a certificate in `corpus/ladder`.
fn ladder(folder: &str) -> String {
    format!("{}/../corpus/ladder/{folder}", env!("CARGO_MANIFEST_DIR"))
}

/// Makes the database of a certificate.
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
        let leaves = || sections.iter().flat_map(|section| section.leaves());
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
