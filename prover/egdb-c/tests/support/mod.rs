//! Helpers for tests with programs that use the library of a crate.

use std::path::{Path, PathBuf};
use std::process::Command;

use draughtproof_egdb::{BuildSession, Store, extend, extend_depths};
use draughtproof_game::Board;

pub const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// The directory of the shared library, which is that of the test.
pub fn libraries() -> PathBuf {
    let beside = std::env::current_exe().expect("this test");
    beside.parent().expect("its directory").to_path_buf()
}

/// Builds the 8x8 database of a cover, with depths, mapped tables or neither.
pub fn build(directory: &Path, cover: &str, with_depths: bool, with_tables: bool) {
    let board = Board::new(8, 8).expect("a board");
    let store = Store::new(directory, &board);
    let _lock = store.lock().expect("the only builder");
    let cover = cover.parse().expect("a cover");
    let session = || BuildSession::new(&store, &cover, 1 << 30).expect("a store");
    extend(&mut session(), |_| ()).expect("a database");
    if with_depths {
        extend_depths(&mut session(), |_| ()).expect("depths");
    }
    if with_tables {
        session().map(1 << 30, |_| ()).expect("tables");
    }
}

/// Compiles a C program of the tests, linked to the library of the crate, into a directory; returns
/// a command that runs it.
pub fn compile(name: &str, directory: &Path) -> Command {
    let program = directory.join(Path::new(name).file_name().expect("a name"));
    let compiler = std::env::var("CC").unwrap_or("cc".into());
    let compiled = Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(Path::new(HERE).join("include"))
        .arg(Path::new(HERE).join("tests").join(name).with_extension("c"))
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(libraries())
        .arg(format!("-l{}", env!("CARGO_PKG_NAME").replace('-', "_")))
        .arg(format!("-Wl,-rpath,{}", libraries().display()))
        .output()
        .expect("a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let mut command = Command::new(program);
    // Cargo's value of it may name a directory with an older library.
    command.env_remove("LD_LIBRARY_PATH");
    command
}

/// Runs a program that must succeed; returns its output.
pub fn output(command: &mut Command) -> String {
    let run = command.output().expect("the program");
    let said = String::from_utf8_lossy(&run.stderr);
    let out = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{out}{said}");
    out
}
