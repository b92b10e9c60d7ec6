//! The programs under test, as a user runs them.
//!
//! Python packages from PyPI that tests need.

use crate::prelude::*;
pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process};
use std::sync::OnceLock;

/// The directory that `prove` and `check` are built into.
fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        // A test's own program lies in <target>/<profile>/deps.
        let me = std::env::current_exe().expect("the path of this program");
        let profile = me
            .ancestors()
            .nth(if me.ancestors().nth(1).is_some_and(|d| d.ends_with("deps")) { 2 } else { 1 });
        let profile = profile.expect("a profile directory").to_path_buf();
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        // The whole workspace is built, with examples: only then all dependencies have the features
        // that they have in tests of the workspace. Otherwise a third of it would be compiled once
        // more.
        cargo.args(["build", "--quiet", "--workspace", "--bins", "--examples"]);
        // Variables that cargo sets for this test's package would make build scripts that look at
        // them run again, and everything that depends on those be compiled again.
        for (name, _) in std::env::vars_os() {
            let of_package =
                ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_EXE_", "CARGO_CRATE_NAME"];
            if of_package.iter().any(|start| name.to_string_lossy().starts_with(start)) {
                cargo.env_remove(name);
            }
        }
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        cargo.arg("--target-dir").arg(profile.parent().expect("a target directory"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        assert!(cargo.status().expect("cargo runs").success(), "the programs do not build");
        profile
    })
}

/// The path of `prove` or `check`.
pub fn path(name: &str) -> PathBuf {
    directory().join(name)
}

pub fn run(program: &Path, arguments: &[&str], directory: &Path) -> Output {
    let output = Command::new(program).args(arguments).current_dir(directory).output();
    output.unwrap_or_else(|e| panic!("{} does not start: {e}", program.display()))
}

/// Starts a program with pipes in place of its standard input, output and error.
pub fn start(program: &str, arguments: &[&str], directory: &Path) -> Child {
    let mut command = Command::new(path(program));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.args(arguments).current_dir(directory).spawn().expect("it starts")
}

/// Runs a program with this on its standard input.
pub fn ask(program: &str, arguments: &[&str], directory: &Path, input: &[u8]) -> Output {
    let mut child = start(program, arguments, directory);
    child.stdin.take().expect("a pipe").write_all(input).expect("it reads");
    child.wait_with_output().expect("it ends")
}

/// The standard output and standard error of a program as texts, and its status.
pub fn texts(output: Output) -> (String, String, Option<i32>) {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// Sends a signal to a program that was started here and has not been waited for.
pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("a process takes signals");
}

/// Runs `prove` in a directory; it must succeed. Returns its standard output.
pub fn prove(arguments: &[&str], directory: &Path) -> String {
    let output = run(&path("prove"), arguments, directory);
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "prove {arguments:?} failed: {out}{err}");
    out.into_owned()
}

/// Runs `prove` in a directory; it must end with this status, and say these words. Returns its
/// standard error.
pub fn fails(directory: &Path, arguments: &[&str], status: i32, words: &[&str]) -> String {
    let output = run(&path("prove"), arguments, directory);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
    for words in words {
        assert!(said.contains(words), "{arguments:?}: no {words:?} in {said}");
    }
    assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    said
}

/// The output of a checker: the verdict line and the exit status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The last line on standard output.
    pub verdict: String,
    /// The exit status, if the checker ended by itself.
    pub status: Option<i32>,
}

impl Said {
    /// The words of the verdict that `SPEC.md` requires: all but those that are for people.
    pub fn normative(&self) -> Vec<&str> {
        let words = self.verdict.split(' ');
        if self.verdict.starts_with("s ERROR") {
            return words.take(2).collect();
        }
        words.filter(|word| !word.starts_with("expected=") && !word.starts_with("found=")).collect()
    }
}

/// Runs a checker, which must print exactly one verdict line, as the last line of its output.
///
/// # Errors
/// The output, if it is not so.
pub fn check_with(checker: &Path, arguments: &[&str], directory: &Path) -> Result<Said, String> {
    let output = run(checker, arguments, directory);
    let out = String::from_utf8_lossy(&output.stdout);
    let verdicts = out.lines().filter(|line| line.starts_with("s ")).count();
    match out.lines().last() {
        Some(last) if last.starts_with("s ") && verdicts == 1 && out.ends_with('\n') => {
            Ok(Said { verdict: last.into(), status: output.status.code() })
        }
        _ => Err(format!("no single verdict line at the end of {out:?}")),
    }
}

/// Runs `check`.
pub fn check(arguments: &[&str], directory: &Path) -> Said {
    check_with(&path("check"), arguments, directory).unwrap_or_else(|e| panic!("{e}"))
}

/// A package with its version, such as `pydraughts==0.6.7`, and its dependencies, in a separate
/// folder in `place` that is kept between runs.
pub fn package(name: &str, place: &Path) -> PathBuf {
    let kept = place.join(name);
    if kept.exists() {
        return kept;
    }
    let new = tempfile::tempdir_in(place).expect("a directory");
    let folder = new.path().join("package");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]);
    let output = pip.arg(&folder).arg(name).output().expect("python3 is needed here");
    assert!(
        output.status.success(),
        "{name} is needed here and cannot be installed: python3 with pip (Debian: python3-pip) and \
         access to PyPI are needed; or copy it to {}\n{}",
        kept.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    // Another run may have installed it meanwhile.
    let _ = fs::rename(&folder, &kept);
    kept
}
