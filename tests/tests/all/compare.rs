//! Compares published values with certificates and databases.

use certificate_spec::claim::Value;
use draughtproof_play::literature::{Evidence, Outcomes};
use tests::prelude::*;

/// The output, status and errors of `prove literature`.
fn compare(arguments: &[&str], here: &Path) -> (String, i32, String) {
    let (out, error, status) =
        texts(run(&path("prove"), &[&["literature"], arguments].concat(), here));
    (out, status.unwrap(), error)
}

const OPENINGS: &str = "moves\tvalue\tsource
2-4\tblack-not-lost\tbook
2-4\tblack-wins\tbook
2-4\twin\tbook

# White moves after one move, so that its win is meant above.
1-3\tdraw\tbook
\tdraw\tbook
\t<=draw\tbook
\tnot-draw\tbook
";

#[test]
fn openings_against_certificates() {
    let here = &Scratch::empty();
    fs::write(here.join("book"), OPENINGS).unwrap();
    let emit = |name: &str, more: &[&str]| {
        let options = ["--game", "4x4", "--pieces", "2", "--emit", name, "-q"];
        prove(&[&options[..], more].concat(), here);
    };
    emit("start", &[]);
    emit("after", &["--moves", "2-4", "--claim", "black-not-lost"]);

    // Without certificates, positions outside the database are open.
    let game = ["--game", "4x4", "--format", "tsv", "-q"];
    let (out, status, _) = compare(&[&["book"], &game[..]].concat(), here);
    assert_eq!(status, 0);
    assert!(out.ends_with("# 7 compared: 0 agree, 0 disagree, 7 open\n"), "{out}");

    let with = [&["book", "after", "start"], &game[..]].concat();
    let (out, status, error) = compare(&with, here);
    assert_eq!(status, 1, "{error}");
    assert_eq!(error, "prove: 2 of 7 published values disagree with what is proved\n");
    let want = "line\tposition\tpublished\tproved\tby\tresult
2\t2-4\tblack-not-lost\tblack-not-lost\tafter\tagree
3\t2-4\tblack-wins\tblack-not-lost\tafter\topen
4\t2-4\twhite-wins\tblack-not-lost\tafter\tdisagree
7\t1-3\tdraw\tunknown\t-\topen
8\t\tdraw\tdraw\tstart\tagree
9\t\twhite-not-lost\tdraw\tstart\tagree
10\t\tnot-draw\tdraw\tstart\tdisagree
# 7 compared: 3 agree, 2 disagree, 2 open
";
    assert_eq!(out, want);

    // The claims of two certificates about one start are combined.
    emit("other", &["--moves", "2-4", "--claim", "white-not-lost"]);
    let with = ["book", "after", "other", "--game", "4x4", "--format", "json", "-q"];
    let (out, ..) = compare(&with, here);
    let lines: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1]["proved"], "draw");
    assert_eq!(lines[1]["by"], serde_json::json!(["after", "other"]));
    assert_eq!(lines[1]["result"], "disagree");
    assert_eq!(lines[7], serde_json::json!({"lines": 7, "agree": 1, "disagree": 2, "open": 4}));
    let (out, ..) = compare(&["book", "start", "--game", "4x4", "-q"], here);
    assert!(out.ends_with("\n7 compared: 2 agree, 1 disagree, 4 open\n"), "{out}");
}

#[test]
fn a_position_is_known_by_its_twin() {
    let here = &Scratch::empty();
    // White's king catches a man; with colours exchanged and the board turned, Black's does.
    let [fen, twin] = ["W:WK7:B1", "B:W8:BK2"];
    let options = ["--game", "4x4", "--pieces", "0", "--fen", fen, "--emit", "cert", "-q"];
    prove(&options, here);
    let book = format!("fen\tvalue\n{fen}\twin\n{twin}\twin\n{twin}\twhite-wins\n");
    fs::write(here.join("book"), book).unwrap();
    let (out, status, _) =
        compare(&["book", "cert", "--game", "4x4", "--format", "tsv", "-q"], here);
    assert_eq!(status, 1);
    let want = "line\tposition\tpublished\tproved\tby\tresult
2\tW:WK7:B1\twhite-wins\twhite-wins\tcert\tagree
3\tB:W8:BK2\tblack-wins\tblack-wins\tcert\tagree
4\tB:W8:BK2\twhite-wins\tblack-wins\tcert\tdisagree
# 3 compared: 2 agree, 1 disagree, 0 open
";
    assert_eq!(out, want);
}

