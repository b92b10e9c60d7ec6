//! Notes with any words, signed with any key: notes that a check would not write.

use crate::prelude::*;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use checker_audit::keys::PrivateKey;

/// Writes a note with these words of a verdict, in the name of `check`, signed if a key is given.
/// An existing file is overwritten.
pub fn write(path: &Path, words: &str, key: Option<&Path>) {
    let mut note =
        format!("draughtproof note 1\n{words}\nchecker draughtproof-check 0.1.0 unknown\n");
    if let Some(key) = key {
        let key = PrivateKey::open(key).expect("a private key");
        let signature = [&key.public.id[..], &key.sign(note.as_bytes())].concat();
        note += &format!("\n— {} {}\n", key.public.name, BASE64.encode(signature));
    }
    fs::write(path, note).expect("a note");
}

/// The words of the verdict in a note.
pub fn words(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a note");
    text.lines().nth(1).expect("a verdict").to_string()
}
