//! Words for people: numbers with their nouns, answers that lead on, one default board, one
//! vocabulary.

use tests::prelude::*;

/// The output of `prove` on standard output and on standard error, and its status.
fn heard(arguments: &str, here: &Scratch) -> (String, String, Option<i32>) {
    texts(run(&path("prove"), &arguments.split(' ').collect::<Vec<_>>(), here))
}

#[test]
fn counts_have_their_nouns() {
    let here = &Scratch::empty();
    let said = prove(&["--emit", "cert", "--pieces", "5", "--quiet"], here);
    assert!(said.contains("certificate cert: ") && said.contains(" bytes, root="), "{said}");
    let stored = "--game 4x4 --fen B:W7:B1,2 --pieces 2 --leaf-nodes 1000 --claim black-not-lost";
    let (out, err, _) = heard(&format!("{stored} --emit one"), here);
    assert!(out.contains(": 1 node, 1 leaf, "), "{out}");
    assert!(err.contains(" in 1 search, tree 1\n"), "{err}");
    let output = run(&path("check"), &["one"], here);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("All of it was verified, 1 node and 1 leaf, and "), "{said}");
    // Thousands are separated everywhere, and never in results for programs.
    let (text, _, _) = heard("stats --game 6x6 --pieces 5 -q", here);
    let (tsv, _, _) = heard("stats --game 6x6 --pieces 5 -q --format tsv", here);
    let last =
        |text: &str| text.lines().last().unwrap().split_whitespace().nth(2).unwrap().to_owned();
    assert_eq!(last(&text), "5,276,874");
    assert!(tsv.lines().last().unwrap().starts_with("total 5\t5276874\t"), "{tsv}");
}

#[test]
fn a_budget_is_what_was_asked_for() {
    let here = &Scratch::empty();
    let words = "--game 6x6 --pieces 2 --leaf-nodes 1000 --max-nodes 2000 --emit cert --quiet";
    let (_, err, status) = heard(words, here);
    assert!(status == Some(1) && err.contains("wins within 2,000 nodes"), "{err}");
}

#[test]
fn answers_lead_on() {
    let here = &Scratch::empty();
    for (command, usage) in [("check cert", "check CERT"), ("merge a b", "check merge")] {
        let (_, err, status) = heard(command, here);
        let advice = format!("checking is a program of its own: `{usage}`");
        assert!(status == Some(2) && err.contains(&advice), "{err}");
    }
    prove(&["db", "--game", "4x4", "--pieces", "3", "--quiet"], here);
    for command in ["solve", "probe"] {
        let reads = |quiet: &[&str]| {
            let mut prove = Command::new(path("prove"));
            prove.arg(command).args(quiet).current_dir(&**here).stdin(Stdio::null());
            let output = prove.output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stderr).unwrap().contains("reading FENs from standard input")
        };
        assert!(reads(&[]) && !reads(&["-q"]) && !reads(&["--quiet", "-"]), "{command}");
    }
}

/// The board is that of a certificate, or of the only database; `--game` may say the same.
#[test]
fn one_default_board() {
    let here = &Scratch::empty();
    let board = |command: &str| {
        let (out, err, status) = heard(command, here);
        assert_eq!(status, Some(0), "{command}: {err}");
        out
    };
    prove(&["db", "--game", "4x4", "--pieces", "4", "--quiet"], here);
    let fen = "B:W7,8:B1,2";
    assert_eq!(board(&format!("probe {fen} -q --format tsv")).split('\t').next(), Some(fen));
    let start = "B:W7,8:B1,2";
    assert!(board("analyse --depth 2 -q start").starts_with(start));
    assert!(board("solve -q start").starts_with(start));
    assert!(board("stats -q").contains("total 4 "));
    assert!(board("db --pieces 2 -q").contains("database 4x4 with 2 pieces: "));
    // Files of games are of checkers, and a proof is of what is named.
    std::fs::write(here.join("games.pdn"), "1. 11-15 23-19 *\n").unwrap();
    assert!(board("annotate --pieces 0 --nodes 100 -q games.pdn").contains("11-15"));
    prove(&["--emit", "cert", "--pieces", "4", "--quiet"], here);
    let first = "B:W13,14,15,16,17,18:B1,2,3,4,5,6";
    for game in ["", "--game 6x6 "] {
        assert!(board(&format!("analyse {game}--cert cert --depth 1 -q start")).starts_with(first));
    }
    let (_, err, status) = heard("analyse --game 4x4 --cert cert --depth 1 start", here);
    assert!(status == Some(2) && err.contains("expected a certificate of 4x4, found 6x6"), "{err}");
}

/// A position is proved over the largest database that is there.
#[test]
fn a_position_is_proved_over_what_is_there() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "6x6", "--pieces", "6", "--quiet"], here);
    prove(&["--fen", "B:W13,14,15:B1,2", "--emit", "cert", "--quiet"], here);
    let claim = std::fs::read_to_string(here.join("cert/CLAIM")).unwrap();
    assert!(claim.contains("\npieces 6\n"), "{claim}");
}

#[test]
fn the_words_of_verdicts() {
    let here = &Scratch::empty();
    prove(&["--emit", "cert", "--pieces", "5", "--quiet"], here);
    let (text, _, _) = heard("report cert -q", here);
    let (tsv, _, _) = heard("report cert -q --format tsv", here);
    assert!(
        text.contains("\nBLACK-NOT-LOST: ") && tsv.contains("\nWHITE-NOT-LOST\t"),
        "{text}{tsv}"
    );
    let all = [text, tsv, heard("report cert -q --format json", here).0].concat();
    assert!(!all.contains("NotLost"), "{all}");
    let explained = run(&path("prove"), &["explain", "cert", "--moves", "4-7 15-12"], here);
    let explained = String::from_utf8(explained.stdout).unwrap();
    assert!(explained.starts_with("black-not-lost: "), "{explained}");
    for word in ["Loss", "Win", "Draw", "a node, "] {
        assert!(!explained.contains(word), "{word}: {explained}");
    }
}
