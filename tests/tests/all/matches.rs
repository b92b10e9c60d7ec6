//! The match program, with an engine that plays the first legal move and commits faults on demand.

use draughtproof_game::Strictness;
use tests::prelude::*;

/// Plays a match with games from three random moves.
fn play(first: &str, second: &str, options: &[&str], here: &Path) -> Output {
    let engine = |arguments: &str| format!("{} {arguments}", env!("CARGO_BIN_EXE_scripted_engine"));
    let (first, second) = (engine(first), engine(second));
    let all = ["--first", &first, "--second", &second, "--random-plies", "3"];
    run(&path("examples/match"), &[&all[..], options].concat(), here)
}

fn text(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The table of one line that a match ends with, by column.
fn table(output: &Output) -> Vec<(String, String)> {
    let text = text(output);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!((lines.len(), lines[0].len()), (2, lines[1].len()), "{text}");
    lines[0].iter().zip(&lines[1]).map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

fn cell<'a>(table: &'a [(String, String)], name: &str) -> &'a str {
    &table.iter().find(|(column, _)| column == name).unwrap().1
}

#[test]
fn interrupted_matches_resume() {
    let here = &Scratch::empty();
    let options = |games| ["--games", games, "--log", "log", "--pdn", "pdn", "--margin", "60"];
    let four = text(&play("a", "b", &options("4"), here));
    assert_eq!(four.lines().filter(|line| line.starts_with("game ")).count(), 4, "{four}");
    let log = std::fs::read_to_string(here.join("log")).unwrap();
    // The log ends in the middle of the last game.
    std::fs::write(here.join("log"), &log[..log.len() - 20]).unwrap();
    let rest = text(&play("a", "b", &options("6"), here));
    assert_eq!(rest.lines().filter(|line| line.starts_with("game ")).count(), 3, "{rest}");
    assert!(rest.contains("\na 1.0: depth 7.0, ") && rest.contains("; 0 faults\n"), "{rest}");
    // Both engines play the same moves: a pair of games is two wins of the same side, or two draws.
    assert!(rest.contains("\nElo +0.0, 95 %: +0.0 to +0.0; stronger with 50.0 %\n"), "{rest}");
    assert!(rest.contains("points: 0 0 3 0 0\n"), "{rest}");
    let game: Game = "8x8".parse().unwrap();
    let pdn = std::fs::read(here.join("pdn")).unwrap();
    let games = game.read_pdn("pdn", &pdn, Strictness::Strict);
    assert_eq!(games.len(), 6);
    assert!(games.iter().all(|game| game.fault.is_none() && game.positions.len() > 20));
    assert_eq!(games.iter().filter(|game| game.tag("Black") == Some("a 1.0")).count(), 3);
    // The log of another match is not changed.
    let other = play("a", "c", &options("6"), here);
    assert_eq!(other.status.code(), Some(3));
    let said = String::from_utf8_lossy(&other.stderr);
    assert!(
        said.starts_with("match: log: expected the games of this match (a 1.0 - c 1.0"),
        "{said}"
    );
}

#[test]
fn faults_lose_and_are_counted() {
    let here = &Scratch::empty();
    for (fault, margin, said) in [
        ("illegal", "60", "illegal move: move \"1-32\" in "),
        ("crash", "60", "crash: it ended (exit status: 1)"),
        ("hang", "0.3", "timeout: no move after 0.3"),
    ] {
        let bad = format!("bad {fault} 2");
        // The other engine answers at once, but a busy machine may delay it.
        let options = ["--games", "2", "--margin", margin, "--move-time", "0.001", "--log", fault];
        let table =
            table(&play("good", &bad, &[&options[..], &["--format", "tsv"]].concat(), here));
        let log = std::fs::read_to_string(here.join(fault)).unwrap();
        assert!(log.contains(said), "{log}");
        if fault != "hang" {
            assert_eq!((cell(&table, "wins"), cell(&table, "second_faults")), ("2", "2"), "{log}");
            assert_eq!((cell(&table, "elo"), cell(&table, "pairs")), ("inf", "0 0 0 0 1"));
        }
    }
}

#[test]
fn a_sequential_test_ends_a_match() {
    let place = tempfile::tempdir().unwrap();
    let options = ["--games", "400", "--margin", "60", "--sprt", "0,200", "--format", "tsv"];
    let table = table(&play("good", "bad illegal 1", &options, place.path()));
    let games: usize = cell(&table, "games").parse().unwrap();
    assert!(games < 100 && cell(&table, "llr").parse::<f64>().unwrap() > 2.9, "{table:?}");
}

#[test]
fn engines_that_do_not_start() {
    let place = tempfile::tempdir().unwrap();
    let output = play("good", "bad", &["--first-set", "book=no"], place.path());
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.ends_with("it has no parameter \"book\"; it has threads\n"), "{said}");
    let nothing = ["--first", "/nowhere/engine", "--second", "/nowhere/engine"];
    let output = run(&path("examples/match"), &nothing, place.path());
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("match: /nowhere/engine: /nowhere/engine does not start: "), "{said}");
}
