//! Audits in parts: shards, notes, samples.

mod hostile;
mod journals;
mod partial;
mod samples;
mod shards;
mod signatures;
mod trust;

use std::fs;
use std::path::Path;

use tests::programs::{Said, check, prove};

fn words(text: &str) -> Vec<&str> {
    text.split(' ').filter(|word| !word.is_empty()).collect()
}

/// Runs `check` with these arguments, without progress.
fn say(text: &str, here: &Path) -> Said {
    check(&words(&format!("{text} --quiet")), here)
}

/// Runs `check merge` with these arguments; it has no progress.
fn merge(text: &str, here: &Path) -> Said {
    check(&words(&format!("merge {text}")), here)
}

/// A certificate to audit, with nodes, leaves, and a database.
fn certificate(options: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    prove(&words(&format!("{options} --emit cert --quiet")), root.path());
    root
}

/// Checks all `of` shards, each with a note `NAME-I.note`; returns the names of the notes.
fn shards(here: &Path, of: u32, name: &str, more: &str) -> Vec<String> {
    let one = |i| {
        let note = format!("{name}-{i}.note");
        // An existing note is never overwritten.
        let _ = fs::remove_file(here.join(&note));
        let said = say(&format!("cert --shard {i}/{of} --attest {note} {more}"), here);
        assert_eq!(said.status, Some(5), "{said:?}");
        assert!(said.verdict.starts_with(&format!("s VERIFIED SHARD {i}/{of} ")), "{said:?}");
        note
    };
    (1..=of).map(one).collect()
}

/// The value of a field of a note.
fn field(here: &Path, note: &str, name: &str) -> String {
    let text = fs::read_to_string(here.join(note)).unwrap();
    let found = text.split([' ', '\n']).find_map(|word| word.strip_prefix(&format!("{name}=")));
    found.unwrap().to_string()
}
