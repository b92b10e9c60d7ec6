//! The advice of `prove db` names options of the command that failed.

use std::path::Path;
use std::process::{Command, Output};

fn prove(line: &str, directory: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove"));
    command.args(line.split_whitespace()).current_dir(directory).output().unwrap()
}

#[test]
fn advice_names_options_of_the_command_that_failed() {
    let place = tempfile::tempdir().unwrap();
    assert!(prove("db --game 4x4 --pieces 3 -q", place.path()).status.success());
    let output = prove("db map --game 4x4 --memory 1", place.path());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("--memory") && !said.contains("--partly"), "{said}");
}
