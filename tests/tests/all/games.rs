//! `prove replay` and `prove annotate`: files of games, as users have them.

use draughtproof_egdb::Value;
use draughtproof_game::{PdnGame, RemarkKind, Strictness, write_pdn};
use tests::prelude::*;

const FILE: &str = "[Event \"first\"]\n[Black \"A \\\"x\\\"\"]\n[White \"B\tC\"]\n1. 4-7 13-11 1/2-1/2\n\n\
    [Event \"bad\"]\n1. 4-7 13-1 1-0\n\n[Event \"third\"]\n1. 4x7 13-11\n";

/// Runs `prove` with a file of games.
fn with_file(directory: &Path, arguments: &[&str]) -> Output {
    fs::write(directory.join("games.pdn"), FILE).unwrap();
    run(&path("prove"), arguments, directory)
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(String::from).collect()
}

const REPLAY: [&str; 4] = ["replay", "--game", "6x6", "games.pdn"];

#[test]
fn replay_judges_each_game() {
    let directory = tempfile::tempdir().unwrap();
    let out = with_file(directory.path(), &REPLAY);
    assert_eq!(out.status.code(), Some(1));
    let text = lines(&out);
    for (found, begin) in text.iter().zip([
        "games.pdn#1 line 1: legal, 2 moves, 1/2-1/2, A \"x\" - B C, first",
        "games.pdn#2 line 6: fault, 1 move, 1-0, bad: line 7, column 8: move \"13-1\" in ",
        "games.pdn#3 line 9: legal, 2 moves, *, third (1 forgiven; first line 10, column 4: ",
    ]) {
        assert!(found.starts_with(begin), "{found}");
    }
    assert_eq!(text.len(), 3);
    let said = String::from_utf8(out.stderr).unwrap();
    let count = "3 games, 5 moves: 2 legal (1 of them with something forgiven), 1 with a fault\n";
    assert!(said.starts_with(count), "{said}");
}

#[test]
fn replay_prints_tables() {
    let directory = tempfile::tempdir().unwrap();
    let printed =
        |options: &[&str]| lines(&with_file(directory.path(), &[&REPLAY[..], options].concat()));
    let tsv = printed(&["--format", "tsv"]);
    assert!(tsv.iter().all(|line| line.split('\t').count() == 12), "{tsv:?}");
    let row = "games.pdn\t1\t1\tlegal\tfirst\tA \"x\"\tB C\t1/2-1/2\t2\t0\t-\t-";
    assert_eq!(tsv[1], row);
    let json = printed(&["--format", "json"]);
    let rows: Vec<serde_json::Value> =
        json.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows[0]["white"], "B\tC");
    assert_eq!((&rows[1]["status"], &rows[1]["at"][0]), (&"fault".into(), &7.into()));
    // In strict mode the third game has faults, too; in the lenient mode it has none.
    assert_eq!(printed(&["--strict", "--faults", "-q"]).len(), 2);
}

#[test]
fn replay_reads_single_games() {
    let d = &Scratch::empty();
    fs::write(d.join("good.pdn"), "1. 4x7 13-11").unwrap();
    prove(&["replay", "--game", "6x6", "good.pdn"], d);
    // Without --game the game is checkers.
    fs::write(d.join("checkers.pdn"), "1. 11-15 23-18 *").unwrap();
    prove(&["replay", "checkers.pdn"], d);
    fs::write(d.join("none.pdn"), "{nothing}").unwrap();
    fails(d, &["replay", "none.pdn"], 2, &[]);
    fails(d, &["replay", "missing.pdn"], 3, &[]);
}

/// The value of a position for the side to move: 1, 0 or -1.
fn worth(values: &Values, game: &Game, position: &Position) -> i8 {
    if !position.both_sides() {
        return if game.board.can_move(position) { 1 } else { -1 };
    }
    match values.probe(position).unwrap() {
        Value::Win => 1,
        Value::Draw => 0,
        Value::Loss => -1,
    }
}

