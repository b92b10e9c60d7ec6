//! Certificates of openings, joined into one of the start.

use certificate_spec::claim::Value;
use certificate_spec::nodes;
use draughtproof_proof::certificate::Stored;
use tests::prelude::*;

/// The positions `plies` plies from the start, each with moves that lead there.
fn openings(game: &str, plies: u32) -> Vec<(String, Position)> {
    let game: Game = game.parse().unwrap();
    let mut found = vec![(String::new(), game.start())];
    for _ in 0..plies {
        let mut seen = BTreeSet::new();
        let mut next = Vec::new();
        for (line, position) in &found {
            for m in game.board.moves(position) {
                let name = game.board.write_move(position, &m.after).unwrap();
                if seen.insert(m.after) {
                    next.push((format!("{line} {name}").trim().to_string(), m.after));
                }
            }
        }
        found = next;
    }
    found
}

/// Proves each opening with the given options; returns the directories.
fn prove_openings(here: &Path, game: &str, plies: u32, options: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for (line, _) in openings(game, plies) {
        let name = format!("after-{}", line.replace(' ', "-"));
        let own = ["--game", game, "--moves", &line, "--emit", &name, "-q"];
        prove(&[&own[..], options].concat(), here);
        names.push(name);
    }
    names
}

/// Joins certificates, and checks the result as one of the start; returns the verdict.
fn combine_and_check(here: &Path, names: &[String], options: &[&str], words: &str) -> String {
    let _ = fs::remove_dir_all(here.join("out"));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    prove(&[&["combine", "out"], &names[..], options, &["-q"]].concat(), here);
    let said = check(&["out"], here);
    assert!(said.verdict.starts_with(&format!("s VERIFIED {words} ")), "{said:?}");
    assert_eq!(said.status, Some(0));
    said.verdict
}

/// Runs `prove combine`, which must fail with this status and these words.
fn combine_fails(here: &Path, arguments: &[&str], status: i32, words: &[&str]) {
    fails(here, &[&["combine"], arguments, &["-q"]].concat(), status, words);
}

/// As in 2007: for Black one sufficient first move with all replies to it, and for White one reply
/// to each first move; 5-8 14-11 even wins.
const OPENINGS_OF_6X6: [(&str, &str); 10] = [
    ("4-7 13-10", "black-not-lost"),
    ("4-7 13-11", "black-not-lost"),
    ("4-7 14-11", "value"),
    ("4-7 14-12", "black-not-lost"),
    ("4-7 15-12", "black-not-lost"),
    ("5-7 13-10", "white-not-lost"),
    ("6-8 13-11", "white-not-lost"),
    ("5-8 14-11", "value"),
    ("6-9 14-11", "white-not-lost"),
    ("5-8 13-11", "white-not-lost"),
];

const OPTIONS_OF_6X6: [&str; 5] = ["--pieces", "5", "--leaf-nodes", "5000", "-q"];

#[test]
fn game_6x6_from_its_openings() {
    let here = &Scratch::empty();
    let mut names = Vec::new();
    for (line, claim) in OPENINGS_OF_6X6 {
        let name = format!("after-{}", line.replace(' ', "-"));
        let own = ["--moves", line, "--claim", claim, "--emit", &name];
        prove(&[&own[..], &OPTIONS_OF_6X6].concat(), here);
        names.push(name);
    }
    openings_give_the_start(here, &names);
    openings_give_later_starts(here, &names);
    certificates_of_the_start_cover_it(here, &names);
    missing_openings_are_named(here, &names);
}

fn openings_give_the_start(here: &Path, names: &[String]) {
    combine_and_check(here, names, &[], "DRAW 6x6 start=initial");
    let claim = ["--claim", "black-not-lost"];
    let black = combine_and_check(here, names, &claim, "BLACK-NOT-LOST 6x6 start=initial");
    assert!(!black.contains(" leaves=0 "), "{black}");
    // The order of the certificates may change the proof, but the result is always a proof.
    let reversed: Vec<String> = names.iter().rev().cloned().collect();
    combine_and_check(here, &reversed, &[], "DRAW 6x6 start=initial");
}

