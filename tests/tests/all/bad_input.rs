//! Bad input gives a message that says what is wrong and where, and the documented status. No file
//! is overwritten.
//!
//! A byte order mark at the beginning of files that people write is ignored by all programs.
//!
//! Errors that would make a command fail at its end are reported at its beginning, before anything
//! is built or searched.

use std::net::TcpListener;
use tests::prelude::*;
use tests::programs;

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

const MARK: &str = "\u{feff}";

/// The output of a program with this text on standard input, and its status.
fn answer(program: &str, arguments: &[&str], input: &str, here: &Path) -> (String, Option<i32>) {
    let (out, _, status) = texts(ask(program, arguments, here, input.as_bytes()));
    (out, status)
}

/// Puts a byte order mark at the beginning of a file.
fn mark(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    fs::write(file, format!("{MARK}{text}")).unwrap();
}

#[test]
fn tables_of_values_and_openings() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "4x4", "--pieces", "2", "-q"], here);
    let game = ["--game", "4x4", "-q"];
    for text in ["fen\tvalue\nB:WK8:BK1\tdraw\n", "#\nB:WK8:BK1\tdraw\n", "B:WK8:BK1\tdraw\n"] {
        fs::write(here.join("table"), format!("{MARK}{text}")).unwrap();
        let options = ["db", "compare", "table", "--pieces", "2"];
        let said = prove(&[&options, &game[..]].concat(), here);
        assert!(said.contains("1 compared: 1 agree"), "{said}");
    }
    fs::write(here.join("openings"), format!("{MARK}moves\tname\n2-4\tfirst\n")).unwrap();
    let book = ["book", "--out", "book.tsv", "--openings", "openings", "--nodes", "100"];
    prove(&[&book[..], &["--positions", "2"], &game].concat(), here);
    mark(&here.join("book.tsv"));
    prove(&[&book[..], &["--positions", "4"], &game].concat(), here);
    mark(&here.join("book.tsv"));
    let engine = ["engine", "--game", "4x4", "--book", "book.tsv", "--hash", "1MiB"];
    let (said, _) = answer("prove", &engine, "init\nlevel infinite\ngo ponder\nstop\n", here);
    assert!(!said.contains("error"), "{said}");
    // The list of files of an exported database.
    prove(&[&["db", "export", "out", "--pieces", "2"], &game[..]].concat(), here);
    mark(&here.join("out/SHA256SUMS"));
    prove(&[&["db", "import", "out", "--db", "there"], &game[..]].concat(), here);
}

#[test]
fn lines_of_standard_input() {
    let here = &Scratch::empty();
    prove(&["--game", "4x4", "--pieces", "2", "--emit", "cert", "-q"], here);
    for positions in ["start\n", "\nstart\n", "B:WK8:BK1\n"] {
        let probe = ["probe", "--game", "4x4", "--format", "tsv", "-"];
        let (said, status) = answer("prove", &probe, &format!("{MARK}{positions}"), here);
        assert_eq!(status, Some(0), "{said}");
    }
    let (said, status) = answer("prove", &["engine", "--game", "4x4"], "\u{feff}ping\n", here);
    assert_eq!((said.as_str(), status), ("pong\n", Some(0)));
    for lines in ["hint\n", "2-4\n"] {
        let (said, _) = answer("prove", &["play", "cert"], &format!("{MARK}{lines}"), here);
        assert!(!said.contains("what can be typed"), "{said}");
    }
}

#[test]
fn files_of_keys() {
    let here = &Scratch::empty();
    prove(&["--game", "4x4", "--pieces", "2", "--emit", "cert", "-q"], here);
    let made = run(&path("check"), &["keygen", "alice", "--key", "alice.key"], here);
    let public = String::from_utf8(made.stdout).unwrap();
    mark(&here.join("alice.key"));
    fs::write(here.join("trusted"), format!("{MARK}{public}")).unwrap();
    let attest = ["cert", "--attest", "note", "--key", "alice.key"];
    assert_eq!(run(&path("check"), &attest, here).status.code(), Some(0));
    let merge = ["merge", "cert", "note", "--keys", "trusted"];
    assert_eq!(run(&path("check"), &merge, here).status.code(), Some(0));
}

/// Runs `prove`, which must fail with this status, print these words, and make no database.
fn fails_early(here: &Path, arguments: &[&str], status: i32, words: &[&str]) {
    let said = programs::fails(here, arguments, status, words);
    let databases = here.join("egdb");
    let is_built = |file: fs::DirEntry| file.path().join("MANIFEST").exists();
    let mut files = databases.read_dir().into_iter().flatten().flatten();
    assert!(!files.any(is_built), "{arguments:?}: a database was built: {said}");
}

/// A proof that takes hours.
const LONG: [&str; 7] = ["--game", "8x8", "--pieces", "6", "--leaf-nodes", "4000000000", "--emit"];