/// Random games from random positions with few pieces.
fn random_games(g: &mut Gen, game: &Game) -> Vec<PdnGame> {
    let one = |number| {
        let start = random(g, &game.board, 4);
        let mut at = start;
        let mut positions = Vec::new();
        while positions.len() < 30
            && let Some(chosen) = g.choose(&game.board.moves(&at))
        {
            at = chosen.after;
            positions.push(at);
        }
        let tags = vec![("FEN".into(), game.board.write_fen(&start))];
        let result = Some("*".into());
        PdnGame {
            number,
            line: 0,
            tags,
            start,
            positions,
            remarks: Vec::new(),
            result,
            fault: None,
            unread: None,
            forgiven: 0,
            first_forgiven: None,
        }
    };
    (1..=80).map(one).collect()
}

const ANNOTATE: [&str; 6] = ["annotate", "--game", "6x6", "--nodes", "500", "-q"];

#[test]
fn annotate_marks_mistakes() {
    let d = &Scratch::empty();
    let game: Game = "6x6".parse().unwrap();
    let values = database(&game.board, 4);
    prove(&["db", "--game", "6x6", "--pieces", "4", "-q"], d);
    let games = random_games(&mut Gen::new(10), &game);
    let texts = games.iter().map(|pdn| write_pdn(&game.board, pdn).unwrap());
    fs::write(d.join("games.pdn"), texts.collect::<Vec<_>>().join("\n")).unwrap();
    let table = ["--table", "table.tsv", "games.pdn"];
    let text = prove(&[&ANNOTATE[..], &table[..]].concat(), d);
    let read = game.read_pdn("annotated", text.as_bytes(), Strictness::Strict);
    assert_eq!(read.len(), games.len());
    let mut marked = 0;
    for (was, is) in games.iter().zip(&read) {
        // The same game, with remarks added.
        let bare = PdnGame { line: 0, remarks: Vec::new(), ..is.clone() };
        assert_eq!(&bare, was);
        marked += mistakes_are_marked(&values, &game, is);
    }
    assert!(marked > 10, "nothing was tried");
    let table = fs::read_to_string(d.join("table.tsv")).unwrap();
    assert_eq!(table.lines().count(), 1 + marked);
    assert!(table.lines().all(|line| line.split('\t').count() == 11), "{table}");
    // Remarks stand at mistakes alone; with --all at the start and each move, and go without it.
    let comments = |text: &str| {
        let read = game.read_pdn("annotated", text.as_bytes(), Strictness::Strict);
        let all = read.iter().flat_map(|pdn| &pdn.remarks);
        all.filter(|remark| matches!(remark.what, RemarkKind::Comment(_))).count()
    };
    assert_eq!(comments(&text), marked);
    fs::write(d.join("again.pdn"), &text).unwrap();
    let all = prove(&[&ANNOTATE[..], &["--all", "again.pdn"]].concat(), d);
    assert_eq!(comments(&all), games.iter().map(|pdn| pdn.positions.len() + 1).sum::<usize>());
    fs::write(d.join("again.pdn"), &all).unwrap();
    assert_eq!(prove(&[&ANNOTATE[..], &["again.pdn"]].concat(), d), text);
}

#[test]
fn annotate_replaces_its_own_remarks_and_no_others() {
    let d = &Scratch::empty();
    let annotate = |text: &str, nodes: &str| {
        fs::write(d.join("one.pdn"), text).unwrap();
        prove(&["annotate", "--nodes", nodes, "-q", "one.pdn"], d)
    };
    let people = ["{draw}", "{+0.25}", "{draw (book)}", "(1. 1-5 {good})", "(1. 1-5)", "$7", "{d}"];
    let text = "[FEN \"B:W18,31,32:B1,2,10\"]\n{draw} 1. 10-15! $7 {+0.25} (1. 1-5 {good}) (1. 1-5) \
         18x11? {draw (book)}\n/FEN \"B:W18,31,32:B1,2,10\"/ {d} 2. 10-15? 18x11 *\n";
    let once = annotate(text, "1000");
    for nodes in ["1000", "2000"] {
        let twice = annotate(&once, nodes);
        let again = annotate(&twice, "1000");
        assert_eq!(again, once);
        for remark in people {
            assert_eq!(twice.matches(remark).count(), 1, "{remark} in {twice}");
        }
        assert_eq!(on_one_line(&twice).matches("; the game had ").count(), 2, "{twice}");
    }
    // Another program has broken the lines.
    let broken = once.replace("depth ", "depth\n").replace("before: ", "before:\r\n");
    assert_eq!(annotate(&broken, "1000"), once);
}