fn openings_give_later_starts(here: &Path, names: &[String]) {
    let options = ["--moves", "4-7", "--claim", "black-not-lost"];
    let said = combine_and_check(here, &names[..5], &options, "BLACK-NOT-LOST 6x6");
    assert!(said.contains("start=W:W13,14,15,16,17,18:B1,2,3,5,6,7 "), "{said}");
}

/// A certificate of the start covers itself. With others, its leaves end at their nodes.
fn certificates_of_the_start_cover_it(here: &Path, names: &[String]) {
    prove(&[&["--emit", "start"], &OPTIONS_OF_6X6[..]].concat(), here);
    combine_and_check(here, &["start".into()], &[], "DRAW 6x6 start=initial");
    // The provenance of the parts is not stated for the whole.
    let proof = |name: &str| {
        let manifest = fs::read(here.join(name).join("MANIFEST")).unwrap();
        let mut objects = Manifest::decode(&manifest).unwrap().objects;
        objects.retain(|object| object.kind != Kind::Provenance);
        objects
    };
    let alone = proof("out");
    assert_eq!(alone, proof("start"));
    let both = [names, &["start".into()]].concat();
    combine_and_check(here, &both, &[], "DRAW 6x6 start=initial");
    assert_ne!(alone, proof("out"));
}

/// For Black all replies are needed, for White one to each first move.
fn missing_openings_are_named(here: &Path, names: &[String]) {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let missing = [
        "not proved for B:W13,14,15,16,17,18:B1,2,3,4,5,6:",
        "BLACK-NOT-LOST: a proof is missing for\n  4-7 13-10  B:W10,14,15,16,17,18:B1,2,3,5,6,7",
    ];
    combine_fails(here, &[&["new"], &names[1..]].concat(), 1, &missing);
    let missing = [
        "WHITE-NOT-LOST: a proof is missing for",
        "  6-8  W:W13,14,15,16,17,18:B1,2,3,4,5,8",
        "  5-8  W:W13,14,15,16,17,18:B1,2,3,4,6,8",
        "  6-9  W:W13,14,15,16,17,18:B1,2,3,4,5,9",
    ];
    let arguments = ["new", names[2], names[5], "--claim", "white-not-lost"];
    combine_fails(here, &arguments, 1, &missing);
    let arguments = ["new", names[5], "--claim", "black-not-lost"];
    combine_fails(here, &arguments, 1, &["no certificate bears on it"]);
    assert!(!here.join("new").exists());
}

/// A certificate in which the claim about one position is only assumed.
fn assume(here: &Path, name: &str, game: &Game, start: &Position, value: Value) {
    let dense = |bits| game.board.to_dense(bits);
    let position = WirePosition {
        black: dense(start.black),
        white: dense(start.white),
        kings: dense(start.kings),
        turn: start.turn as u8,
    };
    let node = Node { position, rank: 0, data: 0, kind: kind::ASSUMED, reserved: 0 };
    let questions = value.questions().iter();
    let claim = Claim {
        game: game.to_string(),
        start: game.board.write_fen(start),
        value,
        cover: Cover::none(),
        database: None,
    };
    let parts = questions.map(|&question| Part { nodes: vec![node], ..Part::new(question) });
    Draft { claim, parts: parts.collect() }.write(&here.join(name));
}