#[test]
fn a_directory_with_another_certificate() {
    let here = &Scratch::empty();
    let proof = ["--game", "4x4", "--pieces", "2", "--db", "other", "-q", "--emit"];
    prove(&[&proof[..], &["cert"]].concat(), here);
    let again = |more: &[&str], words: &str| {
        let arguments = ["--game", "4x4", "--pieces", "2", "-q", "--emit", "cert"];
        fails_early(here, &[&arguments[..], more].concat(), 3, &["cert: expected nothing", words]);
    };
    fails_early(
        here,
        &[&LONG[..], &["cert"]].concat(),
        3,
        &["found something else, a certificate of 4x4 from B:W7,8:B"],
    );
    again(&["--moves", "2-4"], "found something else, a certificate of 4x4 from B:W7,8:B1,2");
    again(&["--claim", "black-not-lost"], "that it is DRAW");
    again(&["--leaf-nodes", "7"], "made with other options");
    again(&["--max-nodes", "1000000"], "made with other options");
    let three = ["--game", "4x4", "--pieces", "3", "-q", "--emit", "cert"];
    fails_early(here, &three, 3, &["over 2 pieces"]);
    // The same certificate may be there already.
    let said = prove(&[&proof[..], &["cert"]].concat(), here);
    assert!(said.contains("DRAW 4x4"), "{said}");
    // An incomplete certificate does not count as one.
    let objects = here.join("cert/objects").read_dir().unwrap().next().unwrap().unwrap();
    fs::remove_file(objects.path()).unwrap();
    again(&[], "expected nothing, an empty directory or this very certificate");

    let opening = ["--game", "6x4", "--pieces", "2", "--db", "other", "-q"];
    prove(&[&opening[..], &["--moves", "4-5", "--emit", "after"]].concat(), here);
    fails_early(here, &["combine", "cert", "after", "-q"], 3, &["cert: expected nothing"]);
}

#[test]
fn a_place_that_cannot_be_written_to() {
    let here = &Scratch::empty();
    fs::write(here.join("file"), "").unwrap();
    fs::write(here.join("games.pdn"), "1. 11-15 23-19 *\n").unwrap();
    fails_early(here, &[&LONG[..], &["file"]].concat(), 3, &["file"]);
    fails_early(here, &[&LONG[..], &["file/cert"]].concat(), 3, &["file"]);
    let out = [&LONG[..], &["cert", "--out"]].concat();
    for place in ["none/out", "file/out", "."] {
        fails_early(here, &[&out[..], &[place]].concat(), 3, &[place]);
        let book = ["book", "--nodes", "1000000000", "--out", place];
        fails_early(here, &book, 3, &[place]);
        for long in ["games.pdn", "--time 600 games.pdn"] {
            let options = ["annotate", "--table", place];
            let words: Vec<&str> = options.into_iter().chain(long.split(' ')).collect();
            fails_early(here, &words, 3, &[place]);
        }
        for long in ["db --game 8x8 --pieces 7", "plan --pieces 3", "analyse --time 600"] {
            let words: Vec<&str> = long.split(' ').chain(["--out", place]).collect();
            fails_early(here, &words, 3, &[place]);
        }
        let status = ["farm", "status", "--farm", "nats://127.0.0.1:9", "--out", place];
        fails_early(here, &status, 3, &[place]);
    }
    let results = [&LONG[..], &["cert", "--results", "file/results"]].concat();
    fails_early(here, &results, 3, &["file"]);
    let compare = ["db", "compare", "none", "--game", "8x8", "--pieces", "7"];
    fails_early(here, &compare, 3, &[]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fails_early(here, &["serve", "none", "--listen", &address], 3, &[&address]);
}

#[test]
fn what_there_is_too_little_of() {
    let here = &Scratch::empty();
    let cert = [&LONG[..], &["cert"]].concat();
    let table = ["--leaf-table", "900GiB", "--memory", "1GiB"];
    fails_early(here, &[&cert[..], &table].concat(), 3, &["--leaf-table"]);
    let resident = ["--values", "resident", "--memory", "300MiB", "--leaf-table", "1MiB"];
    fails_early(here, &[&cert[..], &resident].concat(), 3, &["needs"]);
    let mapped = ["--values", "mapped", "--map-space", "1000TiB", "--memory", "64GiB"];
    let seven = ["--game", "8x8", "--pieces", "10", "--emit", "cert", "--leaf-table", "1MiB"];
    fails_early(here, &[&seven[..], &mapped].concat(), 3, &["free"]);
}

#[test]
fn a_farm_that_cannot_be_used() {
    let here = &Scratch::empty();
    let cert = [&LONG[..], &["cert", "--farm"]].concat();
    fails_early(
        here,
        &[&cert[..], &["nats://host:x"]].concat(),
        2,
        &["--farm: expected an address"],
    );
    let farm = [&cert[..], &["nats://127.0.0.1:9"]].concat();
    fails_early(here, &[&farm[..], &["--farm-creds", "none"]].concat(), 3, &["--farm-creds none"]);
    fails_early(here, &[&farm[..], &["--objects", "ftp://none"]].concat(), 2, &["--objects ftp"]);
    fs::write(here.join("file"), "").unwrap();
    fails_early(here, &[&farm[..], &["--objects", "file"]].concat(), 3, &["--objects file"]);
}

/// Space and memory are judged where no folder exists yet, too.
#[test]
fn nothing_is_refused_where_nothing_is() {
    let here = &Scratch::empty();
    let small = ["--game", "4x4", "--pieces", "2", "-q", "--db", "a/b/c"];
    prove(&[&["db", "--depth"], &small[..]].concat(), here);
    let small = ["--game", "4x4", "--pieces", "2", "-q", "--db", "d/e"];
    prove(&[&["plan"], &small[..]].concat(), here);
    assert!(!here.join("d").exists());
    for (values, name) in [("mapped", "f"), ("resident", "g"), ("cached", "h")] {
        let (game, db) = (["--game", "4x4", "--pieces", "2", "-q"], format!("{name}-db"));
        let options = ["--values", values, "--emit", name, "--db", &db];
        prove(&[&game[..], &options].concat(), here);
    }
}
