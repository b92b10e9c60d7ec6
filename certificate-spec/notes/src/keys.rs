//! Keys for notes: Ed25519, written in the format of Go's `sumdb/note`.
//!
//! A public key is `name+id+base64` with the bytes 1 and the 32 of the key; the id is the first
//! four bytes of the SHA-256 of the name, a line feed and these bytes. A private key is
//! `PRIVATE+KEY+name+id+base64` with the 32 bytes of the seed instead.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use certificate_spec::text::without_mark;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The byte that stands for Ed25519 in the text of a key.
const ALGORITHM: u8 = 1;
const PRIVATE: &str = "PRIVATE+KEY+";

/// A public key, which verifies signatures.
#[derive(Clone)]
pub struct PublicKey {
    /// The name of the key's owner.
    pub name: String,
    /// The first four bytes of the SHA-256 of name and key.
    pub id: [u8; 4],
    key: VerifyingKey,
}

/// A private key, which signs.
pub struct PrivateKey {
    /// The public key that verifies what this key signs.
    pub public: PublicKey,
    key: SigningKey,
}

fn id_of(name: &str, key: &VerifyingKey) -> [u8; 4] {
    let mut hash = Sha256::new();
    hash.update(name);
    hash.update(b"\n");
    hash.update([ALGORITHM]);
    hash.update(key.as_bytes());
    let hash = hash.finalize();
    std::array::from_fn(|i| hash[i])
}

fn hex(id: [u8; 4]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name, the id and the 32 bytes of a key's text.
fn read(text: &str) -> Option<(&str, &str, [u8; 32])> {
    let (name, rest) = text.split_once('+')?;
    let (id, bytes) = rest.split_once('+')?;
    let bytes = BASE64.decode(bytes).ok()?;
    let (algorithm, key) = bytes.split_first()?;
    let key = key.try_into().ok()?;
    (is_name(name) && *algorithm == ALGORITHM).then_some((name, id, key))
}

fn is_name(name: &str) -> bool {
    // In a file of keys a line that begins with # is a comment.
    let plain = |b: u8| b.is_ascii_graphic() && b != b'+';
    !name.is_empty() && !name.starts_with('#') && name.bytes().all(plain)
}

fn write(name: &str, id: [u8; 4], key: &[u8; 32]) -> String {
    format!("{name}+{}+{}", hex(id), BASE64.encode([&[ALGORITHM], &key[..]].concat()))
}

impl PublicKey {
    /// Reads the text of a public key.
    pub fn parse(text: &str) -> Option<PublicKey> {
        let (name, id, bytes) = read(text)?;
        let key = VerifyingKey::from_bytes(&bytes).ok()?;
        let public = PublicKey { name: name.into(), id: id_of(name, &key), key };
        (hex(public.id) == id).then_some(public)
    }

    /// The key as a line of text.
    pub fn text(&self) -> String {
        write(&self.name, self.id, self.key.as_bytes())
    }

    /// Whether the key's owner has signed this text. Signatures that could be those of another key
    /// do not count.
    pub fn has_signed(&self, text: &[u8], signature: &[u8; 64]) -> bool {
        self.key.verify_strict(text, &Signature::from_bytes(signature)).is_ok()
    }
}

impl PrivateKey {
    fn new(name: &str, seed: &[u8; 32]) -> PrivateKey {
        let key = SigningKey::from_bytes(seed);
        let verifying = key.verifying_key();
        let public = PublicKey { name: name.into(), id: id_of(name, &verifying), key: verifying };
        PrivateKey { public, key }
    }

    fn parse(text: &str) -> Option<PrivateKey> {
        let (name, id, seed) = read(text.strip_prefix(PRIVATE)?)?;
        Some(PrivateKey::new(name, &seed)).filter(|key| hex(key.public.id) == id)
    }

    /// Reads a private key from a file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a private key.
    pub fn open(path: &Path) -> Result<PrivateKey, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let wrong =
            || format!("{}: expected a private key as `check keygen` writes it", path.display());
        PrivateKey::parse(without_mark(&text).trim_end()).ok_or_else(wrong)
    }

    /// The signature of a text.
    pub fn sign(&self, text: &[u8]) -> [u8; 64] {
        self.key.sign(text).to_bytes()
    }

    /// Makes a key, and writes it to a new file that only its owner can read.
    pub fn generate(name: &str, path: &Path) -> Result<PrivateKey, String> {
        if !is_name(name) {
            return Err(format!(
                "{name:?}: expected a name without blanks and +, and without # at its beginning"
            ));
        }
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|e| format!("no random numbers: {e}"))?;
        let key = PrivateKey::new(name, &seed);
        let text = format!("{PRIVATE}{}\n", write(name, key.public.id, &seed));
        write_new(path, text.as_bytes()).map_err(|error| of_file(path, &error))?;
        Ok(key)
    }
}

/// Writes a new file that only its owner can read. The file is there whole or not at all.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = path.with_file_name(format!(".unfinished-{name}"));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // A killed process may have left it.
    let _ = fs::remove_file(&unfinished);
    let written = options.open(&unfinished).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        match fs::hard_link(&unfinished, path) {
            // Not every file system has links, and a renamed file replaces another.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists && !path.exists() => {
                fs::rename(&unfinished, path)
            }
            linked => linked,
        }
    });
    let _ = fs::remove_file(&unfinished);
    written
}

/// The error of a file as text; where the disk is full, with its directory and what to do.
pub fn of_file(path: &Path, error: &io::Error) -> String {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    if !matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge) {
        return format!("{}: {error}", path.display());
    }
    let directory = path.parent().filter(|parent| *parent != Path::new(""));
    let directory = directory.unwrap_or(Path::new(".")).display();
    format!("{}: no space left on {directory}; make room there and try again", path.display())
}

/// The keys in a file, one a line; blank lines and lines that begin with # are ignored.
pub fn trusted(path: &Path) -> Result<Vec<PublicKey>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let lines = without_mark(&text)
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let key = |(i, line): (usize, &str)| {
        let wrong =
            || format!("{}: line {}: expected a public key, name+id+base64", path.display(), i + 1);
        PublicKey::parse(line).ok_or_else(wrong)
    };
    let keys = lines.map(key).collect::<Result<Vec<_>, _>>()?;
    // A key under two names would count one person as two.
    let twice = |(i, key): (usize, &PublicKey)| keys[..i].iter().any(|k| k.key == key.key);
    match keys.iter().enumerate().find(|&(i, key)| twice((i, key))) {
        Some((_, key)) => {
            Err(format!("{}: the key of {} is there twice", path.display(), key.name))
        }
        None => Ok(keys),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in the documentation of golang.org/x/mod/sumdb/note.
    #[test]
    fn keys_and_signatures_are_those_of_signed_notes() {
        let public = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let private =
            "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
        let key = PrivateKey::parse(private).unwrap();
        assert_eq!(key.public.text(), public);
        assert_eq!(PublicKey::parse(public).unwrap().text(), public);
        let text = b"If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
        let line = [&key.public.id[..], &key.sign(text)].concat();
        let signature = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=";
        assert_eq!(BASE64.encode(line), signature);
        assert!(key.public.has_signed(text, &key.sign(text)));
        assert!(!key.public.has_signed(b"", &key.sign(text)));
        for wrong in
            ["", "a+b", &public.replace("c7", "c8"), &public.replace("Peter", "Pet"), private]
        {
            assert!(PublicKey::parse(wrong).is_none(), "{wrong}");
        }
    }
}
