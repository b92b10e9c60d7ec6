//! The program `check`: usage, verdict line, exit status.

use crate::common::files::write_database;
use crate::common::maker::draw_4x4;
use crate::common::oracle::Oracle;
use crate::common::{Place, board, database};
use assert_cmd::Command;
use std::fs::OpenOptions;
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
    for level in ["exact", "consistent"] {
        let (line, status) = check(&["--db", db, "--game", "5x5/2", "--level", level]);
        assert_eq!(status, Some(0));
        assert!(line.starts_with("s VERIFIED DATABASE 5x5 pieces=3 "), "{line}");
    }
    let (line, status) = check(&["--db", db, "--game", "5x5", "--pieces", "1"]);
    assert_eq!((line.starts_with("s ERROR pieces"), status), (true, Some(4)));
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
    }
    let (line, status) = check(&["/nowhere\ns VERIFIED"]);
    assert_eq!(status, Some(4));
    assert!(line.starts_with("s ERROR cannot read ") && line.matches('\n').count() == 1, "{line}");
}

#[test]
fn help_and_version() {
    let (text, status) = check(&["--help"]);
    assert_eq!(status, Some(0));
    assert!(text.contains("Exit status") && text.contains("Memory") && !text.starts_with("s "));
    let (text, status) = check(&["--version"]);
    assert_eq!((text.trim(), status), (concat!("check ", env!("CARGO_PKG_VERSION")), Some(0)));
}

#[test]
fn a_verdict_that_cannot_be_written_is_no_acceptance() {
    let place = certificate();
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let program = assert_cmd::cargo::cargo_bin("check");
    let status = std::process::Command::new(&program)
        .arg(place.cert())
        .stdout(Stdio::from(full))
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(4));
    let mut child = std::process::Command::new(&program)
        .arg(place.cert())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(4));
}
