//! `check explain`: its text, word for word and by properties.
//!
//! The expected text is in `tests/explained`; `UPDATE_EXPLAINED=1 cargo test -p tests --test all
//! explain::` writes it again.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use certificate_spec::claim::{Question, Value as Claimed};
use certificate_spec::nodes::{Node, WirePosition, kind};
use draughtproof_egdb::Value;
use draughtproof_game::Game;
use tests::draft::{Draft, Part};
use tests::positions;
use tests::programs::{check, path, prove, run};
use tests::rules::Rules;
use tests::v1;

/// A certificate made with these options of `prove`.
fn certificate(options: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let options: Vec<&str> = options.split(' ').collect();
    prove(&[&options[..], &["--emit", "cert", "--quiet"]].concat(), root.path());
    root
}

fn start(here: &Path) -> String {
    let claim = fs::read_to_string(here.join("cert/CLAIM")).unwrap();
    claim.lines().find_map(|line| line.strip_prefix("start ")).unwrap().into()
}

/// The output of `check explain`, and its exit status.
fn ask(here: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let output = run(&path("check"), &[&["explain", "cert"], arguments].concat(), here);
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

fn explain(here: &Path, fen: &str) -> String {
    let (text, status) = ask(here, &[fen]);
    assert_eq!(status, Some(i32::from(text.contains("WRONG"))), "{text}");
    text
}

/// Compares a text with the file of that name, without the digests of objects.
fn compare(text: &str, name: &str) {
    let mut parts = text.split("objects/");
    let mut text = parts.next().unwrap().to_string();
    for part in parts {
        let (digest, rest) = part.split_at(64);
        assert!(digest.bytes().all(|b| b.is_ascii_hexdigit()), "{digest}");
        text += &format!("objects/...{rest}");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explained").join(name);
    if std::env::var_os("UPDATE_EXPLAINED").is_some() {
        fs::write(&file, &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(file).unwrap(), "{name}");
}

#[test]
fn nodes_and_leaves_word_for_word() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    compare(&explain(here, &start(here)), "draw.txt");
    // A position of a leaf, one of the database, and one that the certificate says nothing about.
    compare(&explain(here, "B:W3,5:B2,K8"), "in-a-leaf.txt");
    compare(&explain(here, "B:WK2,3:BK8"), "in-the-database.txt");
    let (nothing, status) = ask(here, &["B:WK5,K6,K7,K8:B1"]);
    compare(&nothing, "nothing.txt");
    assert_eq!(status, Some(6));
    // The digests and offsets of objects are shown only with `--hashes`.
    let (places, _) = ask(here, &["--hashes"]);
    compare(&places, "places.txt");
    assert!(places.contains("objects/") && !explain(here, &start(here)).contains("objects/"));
}

#[test]
fn cycles_and_ends_word_for_word() {
    let root = certificate("--game 4x4 --pieces 2 --fen W:WK6,K7:BK1,K2");
    compare(&explain(root.path(), "W:WK6,K7:BK1,K2"), "cycle.txt");
    let root = certificate("--game 4x4 --pieces 0");
    compare(&explain(root.path(), "W:W3:B1"), "no-move.txt");
}

#[test]
fn a_long_line_is_not_shown_to_its_end() {
    // A certificate of the corpus: the length of a line in a new one depends on the search.
    let here = v1::folder().join("win-by-a-long-line");
    let text = explain(&here, "B:W29,30:BK4");
    let steps: Vec<&str> = text.lines().filter(|line| line.ends_with(" to move")).collect();
    assert_eq!(steps.len(), 40);
    assert!(steps[39].starts_with("39. "), "{steps:?}");
    // The line can be continued where the text says.
    let ask = text.lines().find_map(|line| line.strip_prefix("… and so on; ask for ")).unwrap();
    let on = explain(&here, ask);
    assert!(on.starts_with(&format!("WHITE-WINS:\n\n0. {ask}, ")), "{on}");
    assert!(!on.contains("and so on") && !on.contains("WRONG"), "{on}");
}

#[test]
fn what_is_wrong_or_assumed_is_said() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let start = start(here);
    let draft = Draft::read(&here.join("cert"));
    let edited = |edit: &dyn Fn(&mut Draft)| {
        let mut draft = draft.clone();
        edit(&mut draft);
        draft.write(&here.join("cert"));
        explain(here, &start)
    };
    let assumed = edited(&|draft| {
        let node = draft.parts[0].nodes.iter_mut().rfind(|n| n.kind == kind::OR).unwrap();
        (node.kind, node.data) = (kind::ASSUMED, (-250i32).cast_unsigned());
    });
    compare(&assumed, "assumed.txt");
    let replies = edited(&|draft| {
        let nodes = draft.parts[0].nodes.iter_mut();
        nodes.filter(|n| n.kind == kind::AND).for_each(|node| node.kind = kind::ASSUMED);
    });
    compare(&replies, "assumed-replies.txt");
    let no_such_move = edited(&|draft| {
        let node = draft.parts[0].nodes.iter_mut().find(|n| n.kind == kind::OR).unwrap();
        node.data = 1000;
    });
    compare(&no_such_move, "no-such-move.txt");
    let leaf = edited(&|draft| draft.parts[0].leaves.iter_mut().for_each(|l| l.positions += 1));
    compare(&leaf, "wrong-leaf.txt");
}

/// A value that a question does not claim is no fault of its proof, which rests on other positions.
#[test]
fn unused_positions_are_no_faults() {
    let lost = "W:W13:B1,2";
    let unclaimed =
        "the database has a loss for the side to move: this question does not claim it\n";
    let root = certificate("--game 6x6 --fen B:W13,17:B1,2 --pieces 3 --leaf-nodes 100000");
    let text = explain(root.path(), lost);
    let (black, white) = text.split_once("WHITE-NOT-LOST:").unwrap();
    assert!(black.contains("the database has a loss for the side to move\n"), "{text}");
    assert!(white.contains(unclaimed) && !text.contains("WRONG"), "{text}");
    // If no question claims the value, nothing is said about it.
    let claim =
        "--game 6x6 --fen B:W13,17:B1,2 --pieces 3 --leaf-nodes 100000 --claim white-not-lost";
    let (text, status) = ask(certificate(claim).path(), &[lost]);
    assert!(text.contains(unclaimed) && !text.contains("WRONG"), "{text}");
    assert_eq!(status, Some(6), "{text}");
}

/// A proof that rests on a value other than the one it needs is wrong, wherever it is explained.
#[test]
fn used_wrong_values_are_faults() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let game: Game = "4x4".parse().unwrap();
    let rules = Rules::new(positions::database(&game.board, 3));
    // Two kings of each side, and a capture by a black one that leaves White with a win.
    let kings = (0..=255u32).flat_map(|black| (0..=255u32).map(move |white| (black, white)));
    let apart = |&(b, w): &(u32, u32)| b & w == 0 && b.count_ones() == 2 && w.count_ones() == 2;
    let found = kings.filter(apart).find_map(|(black, white)| {
        let start = WirePosition { black, white, kings: black | white, turn: 0 };
        let successors = rules.successors(&start);
        let choice = successors.iter().position(|s| rules.value(s) == Some(Value::Win))?;
        Some((start, choice.try_into().unwrap(), successors[choice]))
    });
    let (start, data, lost) = found.unwrap();
    let fen = |p: &WirePosition| rules.board.write_fen(&rules.read(p));
    let mut draft = Draft::read(&here.join("cert"));
    let mut wrong_at = |start: &WirePosition, nodes: Vec<Node>| {
        let question = Question::BlackNotLost;
        draft.claim.start = fen(start);
        draft.claim.value = Claimed::BlackNotLost;
        draft.parts = vec![Part { nodes, ..Part::new(question) }];
        draft.write(&here.join("cert"));
        let verdict = check(&["cert", "--quiet"], here).verdict;
        assert!(verdict.starts_with("s REFUTED database-value "), "{verdict}");
        for asked in [start, &lost] {
            let (text, status) = ask(here, &[&fen(asked)]);
            assert!(text.contains("WRONG [database-value] at "), "{text}");
            assert_eq!(status, Some(1), "{text}");
        }
    };
    // A node chooses the position, or it is the start of the certificate.
    wrong_at(&start, vec![Node { position: start, rank: 0, data, kind: kind::OR, reserved: 0 }]);
    wrong_at(&lost, Vec::new());
}