#[test]
fn replay_goes_on_after_a_missing_file() {
    let d = &Scratch::empty();
    fs::write(d.join("a.pdn"), FILE).unwrap();
    fs::create_dir(d.join("folder")).unwrap();
    fs::write(d.join("out"), "kept").unwrap();
    let replay = ["replay", "--game", "6x6", "a.pdn", "missing", "folder", "a.pdn"];
    let out = run(&path("prove"), &replay, d);
    assert_eq!((out.status.code(), lines(&out).len()), (Some(3), 6));
    let said = String::from_utf8(out.stderr).unwrap();
    for part in ["missing: No such file", "folder: Is a directory", "6 games", "2 of 4 files"] {
        assert!(said.contains(part), "{said}");
    }
    run(&path("prove"), &[&replay[..], &["--out", "out"]].concat(), d);
    assert_eq!(fs::read_to_string(d.join("out")).unwrap(), "kept");
}

#[test]
fn games_of_other_encodings_are_written_in_utf_8() {
    let d = &Scratch::empty();
    let text = "[Event \"“é” – x\"]\n1. 11-15 {’} 23-19 *\n\n[Event \"–\"]\n1. 11-15 1-32 {é} *\n";
    let units: Vec<u16> = std::iter::once(0xfeff).chain(text.encode_utf16()).collect();
    let windows = b"[Event \"\x93\xe9\x94 \x96 x\"]\n1. 11-15 {\x92} 23-19 *\n\n\
        [Event \"\x96\"]\n1. 11-15 1-32 {\xe9} *\n";
    let annotated = |bytes: &[u8]| {
        fs::write(d.join("one.pdn"), bytes).unwrap();
        let out = run(&path("prove"), &["annotate", "--nodes", "50", "-q", "one.pdn"], d);
        String::from_utf8(out.stdout).unwrap()
    };
    let expected = annotated(text.as_bytes());
    assert!(["“é” – x", "{’}", "{é}"].iter().all(|part| expected.contains(part)), "{expected}");
    let ends = [u16::to_le_bytes, u16::to_be_bytes];
    let wide = ends.map(|bytes| units.iter().copied().flat_map(bytes).collect::<Vec<_>>());
    for bytes in [&wide[0][..], &wide[1], windows] {
        assert_eq!(annotated(bytes), expected);
    }
}

/// Checks the marks of a game; returns their number.
fn mistakes_are_marked(values: &Values, game: &Game, pdn: &PdnGame) -> usize {
    let line: Vec<_> = std::iter::once(&pdn.start).chain(&pdn.positions).collect();
    let mut wrong = Vec::new();
    for after in 1..line.len() {
        if worth(values, game, line[after - 1]) > -worth(values, game, line[after]) {
            wrong.push(after);
            better_play_is_shown(values, game, pdn, after);
        }
    }
    let marks = pdn.remarks.iter().filter(|r| matches!(r.what, RemarkKind::Mark(_)));
    let marks: Vec<_> = marks.map(|r| (r.after, &r.what)).collect();
    let mark = RemarkKind::Mark("??".into());
    assert_eq!(marks, wrong.iter().map(|&after| (after, &mark)).collect::<Vec<_>>());
    wrong.len()
}

/// The variation beside a move begins with a move that keeps the value.
fn better_play_is_shown(values: &Values, game: &Game, pdn: &PdnGame, after: usize) {
    let line: Vec<_> = std::iter::once(&pdn.start).chain(&pdn.positions).collect();
    let from = line[after - 1];
    let shown = pdn.remarks.iter().find_map(|r| match &r.what {
        RemarkKind::Variation(moves) if r.after == after => Some(moves.clone()),
        _ => None,
    });
    let shown = shown.unwrap();
    let fen = game.board.write_fen(from);
    let text = format!("[FEN \"{fen}\"] {} *", &shown[1..shown.len() - 1]);
    let read = game.read_pdn("variation", text.as_bytes(), Strictness::Strict).remove(0);
    assert_eq!(read.fault, None, "{shown}");
    let kept = -worth(values, game, &read.positions[0]);
    assert_eq!(kept, worth(values, game, from), "{shown}");
}

