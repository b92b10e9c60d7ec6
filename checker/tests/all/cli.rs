//! The program `check`: usage, verdict line, exit status.

use crate::common::*;
use assert_cmd::Command;
use std::fs::OpenOptions;
use std::os::unix::ffi::OsStringExt;
use std::process::Stdio;

fn check(arguments: &[&str]) -> (String, Option<i32>) {
    let output = Command::cargo_bin("check").unwrap().args(arguments).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

fn certificate() -> Place {
    let place = Place::new();
    draw_4x4(&Oracle::new(&board("4x4"), 4), 3).write(&place.cert());
    place
}

#[test]
fn one_verdict_line_and_its_status() {
    let place = certificate();
    let cert = place.cert();
    let (line, status) = check(&[cert.to_str().unwrap()]);
    assert_eq!(status, Some(0));
    assert!(line.starts_with("s VERIFIED DRAW 4x4 ") && line.matches('\n').count() == 1, "{line}");
    std::fs::write(cert.join("objects/extra"), "").unwrap();
    let (line, status) = check(&[cert.to_str().unwrap(), "--quiet", "--threads", "1"]);
    assert_eq!(status, Some(1));
    assert!(line.starts_with("s REFUTED listing ") && line.ends_with('\n'), "{line}");
}

#[test]
fn a_database() {
    let place = Place::new();
    write_database(&place.db(), &database(&board("5x5"), 3), 3);
    let db = place.db();
    let db = db.to_str().unwrap();
    for (level, word, right) in [("exact", "VERIFIED", 0), ("consistent", "CONSISTENT", 5)] {
        let (line, status) = check(&["--db", db, "--game", "5x5/2", "--level", level]);
        assert_eq!(status, Some(right));
        assert!(line.starts_with(&format!("s {word} DATABASE 5x5 pieces=3 ")), "{line}");
    }
    for memory in ["0", "100", "1MiB", "1GiB"] {
        let (line, status) = check(&["--db", db, "--game", "5x5/2", "--memory", memory]);
        assert!(line.starts_with("s VERIFIED ") && status == Some(0), "{memory}: {line}");
    }
    let (line, status) = check(&["--db", db, "--game", "5x5", "--pieces", "1"]);
    assert_eq!((line.starts_with("s ERROR usage:"), status), (true, Some(4)), "{line}");
    let (line, status) = check(&["--db", db, "--game", "5x5", "--pieces", "3:1,2"]);
    assert!(line.starts_with("s VERIFIED DATABASE 5x5 pieces=2 ") && status == Some(0), "{line}");
}

/// A limit on the size of files ends the check with an error, and not by a signal.
#[test]
fn files_of_limited_size() {
    let place = Place::new();
    write_database(&place.db(), &database(&board("4x4"), 3), 3);
    let program = assert_cmd::cargo::cargo_bin("check");
    for (option, why) in [
        ("--memory 0", "no room for 768 bytes (768 bytes) of tables in a file in "),
        ("--journal folder", "folder/journal: "),
        ("--attest note", "note: "),
    ] {
        let text = format!("ulimit -f 0; exec {} --game 4x4 {option}", program.display());
        let mut command = Command::new("sh");
        let output = command.args(["-c", &text]).current_dir(place.0.path()).output().unwrap();
        let line = String::from_utf8(output.stdout).unwrap();
        assert!(line.starts_with(&format!("s ERROR {why}")), "{line}");
        assert_eq!(output.status.code(), Some(4));
    }
}

/// A journal is trusted, wherever its lines come from, until `--fresh` empties it.
#[test]
fn a_fresh_journal() {
    let place = Place::new();
    let right = database(&board("4x4"), 3);
    write_database(&place.db(), &right, 3);
    let (db, folder) = (place.db(), place.0.path().join("journal"));
    let (db, journal, path) =
        (db.to_str().unwrap(), folder.to_str().unwrap(), folder.join("journal"));
    let run = |more: &[&str]| {
        check(&[&["--db", db, "--game", "4x4", "--journal", journal, "--quiet"], more].concat())
    };
    assert_eq!(run(&["--fresh"]).1, Some(0));
    let all = std::fs::read_to_string(&path).unwrap();

    // A wrong value, and a journal that was made by trusting the file.
    let spoil = |table: &checker_core::Table, values: &mut Vec<Option<Written>>| {
        if table.shape.slice.file_name() == "0-1-0-1" {
            *values.iter_mut().flatten().next().unwrap() = Written::Loss;
        }
    };
    let files = Files::with_values(&right, 3, &spoil);
    let kings = |files: &Files| Digest::of(&files.slices[0].1).to_string();
    let (old, new) = (kings(&Files::new(&right, 3)), kings(&files));
    std::fs::copy(folder.join(old), folder.join(new)).unwrap();
    files.write(&place.db());
    let (line, status) = run(&["--fresh"]);
    assert!(line.starts_with("s REFUTED slice-value ") && status == Some(1), "{line}");
    let head = std::fs::read_to_string(&path).unwrap();
    assert!(head.lines().count() == 1 && !all.starts_with(&head));
    let lines = all.split_inclusive('\n').skip(1).map(|line| {
        let (text, _) = line.rsplit_once(' ').unwrap();
        format!("{text} {}\n", &Digest::of([&head, text].concat().as_bytes()).to_string()[..16])
    });
    let forged = head.clone() + &lines.collect::<String>();
    std::fs::write(&path, &forged).unwrap();
    assert_eq!(run(&[]).1, Some(0), "a journal is not what it was thought to be");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), forged);
    let (line, status) = run(&["--fresh"]);
    assert!(line.starts_with("s REFUTED slice-value ") && status == Some(1), "{line}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), head);

    for other in ["some notes\n", "draughtproof-check-diary 2 4x4 exact 3\n", "draughtproof\n"] {
        std::fs::write(&path, other).unwrap();
        let (line, status) = run(&["--fresh"]);
        assert!(line.contains("not a journal: ") && status == Some(4), "{line}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
    }
    let (line, status) = check(&["--db", db, "--game", "4x4", "--fresh"]);
    assert!(line.starts_with("s ERROR usage:") && status == Some(4), "{line}");
}

/// A certificate without its database is told which one it needs, and what makes it.
#[test]
fn a_missing_database_is_named() {
    let place = Place::new();
    let cert = place.cert();
    let empty = place.0.path().join("empty");
    let run = |db: &std::path::Path| {
        let options = [cert.to_str().unwrap(), "--db", db.to_str().unwrap()];
        let output = Command::cargo_bin("check").unwrap().args(options).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr), output.status.code())
    };
    let mut base = draw_4x4(&Oracle::new(&board("4x4"), 4), 3);
    write_database(&place.db(), &database(&board("4x4"), 3), 3);
    let claimed = certificate_spec::Digest([7; 32]);
    base.claim.cover = certificate_spec::cover::Cover::up_to(3);
    base.claim.database = Some(claimed);
    base.parts.clear();
    base.write(&cert);
    let made = format!("this makes it: prove db --game 4x4 --pieces 3 --db {}", empty.display());
    let (line, said, status) = run(&empty);
    assert_eq!(status, Some(4), "{line}");
    assert!(
        line.trim_end().ends_with(&made) && line.contains(&format!("root {claimed}")),
        "{line}"
    );
    assert!(said.contains(&made), "{said}");
    let (line, said, status) = run(&place.db());
    assert!(line.starts_with("s REFUTED database-root ") && status == Some(1), "{line}");
    assert!(said.contains("another one; this makes it: prove db --game 4x4"), "{said}");
}