#[test]
fn what_is_named_is_explained() {
    let root = certificate("--game 6x4 --pieces 3 --leaf-nodes 40");
    let here = root.path();
    let game: Game = "6x4".parse().unwrap();
    let text = explain(here, &start(here));
    assert!(text.starts_with("WHITE-WINS:\n\n0. ") && !text.contains("WRONG"), "{text}");
    // Each move that the text names is legal, leads to the next position of the line, and that
    // position is explained, too.
    let (mut at, mut named) = (game.start(), 0);
    for line in text.lines() {
        if let Some(step) = line.strip_suffix(" to move") {
            let fen = step.split(", ").next().unwrap();
            if let Some((name, fen)) = fen.split_once(" to ") {
                let name = name.split(' ').nth(1).unwrap();
                at = game.board.read_move(&at, name).unwrap();
                assert_eq!(game.board.write_fen(&at), fen);
            }
        } else if let Some((names, words)) =
            line.strip_prefix("      ").and_then(|l| l.split_once(": "))
            && !names.contains('.')
        {
            for name in names.split(", ") {
                let after = game.board.read_move(&at, name).unwrap();
                assert_eq!(game.board.write_move(&at, &after).unwrap(), name);
                let (fen, to) = (game.board.write_fen(&at), game.board.write_fen(&after));
                let (said, status) = ask(here, &[&fen, "--moves", name]);
                assert_eq!(status, Some(0), "{name} in {fen}");
                assert_eq!(said, explain(here, &to));
                assert!(said.contains(words), "{words}: {said}");
                named += 1;
            }
        }
    }
    assert!(named > 3, "{text}");
    assert_eq!(check(&["explain", "cert", "nonsense"], here).status, Some(4));
    assert_eq!(check(&["explain", "cert", "B:W32:B1"], here).status, Some(4));
}