#[test]
fn annotate_keeps_faulty_games() {
    let d = &Scratch::empty();
    let annotate = ["annotate", "--game", "6x6", "--depth", "4", "--all", "-q"];
    let out = with_file(d, &[&annotate[..], &["--out", "games.pdn", "games.pdn"]].concat());
    assert_eq!(out.status.code(), Some(1));
    let said = String::from_utf8(out.stderr).unwrap();
    let kept = "game 2 is kept as it is from here on: games.pdn, line 7, column 8: ";
    assert!(said.contains(kept), "{said}");
    let text = fs::read_to_string(d.join("games.pdn")).unwrap();
    let game: Game = "6x6".parse().unwrap();
    let read = game.read_pdn("out", text.as_bytes(), Strictness::Lenient);
    let events: Vec<_> = read.iter().map(|g| g.tag("Event").unwrap()).collect();
    assert_eq!(events, ["first", "bad", "third"]);
    assert_eq!(read.iter().map(|g| g.fault.is_some()).collect::<Vec<_>>(), [false, true, false]);
    assert!(read.iter().all(|g| g.remarks.len() >= 3), "{text}");
    assert!(on_one_line(&text).contains("{fault: move \"13-1\" in "), "{text}");
    assert!(text.contains("} 13-1 1-0\n"), "{text}");
    // Output for programs has the same remarks.
    let json = with_file(d, &[&annotate[..], &["--format", "json", "games.pdn"]].concat());
    let rows: Vec<serde_json::Value> =
        lines(&json).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows[0]["fault"], serde_json::Value::Null);
    assert!(rows[1]["fault"].as_str().unwrap().starts_with("games.pdn, line 7, column 8: "));
    // A game that is too long cannot be kept, so the file is not replaced.
    let long = format!("[Event \"long\"]\n{{{}}} *\n", "x ".repeat(1 << 19));
    fs::write(d.join("long.pdn"), format!("{FILE}\n{long}")).unwrap();
    let arguments = [&annotate[..], &["--out", "games.pdn", "long.pdn"]].concat();
    let out = run(&path("prove"), &arguments, d);
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(fs::read_to_string(d.join("games.pdn")).unwrap(), FILE);
}

/// A text with line ends replaced by blanks.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn annotate_replaces_old_strengths() {
    let d = &Scratch::empty();
    let annotated = |text: &str| {
        fs::write(d.join("one.pdn"), text).unwrap();
        prove(&["annotate", "--nodes", "1000", "--all", "-q", "--strict", "one.pdn"], d)
    };
    let plain = annotated("[Event \"x\"]\n1. 11-15 22-17(?) 2. 8-11 *\n");
    assert!(plain.contains(" 22-17(?) {"), "{plain}");
    for (mark, other) in [
        ("!", "!"),
        ("(??)", "(??)"),
        (" $1", "$1"),
        ("? $4", "?; the game had $4"),
        ("?", "?"),
        ("", ""),
    ] {
        let text = format!("[FEN \"B:W18,31,32:B1,2,10\"]\n1. 10-15{mark} 18x11 *\n");
        let text = annotated(&text);
        assert!(on_one_line(&text).contains(" 1. 10-15? {"), "{text}");
        let is_said = on_one_line(&text).contains(&format!("; the game had {other}}}"));
        let has_none = !text.contains("the game had");
        assert_eq!(has_none, other.is_empty(), "{text}");
        assert_eq!(is_said, !other.is_empty(), "{text}");
        let game: Game = "8x8".parse().unwrap();
        let read = game.read_pdn("x", text.as_bytes(), Strictness::Strict);
        assert_eq!((read.len(), &read[0].fault), (1, &None), "{text}");
    }
}

#[test]
fn annotate_follows_set_up_positions() {
    let d = &Scratch::empty();
    let text = "[Event \"x\"]\n{a} /FEN \"W:W21,22:B1,2\"/ {b} 1... 22-18! 2. 1-6 {c}\n\
        /FEN \"B:W18,31,32:B1,2,10\"/ {d} 3. 10-15 18x11 *\n";
    fs::write(d.join("one.pdn"), text).unwrap();
    let text = prove(&["annotate", "--nodes", "1000", "-q", "--strict", "one.pdn"], d);
    let game: Game = "8x8".parse().unwrap();
    let read = game.read_pdn("x", text.as_bytes(), Strictness::Strict).remove(0);
    assert_eq!(read.fault, None, "{text}");
    assert_eq!((read.positions.len(), read.set_ups().count()), (4, 2), "{text}");
    assert!(on_one_line(&text).contains(" 3. 10-15? {"), "{text}");
    assert_eq!(["{a}", "{b}", "{c}", "{d}"].map(|c| text.contains(c)), [true; 4]);
}

