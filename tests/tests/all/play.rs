//! `prove play`, through a pipe.

use std::process::{ChildStdin, ChildStdout};

use draughtproof_game::Strictness;
use tests::prelude::*;

/// A program that plays, with its output.
struct Player {
    game: Game,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Player {
    fn new(game: &str, options: &[&str], here: &Path) -> Player {
        let mut child = start("prove", &[&["play"], options, &["-q"]].concat(), here);
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Player { game: game.parse().unwrap(), child, input, output: BufReader::new(output) }
    }

    /// The output up to the board, and the position on it; the last line says whose turn it is.
    fn read_board(&mut self) -> (Vec<String>, Position) {
        let (mut lines, mut position) = (Vec::new(), None);
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "{lines:?}");
            if let Ok(read) = self.game.board.read_fen(line.trim()) {
                position = Some(read);
            }
            lines.push(line.trim_end().to_owned());
            let is_last = ["to move", "has won", "three times"].iter().any(|e| line.contains(e));
            if let Some(position) = position.filter(|_| is_last) {
                return (lines, position);
            }
        }
    }

    /// Plays random moves to the end; returns the last line and the program's answers.
    fn play_at_random(mut self, mut random: usize) -> (String, Vec<String>) {
        let (mut answers, (mut lines, mut position)) = (Vec::new(), self.read_board());
        for _ in 0..500 {
            let last = lines.last().unwrap().clone();
            if !last.ends_with("to move") {
                drop(self.input);
                assert_eq!(self.child.wait().unwrap().code(), Some(0));
                return (last, answers);
            }
            let moves = self.game.board.moves(&position);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1442695);
            let after = moves[(random >> 33) % moves.len()].after;
            let name = self.game.board.write_move(&position, &after).unwrap();
            writeln!(self.input, "{name}").unwrap();
            (lines, position) = self.read_board();
            answers.extend(lines.iter().filter(|line| line.contains(" plays ")).cloned());
        }
        panic!("the game does not end: {answers:?}");
    }
}

#[test]
fn proofs_of_wins_win() {
    let here = &Scratch::empty();
    let options = ["--game", "6x4", "--pieces", "3", "--leaf-nodes", "40", "--emit", "cert", "-q"];
    prove(&options, here);
    let mut sources = std::collections::BTreeSet::new();
    for with_depths in [false, true] {
        if with_depths {
            prove(&["db", "--game", "6x4", "--pieces", "3", "--depth", "-q"], here);
        }
        for seed in 0..15 {
            // The program is White.
            let (last, answers) = Player::new("6x4", &["cert"], here).play_at_random(seed);
            assert_eq!(last, "Black has no move: White has won", "{answers:?}");
            let source = |line: &String| line.split(" (").nth(1).unwrap().to_owned();
            sources.extend(answers.iter().map(source));
        }
    }
    assert!(sources.contains("proof: White wins)"), "{sources:?}");
    assert!(sources.iter().any(|source| source.starts_with("database: win")), "{sources:?}");
    assert!(!sources.iter().any(|source| source.contains("loss") || source.contains("draw")));
    assert!(!sources.iter().any(|source| source.starts_with("search")), "{sources:?}");
}

#[test]
fn databases_win_won_games() {
    let here = &Scratch::empty();
    // Depths are found for blocks, by looking up one position after the other, or stored.
    for (more, held) in [(&[][..], "resident"), (&[][..], "cached"), (&["--depth"], "cached")] {
        prove(&[&["db", "--game", "6x6", "--pieces", "3", "-q"], more].concat(), here);
        let position = ["--game", "6x6", "--fen", "B:WK18:BK1,K2"];
        let options = [&position[..], &["--side", "white", "--values", held]].concat();
        for seed in 0..2 {
            let (last, answers) = Player::new("6x6", &options, here).play_at_random(seed);
            assert_eq!(last, "White has no move: Black has won", "{answers:?}");
            // The most plies that the win takes, whatever the program knows.
            assert!(answers.len() <= 13, "{answers:?}");
            let is_shown = answers[0]
                .contains("(database: win, next capture, crowning or move of a man in 25)");
            assert!(is_shown, "{answers:?}");
        }
    }
}

/// Types lines, and returns the output.
fn typed(lines: &str, options: &[&str], here: &Path) -> String {
    let arguments = [&["play"], options, &["-q"]].concat();
    let (out, _, status) = texts(ask("prove", &arguments, here, lines.as_bytes()));
    assert_eq!(status, Some(0));
    out
}

#[test]
fn what_can_be_typed() {
    let here = &Scratch::empty();
    let options = ["--game", "6x6", "--nodes", "3000"];
    let game: Game = "6x6".parse().unwrap();
    let first = typed("", &options, here);
    assert!(first.starts_with("B:W13,14,15,16,17,18:B1,2,3,4,5,6\n  b   b   b   1-3\n"), "{first}");
    assert!(first.ends_with("\nBlack to move\n"), "{first}");
    // Taking a move back leads to the position before; then nothing more can be taken back.
    let back = typed("back\n4-7\nback\nboard\n", &options, here);
    assert!(back.starts_with(&format!("{first}there is no move to take back\nWhite plays ")));
    assert!(back.contains(" (search: score ") && back.ends_with(&first.repeat(2)), "{back}");
    // A hint is a legal move, and an illegal move is refused with a message.
    let hint = typed("hint\n", &options, here);
    let name = hint.strip_prefix(&first).unwrap().split(' ').next().unwrap();
    assert!(game.board.read_move(&game.start(), name).is_ok(), "{hint}");
    let wrong = typed("4-18\nhelp\nquit\n4-7\n", &options, here);
    let said = "expected a legal move; legal moves: ";
    assert!(wrong.contains(said) && !wrong.contains(" plays "), "{wrong}");
    for word in ["back", "hint", "board", "pdn", "quit"] {
        assert!(wrong.contains(&format!("\n{word} ")), "{wrong}");
    }
    // The game in PDN is the one that was played.
    let played = typed("4-7\npdn\n", &options, here);
    let (board, pdn) = played.split_once("[Event").unwrap();
    let read = game.read_pdn("played", format!("[Event{pdn}").as_bytes(), Strictness::Strict);
    assert_eq!((read[0].positions.len(), read[0].result.as_deref()), (2, Some("*")));
    assert!(board.contains(&game.board.write_fen(&read[0].positions[1])));
    // A game that is over, and one in which the other side begins.
    let over = typed("1-5\nhint\npdn\n", &["--game", "6x6", "--fen", "W:W:BK1"], here);
    assert!(over.contains("White has no move: Black has won\nthe game is over; back"), "{over}");
    assert!(over.contains("\nthere is no move\n") && over.ends_with("\n1-0\n"), "{over}");
    let second = typed("pdn\n", &[&options[..], &["--side", "white"]].concat(), here);
    assert!(second.contains("Black plays ") && second.ends_with(" *\n"), "{second}");
}

#[test]
fn what_cannot_be_played() {
    let here = &Scratch::empty();
    for (options, status) in [
        (&["play", "nowhere"][..], 3),
        (&["play", "--fen", "B:W99:B1"], 2),
        (&["play", "--pieces", "3"], 3),
    ] {
        let output = run(&path("prove"), options, here);
        assert_eq!(output.status.code(), Some(status), "{options:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("prove: "));
    }
}
