//! Commands of `prove db` and the options by which earlier versions chose them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn prove(line: &str, directory: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove"));
    command.args(line.split_whitespace()).current_dir(directory).output().unwrap()
}

/// Runs `prove`, which must succeed; returns its standard output and standard error.
fn done(line: &str, directory: &Path) -> (String, String) {
    let output = prove(line, directory);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, said) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(0), "{line}: {said}");
    (out, said)
}

/// A directory with a database in `egdb`, an export of it in `there`, and a file of values.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let here = place.path();
    done("db --game 4x4 --pieces 3 -q", here);
    done("db export there --game 4x4 -q", here);
    fs::write(here.join("values"), "B:WK8:BK1\tdraw\n").unwrap();
    place
}

/// The old spelling of a command, the new commands that do the same in order, and what the program
/// says about it.
const SPELLINGS: [(&str, &[&str], &str); 9] = [
    ("db --game 4x4 --pieces 3 --db new", &["db build --game 4x4 --pieces 3 --db new"], ""),
    (
        "db --game 4x4 --pieces 2 --db new --slice 0-1-0-1",
        &["db slice 0-1-0-1 --game 4x4 --pieces 2 --db new"],
        "`prove db slice A-B-C-D`",
    ),
    (
        "db --game 4x4 --pieces 2 --db new --slice 0-1-0-1 --map",
        &["db slice 0-1-0-1 --game 4x4 --pieces 2 --db new --map"],
        "`prove db slice A-B-C-D`",
    ),
    (
        "db --game 4x4 --pieces 3 --map --depth",
        &["db map --game 4x4 --pieces 3", "db build --game 4x4 --pieces 3 --depth"],
        "`prove db build`, then `prove db map`",
    ),
    ("db --game 4x4 --pieces 3 --unmap", &["db unmap --game 4x4"], "`prove db unmap`"),
    (
        "db --game 4x4 --pieces 3 --export out",
        &["db export out --game 4x4 --pieces 3"],
        "`prove db export OUT`",
    ),
    (
        "db --game 4x4 --pieces 4 --db new --import there",
        &["db import there --game 4x4 --db new", "db build --game 4x4 --pieces 4 --db new"],
        "`prove db import FROM`, then `prove db build`",
    ),
    (
        "db --game 4x4 --pieces 3 --compare values",
        &["db compare values --game 4x4 --pieces 3"],
        "`prove db compare FILE`",
    ),
    ("compare --game 4x4 table", &["literature --game 4x4 table"], ""),
];

#[test]
fn old_spellings_do_what_new_ones_do_and_name_them() {
    for (old, new, name) in SPELLINGS {
        let [one, two] = [place(), place()];
        for here in [&one, &two] {
            fs::write(here.path().join("table"), "fen\tvalue\nB:WK8:BK1\tdraw\n").unwrap();
        }
        let (out, said) = done(old, one.path());
        let mut wanted = String::new();
        for command in new {
            let (out, said) = done(command, two.path());
            assert!(!said.contains("spelling"), "{command}: {said}");
            wanted = out;
        }
        assert_eq!(out, wanted, "{old}");
        let notes: Vec<&str> = said.lines().filter(|line| line.contains("spelling")).collect();
        if name.is_empty() {
            assert!(notes.is_empty(), "{old}: {said}");
        } else {
            assert_eq!(notes, [format!("prove db: the new spelling is {name}")], "{old}: {said}");
        }
        assert_eq!(files(one.path()), files(two.path()), "{old}");
    }
}

/// The files below a directory, without those that hold times and locks.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display().to_string();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !name.ends_with(".figures") && !name.ends_with(".lock") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            found.push((name, fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn a_quiet_command_does_not_mention_its_new_spelling() {
    let place = place();
    let (_, said) = done("db --game 4x4 --pieces 3 --unmap -q", place.path());
    assert_eq!(said, "");
}

#[test]
fn advice_names_options_of_the_command_that_failed() {
    let place = place();
    let output = prove("db map --game 4x4 --memory 1", place.path());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("--memory") && !said.contains("--partly"), "{said}");
}