#[test]
fn contradicting_results_are_named() {
    let d = &Scratch::empty();
    fs::write(d.join("one.pdn"), "[Result \"1-0\"]\n1. 11to15\n").unwrap();
    fs::write(d.join("two.pdn"), "[Result \"1-0\"]\n1. 11−15 23-19 0-1\n").unwrap();
    let replay = |arguments: &[&str]| run(&path("prove"), &[&["replay"], arguments].concat(), d);
    assert_eq!(replay(&["one.pdn"]).status.code(), Some(1));
    let out = replay(&["two.pdn"]);
    assert_eq!(out.status.code(), Some(0));
    // One more fault was forgiven before this one.
    let said = "the tag Result says 1-0, but the moves end with 0-1";
    assert!(lines(&out)[0].contains("legal, 2 moves, 0-1"), "{out:?}");
    assert!(lines(&out)[0].contains(said), "{out:?}");
    assert_eq!(replay(&["--strict", "two.pdn"]).status.code(), Some(1));
    for (quiet, is_said) in [("--quiet", false), ("--threads=1", true)] {
        let out = run(&path("prove"), &["annotate", "--depth", "2", quiet, "two.pdn"], d);
        assert_eq!(String::from_utf8(out.stderr).unwrap().contains(said), is_said);
    }
}

#[test]
fn a_search_after_the_next_move_shows_a_mistake() {
    let d = &Scratch::empty();
    // White loses three men by 31-26, which searches of these nodes see a move later.
    let moves = "11-15 23-19 8-11 22-17 9-13 17-14 10x17 21x14 15-18 19-15 4-8 24-19 13-17 28-24 \
        11-16 26-23 16-20 31-26 18-22 25x18";
    fs::write(d.join("one.pdn"), format!("{moves} *")).unwrap();
    let text = on_one_line(&prove(&["annotate", "--nodes", "50000", "-q", "one.pdn"], d));
    assert!(text.contains(" 31-26? {+"), "{text}");
    assert_eq!(text.matches('?').count(), 1, "{text}");
}

#[test]
fn scores_mark_mistakes_of_both_sides() {
    let d = &Scratch::empty();
    let game: Game = "8x8".parse().unwrap();
    // A man is lost for nothing; the same position for White, with the board turned.
    let black = "[FEN \"B:W18,31,32:B1,2,10\"]\n1. 10-15 18x11 2. 1-5 *\n";
    let white = "[FEN \"W:W23,31,32:B1,2,15\"]\n1. 23-18 15x22 2. 32-28 *\n";
    let good = "[FEN \"B:W18,31,32:B1,2,10\"]\n1. 1-5 *\n";
    fs::write(d.join("games.pdn"), [black, white, good].join("\n")).unwrap();
    let annotate = ["annotate", "--nodes", "5000", "games.pdn", "-q"];
    let out = run(&path("prove"), &annotate, d);
    assert_eq!((out.status.code(), &out.stderr[..]), (Some(0), &[][..]));
    let out = run(&path("prove"), &annotate[..4], d);
    let said = String::from_utf8(out.stderr).unwrap();
    let said: Vec<_> = said.lines().filter(|line| line.starts_with("game ")).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("game 1, line 1: 1. 10-15? -"), "{said:?}");
    // Black is ahead afterwards.
    assert!(said[1].starts_with("game 2, line 4: 1... 23-18? +"), "{said:?}");
    let read = game.read_pdn("out", &out.stdout, Strictness::Strict);
    let marks = |pdn: &PdnGame| {
        let marks = pdn.remarks.iter().filter(|r| r.what == RemarkKind::Mark("?".into()));
        marks.map(|r| r.after).collect::<Vec<_>>()
    };
    assert_eq!(read.iter().map(marks).collect::<Vec<_>>(), [vec![1], vec![1], vec![]]);
}