#[test]
fn conditional_certificates_do_not_count() {
    let here = &Scratch::empty();
    fs::write(here.join("book"), "moves\tvalue\n\twhite-wins\n").unwrap();
    let game = ["--game", "5x5/2", "--pieces", "3", "--leaf-nodes", "50", "--emit", "cert", "-q"];
    prove(&[&game[..], &["--threshold", "30", "--until-threshold", "30"]].concat(), here);
    let with = ["book", "cert", "--game", "5x5/2"];
    let (out, status, error) = compare(&with, here);
    assert_eq!(status, 0);
    assert!(out.ends_with("\n1 compared: 0 agree, 0 disagree, 1 open\n"), "{out}");
    assert!(error.contains("cert does not count: it rests on assumed positions"), "{error}");
    prove(&[&game[..], &["--threshold", "30"]].concat(), here);
    let (out, ..) = compare(&with, here);
    assert!(out.ends_with("\n1 compared: 1 agree, 0 disagree, 0 open\n"), "{out}");
}

#[test]
fn certificates_that_contradict_each_other() {
    let game: Game = "4x4".parse().unwrap();
    let mut evidence = Evidence::new(&game.board);
    let mut add =
        |value, source: &str| evidence.add(&game.start(), Outcomes::of_claim(value), source.into());
    add(Value::BlackNotLost, "a").unwrap();
    add(Value::Draw, "b").unwrap();
    let error = add(Value::WhiteWins, "c").unwrap_err().to_string();
    assert_eq!(error, "B:W7,8:B1,2: a and b and c contradict each other: let check verify them");
}

#[test]
fn endings_against_a_database() {
    let here = &Scratch::empty();
    prove(&["db", "--pieces", "3", "-q"], here);
    let fens = ["B:W18:B1", "W:W17,K18:BK1", "W:W16,17,18:B1", "B:W:B1"];
    let values = prove(&[&["probe", "--game", "6x6", "--format", "tsv"], &fens[..]].concat(), here);
    let known: Vec<&str> = values.lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(known[2..], ["unknown", "win"]);
    let other = if known[1] == "draw" { "loss" } else { "draw" };
    let rows = [(fens[0], known[0]), (fens[1], other), (fens[2], "win"), (fens[3], "win")];
    let rows = rows.map(|(fen, value)| format!("{value}\t{fen}\n")).concat();
    fs::write(here.join("book"), format!("value\tfen\n{rows}")).unwrap();
    let (out, status, error) = compare(&["book", "--game", "6x6", "--format", "tsv", "-q"], here);
    assert_eq!(status, 1, "{error}");
    let results = out.lines().map(|line| line.rsplit('\t').next().unwrap());
    let want = ["result", "agree", "disagree", "open", "agree"];
    assert_eq!(results.take(5).collect::<Vec<_>>(), want, "{out}");
    // A smaller database leaves more positions open.
    let (out, status, _) = compare(&["book", "--game", "6x6", "--pieces", "2", "-q"], here);
    assert_eq!(status, 0);
    assert!(out.ends_with("\n4 compared: 2 agree, 0 disagree, 2 open\n"), "{out}");
}

#[test]
fn files_that_are_not_of_the_form() {
    let here = &Scratch::empty();
    let fails = |text: &str, status: i32, words: &[&str]| {
        fs::write(here.join("book"), text).unwrap();
        let (out, found, error) = compare(&["book", "-q"], here);
        assert_eq!(found, status, "{text:?}: {error}");
        assert!(out.is_empty(), "{text:?}: {out}");
        for word in words {
            assert!(error.contains(word), "{text:?}: {error}");
        }
    };
    fails(
        "",
        2,
        &["book, line 1: expected a header with the columns value and either fen or moves"],
    );
    let both = "# Comment\nvalue\tfen\tmoves\nwin\tB:W18:B1\t\n";
    fails(both, 2, &["book, line 2: expected a header", "found value, fen, moves"]);
    fails("fen\tvalue\n\n", 2, &["book, line 3: expected a published value after the header"]);
    let short = "fen\tvalue\nB:W18:B1\tdraw\nB:W18:B1\n";
    fails(short, 2, &["book, line 3: expected 2 columns as in the header, found 1"]);
    let won = "fen\tvalue\nB:W18:B1\twon\n";
    fails(won, 2, &["book, line 2: value: expected one of win, loss, ", "found \"won\""]);
    fails("fen\tvalue\nB:W99:B1\tdraw\n", 2, &["book, line 2: FEN \"B:W99:B1\", character 4"]);
    fails("moves\tvalue\n4-7 4-7\tdraw\n", 2, &["book, line 2: ", "4-7", "expected a legal move"]);

    let (_, status, error) = compare(&["none", "-q"], here);
    assert!(status == 3 && error.contains("none: "), "{error}");
    fs::write(here.join("book"), "fen\tvalue\nB:W18:B1\tdraw\n").unwrap();
    let (_, status, error) = compare(&["book", "none", "-q"], here);
    assert!(status == 3 && error.contains("none/MANIFEST"), "{error}");
    prove(&["--game", "4x4", "--pieces", "2", "--emit", "cert", "-q"], here);
    let (_, status, error) = compare(&["--game", "8x8", "book", "cert", "-q"], here);
    assert_eq!(status, 2);
    assert!(
        error.contains("cert/CLAIM: expected game 8x8 as in --game, found game 4x4"),
        "{error}"
    );
}
