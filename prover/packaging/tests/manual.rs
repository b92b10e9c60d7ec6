//! The manual pages and completions of both programs are complete, and `man` and the shells accept
//! them.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the program under test.
fn manual(out: &Path, more: &[&str]) -> String {
    let mut manual = Command::new(env!("CARGO_BIN_EXE_manual"));
    let run = manual.args(more).arg("--out").arg(out).output();
    let run = run.expect("the program starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("text")
}

/// The text that `man` shows for a page; it must not warn about the page.
fn render(page: &Path) -> String {
    let mut man = Command::new("man");
    man.args(["--warnings=all", "--local-file", "-Tutf8", "-P", "cat"]).arg(page);
    let run = man.env("MANWIDTH", "100").env("LC_ALL", "C.UTF-8").output().expect("man");
    let warnings = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && warnings.is_empty(), "{}: {warnings}", page.display());
    let text = String::from_utf8(run.stdout).expect("text");
    // Bold and underlined letters are struck over, or have escape sequences of a terminal.
    let mut plain = Vec::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{8}' => drop(plain.pop()),
            '\u{1b}' => drop(letters.find(|c| *c == 'm')),
            letter => plain.push(letter),
        }
    }
    plain.into_iter().collect()
}

#[test]
#[ignore = "needs man"]
fn every_page_is_rendered_without_a_warning() {
    let out = tempfile::tempdir().expect("a directory");
    let said = manual(out.path(), &[]);
    let pages = fs::read_dir(out.path().join("man1")).expect("pages");
    let pages: Vec<_> = pages.map(|entry| entry.expect("a page").path()).collect();
    assert!(said.starts_with(&format!("{} pages", pages.len())), "{said}");
    for page in &pages {
        let text = render(page);
        assert!(text.contains("SYNOPSIS"), "{}: {text}", page.display());
    }
    let page = |name: &str| render(&out.path().join("man1").join(name));
    // Lines of examples stay lines, and paragraphs with a heading become sections.
    let prove = page("prove.1");
    assert!(prove.contains("\nEXAMPLES\n"), "{prove}");
    assert!(prove.contains("  prove --emit cert                          6x6: data"), "{prove}");
    assert!(prove.contains("\nEXIT STATUS\n") && prove.contains("prove-probe(1)"), "{prove}");
    let check = page("check.1");
    assert!(check.contains("\nEXIT STATUS\n") && check.contains("  0  s VERIFIED  "), "{check}");
    assert!(check.contains("\nMEMORY\n       For ") && check.contains("--journal"), "{check}");
    assert!(page("check-merge.1").contains("--require"));
    assert!(page("prove-db.1").contains("prove-db-unmap(1)"));
    assert!(page("prove-db-map.1").contains("--map-space"));
}

/// The completions that bash offers after some words, the last of which is incomplete.
fn complete(out: &Path, words: &[&str]) -> Vec<String> {
    let program = words[0];
    let script = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
        _$1 \"$1\" \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"; \
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let run = Command::new("bash")
        .args(["--norc", "-c", script, "bash"])
        .arg(out.join("bash").join(program))
        .args(words)
        .output()
        .expect("bash");
    assert!(run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("text").lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_values() {
    let out = tempfile::tempdir().expect("a directory");
    manual(out.path(), &[]);
    assert_eq!(complete(out.path(), &["prove", "ann"]), ["annotate"]);
    assert_eq!(complete(out.path(), &["prove", "probe", "--val"]), ["--values"]);
    let values = complete(out.path(), &["prove", "probe", "--values", ""]);
    assert_eq!(values, ["resident", "mapped", "cached"]);
    assert_eq!(complete(out.path(), &["check", "--lev"]), ["--level"]);
    assert_eq!(complete(out.path(), &["check", "--level", "c"]), ["consistent"]);
    assert_eq!(complete(out.path(), &["check", "reproduce", "--pr"]), ["--prove"]);
    for file in ["zsh/_prove", "zsh/_check", "fish/prove.fish", "fish/check.fish"] {
        let script = fs::read_to_string(out.path().join(file)).expect("a script");
        assert!(script.contains("threads"), "{file}");
    }
}

/// The Debian package has prefixed names, since other packages have programs with the short names.
#[test]
#[ignore = "needs man"]
fn names_may_have_a_prefix() {
    let out = tempfile::tempdir().expect("a directory");
    manual(out.path(), &["--prefixed"]);
    let page = render(&out.path().join("man1/draughtproof-prove.1"));
    assert!(page.contains("draughtproof-prove-probe(1)"), "{page}");
    assert!(out.path().join("man1/draughtproof-prove-probe.1").exists());
    assert!(out.path().join("bash/draughtproof-check").exists());
    let entries = fs::read_dir(out.path().join("man1")).expect("pages");
    let names = entries.map(|entry| entry.expect("a page").file_name());
    assert!(names.into_iter().all(|name| name.to_string_lossy().starts_with("draughtproof-")));
}
