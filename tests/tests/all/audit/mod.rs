//! Audits in parts: shards, notes, samples.

mod hostile;
mod samples;
mod shards;
mod signatures;
mod trust;

use std::ops::Deref;

use tests::prelude::*;

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

/// A temporary folder.
struct Place(tempfile::TempDir);

impl Place {
    fn empty() -> Place {
        Place(tempfile::tempdir().unwrap())
    }
}

impl Deref for Place {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// A certificate to audit, with nodes, leaves, and a database.
fn certificate(options: &str) -> Place {
    let here = Place::empty();
    prove(&words(&format!("{options} --emit cert --quiet")), &here);
    here
}

/// A small certificate of a draw.
fn draw() -> Place {
    certificate("--game 4x4 --pieces 3 --leaf-nodes 3")
}

/// Makes a key in the file `name`, and returns the line of the public key.
fn keygen(name: &str, here: &Path) -> String {
    let output = run(&path("check"), &["keygen", name, "--key", name], here);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A small certificate, and keys of alice, bob and mallory, of whom the first two are trusted.
fn place() -> Place {
    let here = draw();
    let [alice, bob, _] = ["alice", "bob", "mallory"].map(|name| keygen(name, &here));
    fs::write(here.join("trusted"), alice + &bob).unwrap();
    here
}

/// Merges notes, and expects an acceptance with these words in the verdict.
fn accepted(text: &str, words: &str, here: &Path) {
    let said = merge(text, here);
    assert_eq!(said.status, Some(0), "{text}: {said:?}");
    assert!(said.verdict.contains(words), "{text}: {said:?}");
}

/// Merges notes, expects a verdict that begins with these words, and returns it.
fn refused(text: &str, words: &str, here: &Path) -> String {
    let said = merge(text, here);
    assert!(said.verdict.starts_with(&format!("s {words}")), "{text}: {said:?}");
    assert!(matches!(said.status, Some(3 | 4)), "{text}: {said:?}");
    said.verdict
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

fn field(here: &Path, note: &str, name: &str) -> String {
    let text = fs::read_to_string(here.join(note)).unwrap();
    let found = text.split([' ', '\n']).find_map(|word| word.strip_prefix(&format!("{name}=")));
    found.unwrap().to_string()
}