#[test]
fn the_19_openings_of_2007() {
    let here = &Scratch::empty();
    let game: Game = "8x8".parse().unwrap();
    let mut openings = Vec::new();
    for row in rows(include_str!("../../../corpus/openings.tsv")) {
        let line = game.board.read_line(&game.start(), row[1]).unwrap();
        let value = match row[2] {
            "draw" => Value::Draw,
            "<=draw" => Value::WhiteNotLost,
            _ => Value::WhiteWins,
        };
        assume(here, row[0], &game, &line[2], value);
        openings.push((row[0].to_string(), line));
    }
    let names: Vec<&str> = openings.iter().map(|(name, _)| name.as_str()).collect();
    let arguments = [&["new"], &names[..]].concat();
    combine_fails(here, &arguments, 3, &["no proof at W:W", "it is only assumed"]);
    for (i, (_, line)) in openings.iter().enumerate() {
        let others = [&names[..i], &names[i + 1..]].concat();
        let claim = if i < 7 { "black-not-lost" } else { "white-not-lost" };
        let arguments = [&["combine", "new"], &others[..], &["--claim", claim, "-q"]].concat();
        let said = fails(here, &arguments, 1, &[]);
        // The missing line begins with the first move of the opening, or ends with its position.
        let missing: Vec<&str> = said.lines().filter(|line| line.starts_with("  ")).collect();
        assert_eq!(missing.len(), 1, "{said}");
        let first = format!("  {} ", game.board.write_move(&game.start(), &line[0]).unwrap());
        let fen = game.board.write_fen(&line[2]);
        assert!(missing[0].starts_with(&first) || missing[0].ends_with(&fen), "{said}");
    }
}

#[test]
fn games_that_white_wins() {
    for (game, plies, options) in [
        ("5x5/2", 2, ["--pieces", "3", "--leaf-nodes", "50"]),
        ("6x4", 2, ["--pieces", "3", "--leaf-nodes", "20"]),
        ("6x4", 3, ["--pieces", "2", "--leaf-nodes", "10"]),
    ] {
        let here = &Scratch::empty();
        let mut names = prove_openings(here, game, plies, &options);
        let words = format!("WHITE-WINS {game} start=initial");
        combine_and_check(here, &names, &[], &words);
        names.reverse();
        combine_and_check(here, &names, &[], &words);
        // A side that wins does not lose: ranks are dropped, and repetitions may close a branch.
        let words = format!("WHITE-NOT-LOST {game} start=initial");
        combine_and_check(here, &names, &["--claim", "white-not-lost"], &words);
    }
}

#[test]
fn certificates_that_do_not_fit() {
    let here = &Scratch::empty();
    for (name, options) in [
        ("a", &["--game", "4x4", "--pieces", "2"][..]),
        ("b", &["--game", "4x4", "--pieces", "3"]),
        ("c", &["--game", "4x4", "--pieces", "0"]),
        ("d", &["--game", "4x4/1", "--pieces", "0"]),
    ] {
        // 4x4/1 is the same game as 4x4, which is how it is spelt.
        prove(&[&["--emit", name, "-q"], options].concat(), here);
    }
    prove(&["--game", "6x4", "--pieces", "2", "--emit", "e", "-q"], here);
    combine_fails(
        here,
        &["new", "a", "b"],
        2,
        &["b/CLAIM", "expected pieces 2 as in a, found pieces 3"],
    );
    combine_fails(
        here,
        &["new", "a", "e"],
        2,
        &["e/CLAIM", "expected game 4x4 as in a, found game 6x4"],
    );
    combine_and_check(here, &["c".into(), "d".into()], &[], "DRAW 4x4 start=initial");
    prove(&["--game", "4x4", "--moves", "1-3", "--pieces", "2", "--emit", "f", "-q"], here);
    let far = ["f/CLAIM", "expected a start at most 0 moves after B:W7,8:B1,2"];
    combine_fails(here, &["new", "f", "--plies", "0"], 2, &far);
    combine_fails(here, &["new", "none"], 3, &["none/MANIFEST"]);
    combine_fails(here, &["a/CLAIM", "a"], 3, &["a/CLAIM"]);
    combine_fails(here, &["new"], 2, &["CERT"]);

    // A certificate over another database.
    let bytes = fs::read_to_string(here.join("a/CLAIM")).unwrap();
    let root = bytes.lines().last().unwrap().trim_start_matches("database ");
    let other = Digest::of(b"another").to_string();
    rewrite(here, "a", "g", |claim, _| *claim = claim.replace(root, &other));
    combine_fails(
        here,
        &["new", "g"],
        2,
        &["egdb", "expected the database", &other, "of g, found", root],
    );
    combine_fails(here, &["new", "a", "g"], 2, &["g/CLAIM: expected database", "found database"]);
}

