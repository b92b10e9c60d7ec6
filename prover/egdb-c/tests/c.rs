//! C programs that use the library, and the headers that they include.

mod support;

use std::path::Path;

use support::{HERE, build, compile, output};

#[test]
fn the_header_is_up_to_date() {
    let config = cbindgen::Config::from_root_or_default(HERE);
    let mut made = Vec::new();
    cbindgen::Builder::new()
        .with_src(Path::new(HERE).join("src/database.rs"))
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
    build(directory.path(), "4:2", false, true);
    let said = output(compile("probe", directory.path()).arg(directory.path()));
    assert_eq!(said, "all values as expected\n");
}
