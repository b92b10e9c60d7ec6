//! Tests of the CheckerBoard API by programs that call its functions.

#[path = "../../egdb-c/tests/support/mod.rs"]
mod support;

use std::mem::{offset_of, size_of};
use std::path::Path;
use std::process::Command;

use draughtproof_checkerboard::board::CBmove;
use support::{HERE, build, compile, libraries, output};

#[test]
fn a_c_program_sees_the_same_move() {
    let directory = tempfile::tempdir().expect("a directory");
    let said = output(compile("checkerboard", directory.path()).current_dir(directory.path()));
    let layout = [
        size_of::<CBmove>(),
        offset_of!(CBmove, jumps),
        offset_of!(CBmove, newpiece),
        offset_of!(CBmove, oldpiece),
        offset_of!(CBmove, from),
        offset_of!(CBmove, to),
        offset_of!(CBmove, path),
        offset_of!(CBmove, del),
        offset_of!(CBmove, delpiece),
    ];
    let numbers = layout.map(|number| number.to_string()).join(" ");
    assert_eq!(said, format!("{numbers}\nthe move is as it is told\n"));
}

/// The rules are those of the Python reference, which shares no code with the library.
#[test]
#[ignore = "needs python3"]
fn a_python_program_plays() {
    let directory = tempfile::tempdir().expect("a directory");
    build(&directory.path().join("egdb"), "3", true, false);
    let said = output(
        Command::new("python3")
            .args(["-B"])
            .arg(Path::new(HERE).join("tests/checkerboard.py"))
            .arg(libraries().join(library_name()))
            .arg(Path::new(HERE).join("../../certificate-spec/reference"))
            .current_dir(directory.path()),
    );
    assert!(said.ends_with("all as expected\n"), "{said}");
}

fn library_name() -> String {
    let prefix = std::env::consts::DLL_PREFIX;
    let suffix = std::env::consts::DLL_SUFFIX;
    format!("{prefix}draughtproof_checkerboard{suffix}")
}