/// Copies a certificate with changed CLAIM or objects, and right hashes.
fn rewrite(
    here: &Path,
    from: &str,
    to: &str,
    mut change: impl FnMut(&mut String, &mut Vec<(Kind, Vec<u8>)>),
) {
    let (from, to) = (here.join(from), here.join(to));
    let mut manifest = Manifest::decode(&fs::read(from.join("MANIFEST")).unwrap()).unwrap();
    let mut claim = fs::read_to_string(from.join("CLAIM")).unwrap();
    let read = |digest: Digest| fs::read(from.join(format!("objects/{digest}"))).unwrap();
    let mut objects: Vec<_> =
        manifest.objects.iter().map(|object| (object.kind, read(object.digest))).collect();
    change(&mut claim, &mut objects);
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(to.join("objects")).unwrap();
    for (object, (_, bytes)) in manifest.objects.iter_mut().zip(&objects) {
        (object.length, object.digest) = (bytes.len() as u64, Digest::of(bytes));
        fs::write(to.join(format!("objects/{}", object.digest)), bytes).unwrap();
    }
    (manifest.claim_length, manifest.claim_digest) =
        (claim.len() as u64, Digest::of(claim.as_bytes()));
    fs::write(to.join("CLAIM"), claim).unwrap();
    fs::write(to.join("MANIFEST"), manifest.encode()).unwrap();
}

#[test]
fn damaged_and_false_certificates() {
    for (game, options) in [
        ("4x8", ["--pieces", "3", "--leaf-nodes", "500"]),
        ("5x5/2", ["--pieces", "3", "--leaf-nodes", "50"]),
    ] {
        let here = &Scratch::empty();
        prove(&[&["--game", game, "--emit", "good", "-q"], &options[..]].concat(), here);
        let stored = Stored::read(&here.join("good")).unwrap();
        assert!(stored.proofs.iter().all(|proof| proof.leaves.len() > 2 && proof.nodes.len() > 4));
        changed_bits_are_found(here);
        let refused = (0..60).filter(|&i| is_refused_when_false(here, i)).count();
        assert!(refused > 30, "{game}: {refused}");
    }
}

/// Changes single bits of all files of the certificate `good`.
fn changed_bits_are_found(here: &Path) {
    let mut tried = 0;
    for (name, bytes) in read_all(&here.join("good")) {
        let file = here.join("good").join(name);
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&file, damaged).unwrap();
            combine_fails(here, &["new", "good"], 3, &["good"]);
            tried += 1;
        }
        fs::write(&file, bytes).unwrap();
    }
    assert!(tried > 20, "{tried}");
}

/// Changes an object of the certificate `good`, with right hashes: the `i`th change. `prove`
/// refuses it, or the result is a proof, since the change made another proof of it or the wrong
/// part was not needed. Returns whether `prove` refuses it.
fn is_refused_when_false(here: &Path, i: usize) -> bool {
    rewrite(here, "good", "bad", |_, objects| {
        // Provenances come last, and nothing rests on them.
        let count = objects.iter().filter(|(kind, _)| *kind != Kind::Provenance).count();
        let (kind, bytes) = &mut objects[i % count];
        if *kind == Kind::Leaves {
            // Choices, at the end of the object.
            let at = bytes.len() - 1 - i * 13 % (bytes.len() / 3);
            bytes[at] ^= 1 << (i % 8);
            return;
        }
        let (header, mut all) = nodes::decode(bytes).unwrap();
        let length = all.len();
        let node = &mut all[i * 7 % length];
        match node.kind {
            kind::OR => node.data ^= 1,
            kind::AND => node.kind = kind::ASSUMED,
            _ => node.rank += 1000,
        }
        *bytes = nodes::encode(&header, &all);
    });
    let _ = fs::remove_dir_all(here.join("new"));
    let said = check(&["bad"], here);
    let output = run(&path("prove"), &["combine", "new", "bad", "-q"], here);
    if output.status.code() == Some(0) {
        let combined = check(&["new"], here);
        assert_eq!(combined.status, Some(0), "{i}: {combined:?}");
        return false;
    }
    assert_ne!(said.status, Some(0), "{i}: {said:?}");
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{i}: {words}");
    assert!(words.contains("bad") && !words.contains("panicked"), "{words}");
    true
}