#[test]
fn positions_by_moves_and_fen() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let at_start = explain(here, &start(here));
    assert_eq!(ask(here, &[]), (at_start.clone(), Some(0)));
    for fen in ["B:B1,2:W7,8", "B:W7-8:B1-2.", " B : W 7, 8 : B 1 - 2 . "] {
        assert_eq!(explain(here, fen), at_start, "{fen}");
    }
    let after = explain(here, "B:W5,7:B2,4");
    for moves in [&["--moves", "1-4 8-5"][..], &["B:B1,2:W7,8", "--moves", "01x04  8-5"]] {
        assert_eq!(ask(here, moves), (after.clone(), Some(0)));
    }
    for (arguments, what) in [
        (&["B:W9:B1"][..], "character 4: expected a square from 1 to 8, found 9"),
        (&["--moves", "1-4 1-8"], "legal moves: 8-5, 8-6, 7-5"),
    ] {
        let (said, status) = ask(here, arguments);
        assert_eq!(status, Some(4), "{said}");
        assert!(said.starts_with("s ERROR ") && said.contains(what), "{said}");
    }
}

#[test]
fn many_questions_are_answered_in_turn() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let mut command = Command::new(path("check"));
    command.args(["explain", "cert", "--interactive"]).current_dir(here);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.unwrap();
    let lines = "1-4 8-5\n\n1-8\nnonsense\nback\nback\nB:B1:W5\nstart\nquit\n2-4\n";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stdout).unwrap();
    let [first, after] = [start(here), "B:W5,7:B2,4".into()].map(|fen| explain(here, &fen));
    let expected = format!("{first}{after}move \"1-8\" in B:W5,7:B2,4: expected a legal move;");
    assert!(said.starts_with(&expected), "{said}");
    assert!(
        said.contains("expected the side to move, B or W, found 'n'; \"help\" lists"),
        "{said}"
    );
    assert!(said.contains(&format!("{first}{} was the first\n", start(here))), "{said}");
    assert!(said.contains("\n0. B:W5:B1, Black to move\n") && said.ends_with(&first), "{said}");
}

