//! Bad input gives a message that says what is wrong and where, and the documented status. No file
//! is overwritten.

use tests::prelude::*;

#[test]
fn games_and_numbers() {
    let d = &Scratch::empty();
    for game in ["9x9", "6x7", "6", "6x6/4", "6x6/0", "x", "6x6/2/2", "", "６x6", "2x2", "08x8"] {
        fails(d, &["perft", "--depth", "1", "--game", game], 2, &["expected RxC", game]);
    }
    fails(d, &["db", "--game", "4x4", "--pieces", "9"], 2, &["expected 2 to 8", "found 9"]);
    fails(d, &["db", "--game", "4x4", "--pieces", "1"], 2, &["expected a cover", "found 1"]);
    // With more pieces there are too many positions to count.
    for command in ["db", "plan"] {
        let pieces = [command, "--game", "8x8", "--pieces", "16"];
        fails(d, &pieces, 2, &["expected 2 to 15 on 8x8", "found 16"]);
    }
    fails(d, &["db", "--game", "8x8", "--pieces", "11"], 3, &["needs"]);
    fails(d, &["--emit", "cert", "--threads", "0"], 2, &["--threads", "found 0"]);
    fails(d, &["--emit", "cert", "--memory", "12 parsecs"], 2, &["--memory"]);
    fails(d, &["db", "--game", "8x8", "--pieces", "6", "--memory", "1MiB"], 3, &["needs", "1 MiB"]);
    fails(d, &[], 2, &["--emit"]);
    assert_eq!(fs::read_dir(d).unwrap().count(), 0, "something was written");
}

#[test]
fn positions() {
    let d = &Scratch::empty();
    let bad = [
        ("B:W1:B2", "a man on 1, its crowning row"),
        ("B:W18:B16", "a man on 16, its crowning row"),
        ("B:W19:B1", "found 19"),
        ("B:W0:B1", "found 0"),
        ("B:W18:B18", "a second piece on 18"),
        ("B:WK5,5:B1", "a second piece on 5"),
        ("X:W18:B1", "'X'"),
        ("black:W18:B1", "'l'"),
        ("B:W18:W17", "the same side again"),
        ("B:W18", "found the end"),
        ("B:W18:B1:B2", "expected the end"),
        ("B:W18:B3-1", "from high to low"),
        ("B:W18,:B1", "a square from 1 to 18"),
        ("B:W18:B1x", "expected the end"),
        ("B:W18:B99999999999999999999", "a square from 1 to 18"),
        ("", "the side to move"),
        ("B:W♔:B1", "a square from 1 to 18"),
    ];
    for (fen, words) in bad {
        let place = ["FEN", "character", "expected", words];
        fails(d, &["perft", "--game", "6x6", "--depth", "1", "--fen", fen], 2, &place);
        fails(d, &["--emit", "cert", "--fen", fen], 2, &place);
    }
    assert_eq!(fs::read_dir(d).unwrap().count(), 0, "something was written");
    // The same position in several forms that people write.
    for fen in [
        "B:W13-18:B1-6.",
        "B:B1,2,3,4,5,6:W13,14,15-18",
        "B:W13-18:B1-6",
        "b:w13-18:b1-6:h0:f1",
        "[FEN \"B:W13, 14, 15-18 : B1-6.\"]",
    ] {
        let out = prove(&["perft", "--game", "6x6", "--depth", "3", "--fen", fen], d);
        assert_eq!(out, "1\t5\n2\t25\n3\t106\n");
    }
}

#[test]
fn places() {
    let d = &Scratch::empty();
    fs::write(d.join("file"), "kept").unwrap();
    fails(d, &["--game", "4x4", "--emit", "file/cert"], 3, &["file"]);
    fails(d, &["--game", "4x4", "--emit", "cert", "--db", "file"], 3, &["file"]);
    fails(d, &["--game", "4x4", "--emit", "file"], 3, &["file"]);
    fails(d, &["--game", "4x4", "--emit", "."], 3, &["expected a directory for the certificate"]);
    let (start, last) = (["--threshold", "50"], ["--until-threshold", "40"]);
    let thresholds = [&["--game", "4x4", "--emit", "no"][..], &start, &last].concat();
    fails(d, &thresholds, 2, &["--until-threshold: expected at least the 50", "found 40"]);
    fs::create_dir(d.join("full")).unwrap();
    fs::write(d.join("full/mine"), "kept").unwrap();
    fails(
        d,
        &["--game", "4x4", "--emit", "full"],
        3,
        &["full", "expected", "found something else"],
    );
    assert_eq!(fs::read_to_string(d.join("full/mine")).unwrap(), "kept");
    assert_eq!(fs::read_to_string(d.join("file")).unwrap(), "kept");
    // Another certificate is not overwritten, either.
    prove(&["--game", "4x4", "--emit", "cert", "-q"], d);
    let before = fs::read(d.join("cert/MANIFEST")).unwrap();
    let other = ["--game", "4x4", "--pieces", "2", "--emit", "cert", "-q"];
    fails(d, &other, 3, &["cert", "found something else"]);
    assert_eq!(fs::read(d.join("cert/MANIFEST")).unwrap(), before);
    fails(d, &["stats", "--game", "8x8"], 3, &["8x8/MANIFEST", "no database here"]);
    fails(d, &["probe", "B:W30:B1"], 3, &["no database here"]);
}

