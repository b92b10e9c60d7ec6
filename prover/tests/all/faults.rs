//! Lost and damaged files of a database.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use draughtproof_game::Game;
use draughtproof_play::engine::notation::{read_move, write_position};

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command with this input.
pub fn answer(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // A command that fails at once reads nothing.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// Has an engine set up and search twice, with this word after `go`; returns its lines.
pub fn converse(engine: &mut Command, setup: &str, go: &str) -> Vec<String> {
    let mut child = engine.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    input.write_all(setup.as_bytes()).expect("it reads");
    let mut said = Vec::new();
    for _ in 0..2 {
        writeln!(input, "level depth=4\ngo {go}").expect("it reads");
        while !said.last().is_some_and(|line: &String| line.starts_with("done")) {
            said.push(lines.next().expect("an answer").expect("text"));
        }
        said.push(String::new());
    }
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{said:?}");
    said
}

/// Runs `prove`; returns its status and what it says.
pub fn prove(arguments: &[&str], here: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove"));
    let Output { status, stdout, stderr } = answer(command.args(arguments).current_dir(here), "");
    (status.code(), text(&stdout) + &text(&stderr))
}

pub fn done(arguments: &[&str], here: &Path) -> String {
    let (status, said) = prove(arguments, here);
    assert_eq!(status, Some(0), "{arguments:?}: {said}");
    said
}

pub fn slices(here: &Path, board: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(here.join("egdb").join(board)).expect("a database");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| !path.ends_with("MANIFEST"));
    files.sort();
    files
}

type Damage = fn(&Path);

const DAMAGES: [(&str, Damage); 5] = [
    ("changed", |path| {
        let mut bytes = fs::read(path).expect("a slice");
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(path, bytes).expect("a slice");
    }),
    ("cut", |path| {
        let bytes = fs::read(path).expect("a slice");
        fs::write(path, &bytes[..bytes.len() / 2]).expect("a slice");
    }),
    ("empty", |path| fs::write(path, "").expect("a slice")),
    ("other", |path| fs::write(path, [7; 5000]).expect("a slice")),
    ("removed", |path| fs::remove_file(path).expect("a slice")),
];

/// A database of 6x6 with 4 pieces.
fn database() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a directory");
    done(&["db", "--game", "6x6", "--pieces", "4", "-q"], place.path());
    place
}

#[test]
fn the_engine_plays_on_without_a_damaged_database() {
    let game: Game = "6x6".parse().expect("a game");
    let position = game.board.read_fen("B:WK18,15:BK1,2").expect("a position");
    let pos = write_position(&game.board, &position);
    let place = database();
    for (name, damage) in DAMAGES {
        slices(place.path(), "6x6").iter().for_each(|path| damage(path));
        for (values, go) in [("cached", "think"), ("mapped", "think"), ("resident", "analyze")] {
            let mut engine = Command::new(env!("CARGO_BIN_EXE_prove"));
            engine.args(["engine", "--game", "6x6", "--hash", "1MiB", "--values", values]);
            let setup = format!("hub\ninit\npos pos={pos}\n");
            let said = converse(engine.current_dir(place.path()), &setup, go);
            let errors = said.iter().filter(|line| line.starts_with("error message=")).count();
            // A slice that is not there is unknown.
            let is_known = name == "removed" && values == "cached";
            assert_eq!(errors, usize::from(!is_known), "{name}, {values}: {said:?}");
            for line in said.iter().filter(|line| line.starts_with("done")) {
                let chosen = line.split(' ').nth(1).and_then(|word| word.strip_prefix("move="));
                let after = read_move(&game.board, &position, chosen.expect("a move"));
                assert!(after.is_ok(), "{name}, {values}: {said:?}");
            }
        }
        done(&["db", "--game", "6x6", "--pieces", "4", "-q"], place.path());
    }
}

#[test]
fn a_search_over_a_damaged_slice_ends_with_its_name() {
    let place = database();
    let here = place.path();
    slices(here, "6x6").iter().for_each(|path| DAMAGES[1].1(path));
    fs::write(here.join("games.pdn"), "[FEN \"B:WK18,15:BK1,2\"]\n1. 1-4 *\n").expect("a file");
    let fen = "B:WK18,15:BK1,2";
    let book = ["book", "--out", "book.tsv", "--positions", "3", "--nodes", "100000"];
    for command in [
        &["solve", fen][..],
        &["analyse", "--depth", "8", fen],
        &["annotate", "games.pdn"],
        &["play", "--fen", fen, "--side", "white"],
        &book,
    ] {
        let arguments = [command, &["--game", "6x6", "--values", "cached"]].concat();
        let (status, said) = prove(&arguments, here);
        assert_eq!(status, Some(3), "{arguments:?}: {said}");
        let names = said.matches("prove: egdb/6x6/").count();
        assert!(names == 1 && said.contains("builds this file again"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_lost_slice_is_built_again_alone() {
    let place = database();
    let here = place.path();
    let files = slices(here, "6x6");
    let read = |path: &PathBuf| fs::read(path).expect("a slice");
    let whole: Vec<Vec<u8>> = files.iter().map(read).collect();
    let time = |path: &PathBuf| fs::metadata(path).and_then(|m| m.modified()).expect("a time");
    let commands = [
        &["db", "--game", "6x6", "--pieces", "4"][..],
        &["db", "--game", "6x6", "--pieces", "5"],
        &["--game", "6x6", "--pieces", "4", "--emit", "cert"],
    ];
    let each = files.iter().step_by(files.len() / DAMAGES.len()).zip(DAMAGES);
    for (i, (path, (what, damage))) in each.enumerate() {
        let before: Vec<_> = files.iter().map(time).collect();
        damage(path);
        let said = done(commands[i % commands.len()], here);
        assert!(said.contains("lost or damaged, built again: "), "{what}: {said}");
        assert!(files.iter().map(read).eq(whole.iter().cloned()), "{what}: {}", path.display());
        for (file, before) in files.iter().zip(before) {
            assert!(file == path || time(file) == before, "{what}: {}", file.display());
        }
    }
    // The slices of a pair that a process builds beside others, and two slices at once.
    files.iter().take(2).for_each(|path| fs::remove_file(path).expect("a slice"));
    let name = files[0].file_name().and_then(|name| name.to_str()).expect("a name");
    done(&["db", "slice", name, "--game", "6x6", "--pieces", "4"], here);
    done(&["db", "--game", "6x6", "--pieces", "4"], here);
    assert!(files.iter().map(read).eq(whole.iter().cloned()));
    assert!(!here.join("egdb/6x6.building").exists());
}