/// Returns the standard output of `check`, its standard error, and its status.
fn heard(arguments: &[&str]) -> (String, String, Option<i32>) {
    let output = Command::cargo_bin("check").unwrap().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

#[test]
fn a_missing_database_alone_is_named() {
    let place = Place::new();
    let empty = place.0.path().join("empty");
    let empty = empty.to_str().unwrap();
    for (options, board, made) in [
        (&["--game", "4x4"][..], "4x4", "--game 4x4 --pieces 6"),
        (&["--game", "3x3"], "3x3", "--game 3x3/1 --pieces 4"),
        (&["--game", "5x5/2", "--pieces", "4:2"], "5x5", "--game 5x5/2 --pieces 4:2"),
    ] {
        let (line, said, status) = heard(&[options, &["--db", empty]].concat());
        let text = format!(
            "there is no database of {board} in the folder {empty}; \
             this makes it: prove db {made} --db {empty}"
        );
        assert_eq!((line, status), (format!("s ERROR {text}\n"), Some(4)));
        assert!(said.contains(&text), "{said}");
    }
    // The default folder need not be named, and no command makes a database that cannot be.
    let (line, _, _) = heard(&["--game", "8x8", "--db", "egdb", "--pieces", "2"]);
    assert!(line.ends_with("; this makes it: prove db --game 8x8 --pieces 2\n"), "{line}");
    let (line, _, status) = heard(&["--game", "4x4", "--pieces", "20", "--db", empty]);
    assert!(!line.contains("prove db") && status == Some(4), "{line}");
    // One that covers less than was asked for is another one.
    write_database(&place.db(), &database(&board("4x4"), 3), 3);
    let db = place.db();
    let db = db.to_str().unwrap();
    let (line, said, status) = heard(&["--game", "4x4", "--pieces", "4", "--db", db]);
    assert!(line.starts_with("s REFUTED database-manifest ") && status == Some(1), "{line}");
    let made = format!("this makes it: prove db --game 4x4 --pieces 4 --db {db}");
    let advice = format!("c the database of 4x4 there has pieces=3; {made}");
    assert!(said.lines().any(|line| line == advice), "{said}");
}

#[test]
fn a_shard_says_how_not_to_read_values_again() {
    let place = Place::new();
    write_database(&place.db(), &database(&board("5x5"), 4), 4);
    let (db, tables) = (place.db(), place.0.path().join("tables"));
    let (db, tables) = (db.to_str().unwrap(), tables.to_str().unwrap());
    let run = |more: &[&str]| {
        let (line, said, status) = heard(&[&["--game", "5x5", "--db", db], more].concat());
        assert!(line.starts_with("s VERIFIED SHARD ") && status == Some(5), "{line}");
        said.contains(" (--tables DIR) ")
    };
    // The first shard rests on no other.
    assert!(!run(&["--shard", "1/3"]) && run(&["--shard", "3/3"]));
    assert!(!run(&["--shard", "3/3", "--quiet"]));
    assert!(!run(&["--shard", "3/3", "--tables", tables]));
}

/// Whatever the names of files and folders are, a line has at most 600 characters, and a command
/// is whole.
#[test]
fn long_names() {
    let place = certificate();
    let cert = place.cert();
    let is_short = |text: &str| text.lines().all(|line| line.chars().count() <= 600);
    let folder = place.0.path().join("x".repeat(250));
    let folder = folder.to_str().unwrap();
    let (line, said, _) = heard(&["--game", "4x4", "--pieces", "3", "--db", folder]);
    assert!(is_short(&line) && is_short(&said), "{line}{said}");
    assert!(line.ends_with(&format!(" prove db --game 4x4 --pieces 3 --db {folder}\n")), "{line}");
    let name = std::ffi::OsString::from_vec(vec![0xff; 255]);
    std::fs::write(cert.join("objects").join(name), "").unwrap();
    let (line, said, status) = heard(&[cert.to_str().unwrap()]);
    assert!(is_short(&line) && is_short(&said), "{line}{said}");
    assert!(line.starts_with("s REFUTED listing file=objects/%ff%ff"), "{line}");
    assert_eq!(status, Some(1));
    // A note has the whole name.
    let note = place.0.path().join("note");
    heard(&[cert.to_str().unwrap(), "--attest", note.to_str().unwrap()]);
    let note = std::fs::read_to_string(note).unwrap();
    assert!(note.contains(&"%ff".repeat(255)), "{note}");
}

#[test]
fn wrong_usage() {
    for arguments in [
        &[][..],
        &["--nonsense"],
        &["cert", "--game", "8x8"],
        &["cert", "--pieces", "4"],
        &["--game", "9x9"],
        &["cert", "--threads", "0"],
        &["cert", "--level", "high"],
        &["cert", "--memory", "4GB"],
        &["cert", "--memory", "20000000000GiB"],
        &["a", "b"],
    ] {
        let (line, status) = check(arguments);
        assert_eq!(status, Some(4), "{arguments:?}");
        assert!(line.starts_with("s ERROR usage: ") && line.matches('\n').count() == 1, "{line}");
        assert!(!line.trim_end().ends_with(':'), "{line}");
    }
    let (line, _) = check(&[]);
    assert!(line.ends_with(" arguments were not provided: <CERT>\n"), "{line}");
    let (line, status) = check(&["/nowhere\ns VERIFIED"]);
    assert_eq!(status, Some(4));
    assert!(line.starts_with("s ERROR cannot read ") && line.matches('\n').count() == 1, "{line}");
}

#[test]
fn help_and_version() {
    let (text, status) = check(&["--help"]);
    assert_eq!(status, Some(0));
    assert!(text.contains("Exit status") && text.contains("Memory") && !text.starts_with("s "));
    assert_eq!(check(&["help"]), (text, Some(0)));
    // A page: the commands, the folder of databases, the statuses, and where the rest stands.
    let (text, status) = check(&["-h"]);
    assert!(status == Some(0) && text.lines().count() <= 20, "{text}");
    for words in ["merge", "--db DIR", "s VERIFIED  ", "4  s ERROR", "check --help has all"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(check(&["merge", "-h"]).0.contains("--require"));
    let (text, status) = check(&["--version"]);
    assert_eq!((text.trim(), status), (concat!("check ", env!("CARGO_PKG_VERSION")), Some(0)));
}

#[test]
fn a_verdict_that_cannot_be_written_is_no_acceptance() {
    let place = certificate();
    let cert = place.cert();
    let said = |arguments: &[&str], standard_output: Stdio| {
        let program = assert_cmd::cargo::cargo_bin("check");
        let mut command = std::process::Command::new(program);
        let mut child =
            command.args(arguments).stdout(standard_output).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        (String::from_utf8(output.stderr).unwrap(), output.status.code())
    };
    let full = || Stdio::from(OpenOptions::new().write(true).open("/dev/full").unwrap());
    let cert = cert.to_str().unwrap();
    for (output, why) in [(full(), "No space left"), (Stdio::piped(), "Broken pipe")] {
        let (err, status) = said(&[cert], output);
        assert_eq!(status, Some(4));
        let last = err.lines().last().unwrap();
        assert!(last.starts_with(&format!("check: standard output: {why}")), "{err}");
        assert!(last.contains("this was not written: s VERIFIED DRAW 4x4 "), "{err}");
        assert!(!err.contains("proved"), "{err}");
    }
    for arguments in [&["--help"][..], &["explain", cert], &[cert, "--quiet"], &["--nonsense"]] {
        let (err, status) = said(arguments, full());
        assert!(status == Some(4) && err.contains("standard output: No space left"), "{err}");
    }
    assert!(heard(&[cert]).1.contains("check: proved: 4x4 "));
}

/// REFUTED is for certificates, and a sentence says what is wrong with one.
#[test]
fn folders_that_are_no_certificates() {
    let place = certificate();
    let folder = place.0.path().join("folder");
    write_database(&folder.join("egdb"), &database(&board("4x4"), 3), 3);
    for path in
        [folder.clone(), folder.join("egdb"), folder.join("egdb/4x4"), place.cert().join("objects")]
    {
        let path = path.to_str().unwrap();
        let (line, said, status) = heard(&[path]);
        let text = format!("the folder {path} is no certificate: it has no CLAIM");
        assert_eq!((&*line, status), (&*format!("s ERROR {text}\n"), Some(4)));
        assert!(said.ends_with(&format!("check: not checked: {text}\n")), "{said}");
    }
    let spoilt = |spoil: &dyn Fn(&std::path::Path), sentence: &str| {
        let place = certificate();
        spoil(&place.cert());
        let (line, said, status) = heard(&[place.cert().to_str().unwrap()]);
        assert!(line.starts_with("s REFUTED ") && status == Some(1), "{line}");
        assert!(said.contains(&format!("check: refuted: {sentence}")), "{said}");
    };
    let object = |p: &std::path::Path| {
        std::fs::read_dir(p.join("objects")).unwrap().next().unwrap().unwrap().path()
    };
    let stray = "a file is there that is not listed; move it away and check again: .DS_Store";
    spoilt(&|p| std::fs::write(p.join(".DS_Store"), "Bud1").unwrap(), stray);
    spoilt(&|p| std::fs::remove_file(p.join("CLAIM")).unwrap(), "a file is missing: CLAIM");
    spoilt(&|p| std::fs::remove_file(p.join("MANIFEST")).unwrap(), "a file is missing: MANIFEST");
    spoilt(&|p| std::fs::write(object(p), "x").unwrap(), "the file is damaged, or is another");
}

/// The shell's limit lets a file have no bytes, as a full disk does.
#[test]
fn a_key_that_finds_no_room_leaves_nothing_and_is_made_by_the_next_try() {
    let place = Place::new();
    std::fs::create_dir_all(place.cert()).unwrap();
    let check = Command::cargo_bin("check").unwrap();
    for (limit, status) in [("trap '' XFSZ; ulimit -f 0", 4), ("true", 0)] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{limit}; exec \"$0\" keygen alice --key alice.key")]);
        let output = shell.arg(check.get_program()).current_dir(place.cert()).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert_eq!(said.contains("no space left on"), status == 4, "{said}");
        let files: Vec<_> = std::fs::read_dir(place.cert()).unwrap().map(Result::unwrap).collect();
        assert_eq!(files.len(), usize::from(status == 0), "{files:?}");
    }
}