/// A position that is not of the board, and a board without a database, are answered by the games
/// that would do.
#[test]
fn boards() {
    let d = &Scratch::empty();
    let games = ["found 22: it would fit --game 8x8 or 8x6 or 7x7 or 6x8\n"];
    fails(d, &["probe", "--game", "6x6", "B:W22:B1"], 2, &games);
    fails(d, &["--emit", "cert", "--fen", "B:W30:B1"], 2, &["it would fit --game 8x8\n"]);
    let said = fails(d, &["probe", "B:W33:B1"], 2, &["expected a square from 1 to 32"]);
    assert!(!said.contains("--game"), "{said}");
    prove(&["db", "--game", "4x4", "--pieces", "2", "-q"], d);
    // The only board that has a database is meant, unless --game names another one.
    assert!(prove(&["probe", "B:W8:B1"], d).starts_with("B:W8:B1"));
    let named = ["8x8/MANIFEST: no database here", "databases of 4x4; --game names the board"];
    fails(d, &["probe", "--game", "8x8", "B:W8:B1"], 3, &named);
    assert!(prove(&["play", "--game", "8x8", "-q"], d).starts_with("B:W21,22,"));
}

/// A mistyped folder of databases is an error of commands that can do without a database.
#[test]
fn folders_of_databases() {
    let d = &Scratch::empty();
    fs::write(d.join("games.pdn"), "1. 11-15 *\n").unwrap();
    for command in [
        "engine",
        "play",
        "probe start",
        "solve --nodes 10 start",
        "analyse --depth 1",
        "annotate --depth 1 games.pdn",
        "book --nodes 10 --positions 1 --out book.tsv",
        "serve --listen 127.0.0.1:0",
    ] {
        let typed: Vec<&str> = command.split(' ').chain(["--db", "egbd"]).collect();
        fails(d, &typed, 3, &["prove: egbd: ", "--db must name a directory that is there"]);
    }
    // The default may be missing, and a folder without a database of the board will do.
    prove(&["analyse", "--depth", "1", "-q"], d);
    fs::create_dir(d.join("other")).unwrap();
    for database in [&["--db", "other"][..], &["--db", "egbd", "--pieces", "0"]] {
        prove(&[&["analyse", "--depth", "1", "-q"], database].concat(), d);
    }
}

#[test]
fn databases() {
    let d = &Scratch::empty();
    prove(&["db", "--game", "4x4", "--pieces", "3", "-q"], d);
    let manifest = d.join("egdb/4x4/MANIFEST");
    let good = fs::read(&manifest).unwrap();
    // Another board's database under this one's name.
    fs::create_dir_all(d.join("egdb/6x4")).unwrap();
    fs::copy(&manifest, d.join("egdb/6x4/MANIFEST")).unwrap();
    let build = ["db", "--game", "6x4", "--pieces", "3", "-q"];
    fails(d, &build, 3, &["6x4/MANIFEST", "expected board 6x4", "found board 4x4"]);
    // Another version; a truncated file; one byte too many; an empty file.
    for (bytes, words) in [
        (
            [&good[..8], &[7], &good[9..]].concat(),
            "version: expected 1 (make the database again with: prove db), found 7",
        ),
        (good[..good.len() - 5].to_vec(), "expected a record of a slice"),
        ([&good[..], &[0]].concat(), "expected the end, found 1 more bytes"),
        (Vec::new(), "offset 0: expected 8 bytes, found 0 bytes"),
    ] {
        fs::write(&manifest, &bytes).unwrap();
        for command in [&["db", "--game", "4x4", "--pieces", "4"][..], &["stats", "--game", "4x4"]]
        {
            fails(d, command, 3, &["4x4/MANIFEST", words, "remove"]);
        }
        assert_eq!(fs::read(&manifest).unwrap(), bytes, "the file was changed");
    }
    fs::write(&manifest, &good).unwrap();
    let more = ["stats", "--game", "4x4", "--pieces", "4"];
    let extend = "`prove db --game 4x4 --pieces 4 --db egdb`";
    fails(d, &more, 3, &["with 4 pieces", "found one with 3", extend]);
}

