//! Notes that say anything, signed by whoever has a key: what a check would not write.

use checker_audit::Draft;
use checker_audit::keys::PrivateKey;
use std::path::Path;

/// Writes a note with these words of a verdict, in the name of `check` and signed if there is a
/// key; over one that may be there.
///
/// # Panics
/// If it cannot be written.
pub fn write(path: &Path, words: &str, key: Option<&Path>) {
    let _ = std::fs::remove_file(path);
    let key = key.map(|key| PrivateKey::open(key).expect("a private key"));
    let draft = Draft::new(path, key, &[], &[]).expect("a place for a note");
    draft.write(words).expect("a note");
}

/// The words of the verdict in a note.
///
/// # Panics
/// If there is no note.
pub fn words(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a note");
    text.lines().nth(1).expect("a verdict").to_string()
}
