//! C programs that use the library, and the headers that they include.

mod support;

use std::path::Path;

// Rust code does not use the library that the programs link to; this makes sure that it is built.
use draughtproof_egdb_c as _;
use support::{HERE, build, compile, output};

#[test]
fn the_header_is_up_to_date() {
    let config = cbindgen::Config::from_root_or_default(HERE);
    let mut made = Vec::new();
    let sources = ["database.rs", "files.rs", "moves.rs"];
    let builder = cbindgen::Builder::new().with_config(config);
    sources
        .iter()
        .fold(builder, |builder, file| builder.with_src(Path::new(HERE).join("src").join(file)))
        .generate()
        .expect("a header")
        .write(&mut made);
    let path = Path::new(HERE).join("include/draughtproof_egdb.h");
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(&path, &made).expect("the header");
    }
    let there = std::fs::read_to_string(&path).expect("the header");
    let made = String::from_utf8(made).expect("text");
    assert!(there == made, "{} differs: UPDATE_HEADER=1 makes it anew", path.display());
}

#[test]
fn a_c_program_looks_positions_up() {
    let directory = tempfile::tempdir().expect("a directory");
    build(directory.path(), "4:2", true, true);
    let said = output(compile("probe", directory.path()).arg(directory.path()));
    assert_eq!(said, "all values as expected\n");
}

/// The example of the guide works with any database.
#[test]
fn the_example_shows_what_is_there() {
    let directory = tempfile::tempdir().expect("a directory");
    build(directory.path(), "3", true, false);
    let run = |arguments: &[&str]| {
        let mut command = compile("../examples/probe", directory.path());
        output(command.arg(directory.path()).args(arguments))
    };
    assert!(run(&[]).starts_with("8x8\tat most 3 pieces (3)\t"));
    let said = run(&["B:WK18:BK29,K31", "B:WK32:BK1"]);
    let lines: Vec<&str> = said.lines().skip(1).collect();
    assert!(lines[0].starts_with("B:WK18:BK29,K31\twin, "), "{said}");
    assert!(lines[0].ends_with(" plies"), "{said}");
    assert!(lines[1].starts_with("  ") && lines[1].contains("\twin, "), "{said}");
    assert!(lines.contains(&"B:WK32:BK1\tdraw"), "{said}");
}