#[test]
fn as_many_lines_as_are_asked_for() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let (one, _) = ask(here, &[]);
    assert_eq!(ask(here, &["--lines", "1"]).0, one);
    let (three, status) = ask(here, &["--lines", "3"]);
    assert_eq!((three.matches("\nLine 2, from ").count(), status), (2, Some(0)), "{three}");
    assert_eq!(three.matches("\nLine 3, from ").count(), 2, "{three}");
    // All lines: each move that the text names has been followed, and no position is told twice.
    let (all, _) = ask(here, &["--lines", "1000000"]);
    assert_eq!(all.matches("\nThere are no other lines.\n").count(), 2, "{all}");
    let black = all.split_once("WHITE-NOT-LOST:").unwrap().0;
    let told = black.matches("each of them answered:").count();
    let fens: Vec<&str> = black.lines().filter(|line| line.ends_with(" to move")).collect();
    assert!(told > 2 && fens.len() > 10, "{black}");
}

#[test]
fn nodes_and_leaves_step_by_step() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let draft = Draft::read(&here.join("cert"));
    let at = |item: &str| ask(here, &["--at", item]);
    for (part, word) in draft.parts.iter().zip(["black-not-lost", "white-not-lost"]) {
        for i in 0..=part.nodes.len() {
            let (text, status) = at(&format!("{word}:{i}"));
            assert!(text.ends_with("\nThis is right.\n") && status == Some(0), "{text}");
        }
        for (i, leaf) in part.leaves.iter().enumerate() {
            let (text, status) = at(&format!("{word}:leaf:{i}"));
            let end =
                format!("expected {0} positions, found {0}\nThis is right.\n", leaf.positions);
            assert!(text.ends_with(&end) && status == Some(0), "{text}");
        }
    }
    for wrong in ["black-not-lost", "black-wins:0", "black-not-lost:99", "white-not-lost:leaf:99"] {
        let (text, status) = at(wrong);
        assert!(text.starts_with("s ERROR --at ") && status == Some(4), "{text}");
    }
    // The place that a verdict names, and its rule.
    for spoil in [
        (|part: &mut Part| part.leaves[0].positions += 1) as fn(&mut Part),
        |part| {
            let node = part.nodes.iter_mut().find(|node| node.kind == kind::OR).unwrap();
            node.data = 1000;
        },
        |part| {
            let last = part.nodes.iter().rposition(|node| node.kind == kind::OR).unwrap();
            part.nodes.remove(last);
        },
    ] {
        let mut wrong = draft.clone();
        spoil(&mut wrong.parts[0]);
        wrong.write(&here.join("cert"));
        let said = check(&["cert", "--quiet"], here).verdict;
        let field = |name: &str| said.split(' ').find_map(|word| word.strip_prefix(name)).unwrap();
        let rule = said.split(' ').nth(2).unwrap();
        let (text, status) = at(&format!("{}:{}", field("file="), field("offset=")));
        let found = format!("\nWRONG [{rule}] at {}: expected ", field("position="));
        assert!(text.contains(&found) && status == Some(1), "{said}\n{text}");
        assert!(text.ends_with("\nThis is wrong.\n"), "{text}");
    }
}

/// The page on checking by hand shows what the program prints.
#[test]
fn the_line_by_hand_is_what_is_printed() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let here = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(repository.join("corpus"), here.path().join("corpus")).unwrap();
    prove(&["db", "--game", "4x4", "--pieces", "3", "--quiet"], here.path());
    let page = fs::read_to_string(repository.join("docs/check-one-line.md")).unwrap();
    let shown: Vec<&str> = page.split("```console\n$ check ").skip(1).collect();
    assert!(shown.len() >= 2);
    for block in shown {
        let (command, rest) = block.split_once('\n').unwrap();
        let quoted = command.split('"').enumerate();
        let words: Vec<&str> = quoted
            .flat_map(|(i, part)| match i % 2 {
                0 => part.split_whitespace().collect::<Vec<_>>(),
                _ => vec![part],
            })
            .collect();
        let output = run(&path("check"), &words, here.path());
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said, rest.split_once("```").unwrap().0, "{command}");
    }
}
