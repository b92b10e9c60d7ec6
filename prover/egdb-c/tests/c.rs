//! A C program that uses the interface, and the header that it includes.

use std::path::Path;
use std::process::Command;

use draughtproof_egdb::{BuildSession, Store, extend};
use draughtproof_game::Board;

/// What an engine would link to is not used here from Rust; this makes sure that it is built.
use draughtproof_egdb_c as _;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn the_header_is_up_to_date() {
    let config = cbindgen::Config::from_root_or_default(HERE);
    let mut made = Vec::new();
    cbindgen::Builder::new()
        .with_src(Path::new(HERE).join("src/lib.rs"))
        .with_config(config)
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
    let board = Board::new(8, 8).expect("a board");
    let store = Store::new(directory.path(), &board);
    let _lock = store.lock().expect("the only builder");
    let cover = "4:2".parse().expect("a cover");
    extend(&mut BuildSession::new(&store, &cover, 1 << 30).expect("a store"), |_| ())
        .expect("a database");
    let mut session = BuildSession::new(&store, &cover, 1 << 30).expect("a store");
    session.map(1 << 30, |_| ()).expect("tables");

    // The shared library lies beside this test.
    let beside = std::env::current_exe().expect("this test");
    let libraries = beside.parent().expect("its directory");
    let program = directory.path().join("probe");
    let compiler = std::env::var("CC").unwrap_or("cc".into());
    let compiled = Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(Path::new(HERE).join("include"))
        .arg(Path::new(HERE).join("tests/probe.c"))
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(libraries)
        .arg("-ldraughtproof_egdb_c")
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .output()
        .expect("a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&program)
        .arg(directory.path())
        // Cargo's names a directory in which an older library may lie.
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .expect("the program");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "all values as expected\n", "{said}");
}