/// A full disk: a file that is not complete is never used.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let d = &Scratch::empty();
    // A limit on the size of files has the same effect: a write fails.
    let prove_path = path("prove");
    let command = format!(
        "ulimit -f 16; trap '' XFSZ; exec {} db --game 6x6 --pieces 5 --quiet",
        prove_path.display()
    );
    let output = run(Path::new("/bin/sh"), &["-c", &command], d);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(message.contains("egdb/6x6.building/"), "{message}");
    // Slices that were complete before are still there and are used.
    let stats = prove(&["stats", "--game", "6x6", "--format", "tsv"], d);
    assert!(stats.contains("total 4\t481755\t216518\t115390\t149847"), "{stats}");
    prove(&["db", "--game", "6x6", "--pieces", "5", "--quiet"], d);
    let said = tests::programs::check(&["--game", "6x6"], d);
    assert!(said.verdict.starts_with("s VERIFIED DATABASE 6x6 pieces=5"), "{said:?}");
}

#[test]
fn undecided_is_said() {
    let d = &Scratch::empty();
    let options = ["--game", "4x4", "--pieces", "0", "--leaf-nodes", "2", "--max-nodes", "5"];
    fails(d, &[&options[..], &["--emit", "cert"]].concat(), 1, &["not decided", "proof number"]);
    let lost = ["--game", "6x4", "--claim", "black-not-lost", "--emit", "cert", "-q"];
    fails(d, &lost, 1, &["the claim does not hold: White wins"]);
    assert!(!d.join("cert").exists());
}

#[test]
fn standard_input() {
    let d = &Scratch::empty();
    prove(&["db", "--game", "4x4", "--pieces", "4", "-q"], d);
    let ask = |arguments: &[&str], input: &str| {
        let (out, err, status) = texts(ask("prove", arguments, d, input.as_bytes()));
        (status, out, err)
    };
    let fens = "B:W7,8:B1,2\n\nB:W8:BK1\nW:W5,K8:B1,K3\n";
    let (status, probed, _) = ask(&["probe", "--game", "4x4", "--format", "tsv"], fens);
    assert_eq!((status, probed.lines().count()), (Some(0), 3));
    let solve = ["solve", "--game", "4x4", "--nodes", "100000", "--pieces", "0", "-q"];
    let (status, solved, _) = ask(&solve, fens);
    assert_eq!(status, Some(0));
    for (probed, solved) in probed.lines().zip(solved.lines()) {
        let solved: Vec<&str> = solved.split('\t').collect();
        assert_eq!(probed.split('\t').collect::<Vec<_>>()[..2], solved[..2]);
        assert!(solved[2].parse::<u64>().unwrap() > 0);
    }
    // With too few nodes the result is a bound or open, never a wrong value.
    let few = ["solve", "--game", "4x4", "--nodes", "2", "--pieces", "0", "-q"];
    let (_, solved, _) = ask(&few, "B:W7,8:B1,2\n");
    assert!(solved.contains("unknown") || solved.contains("=draw"), "{solved}");
    let (status, out, message) =
        ask(&["probe", "--game", "4x4", "--format", "tsv"], "B:W8:B1\nB:W9:B1\n");
    assert_eq!((status, out.lines().count()), (Some(1), 2));
    assert!(out.contains("line 2") && out.contains("found 9"), "{out}");
    assert!(message.contains("1 of 2 lines without a position"), "{message}");
}

/// A verdict that cannot be written does not count.
#[test]
#[cfg(target_os = "linux")]
fn closed_standard_output() {
    let d = &Scratch::empty();
    prove(&["--game", "4x4", "--emit", "cert", "-q"], d);
    let check = path("check");
    let redirections = [
        (">/dev/full", 4),
        ("1</dev/null", 4),
        // Rust's library would open a null device where standard output is closed; one that the
        // caller opens is as good as any file.
        (">&-", 4),
        ("<&- >&- 2>&-", 4),
        (">/dev/null", 0),
        ("1<>/dev/null", 0),
        ("<&- 2>&- >out", 0),
    ];
    for (redirection, status) in redirections {
        let command = format!("exec {} cert {redirection}", check.display());
        let output = run(Path::new("/bin/sh"), &["-c", &command], d);
        assert_eq!(output.status.code(), Some(status), "{redirection}");
    }
    let out = fs::read_to_string(d.join("out")).unwrap();
    assert!(out.starts_with("s VERIFIED DRAW 4x4") && out.lines().count() == 1, "{out}");
    // A reader that has closed the pipe.
    let command = format!("{{ sleep 0.2; {} cert; echo $? >status; }} | true", check.display());
    run(Path::new("/bin/sh"), &["-c", &command], d);
    assert_eq!(fs::read_to_string(d.join("status")).unwrap(), "4\n");
    // Text of the user or the certificate cannot forge a line of output.
    let forged = "x\ns VERIFIED DRAW 8x8 start=initial";
    fs::create_dir(d.join(forged)).unwrap();
    for arguments in [vec![forged], vec!["cert", "--game", forged], vec!["cert", "--level", forged]]
    {
        let said = tests::programs::check(&arguments, d);
        assert_ne!(said.status, Some(0), "{said:?}");
        assert!(!said.verdict.starts_with("s VERIFIED"), "{said:?}");
    }
}
