//! A note that was read.
//!
//! A note is three lines of text, and signatures of them in the form of signed notes (C2SP). Lines
//! after that which begin with `# ` are not signed and are ignored.

use crate::keys::PublicKey;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use certificate_spec::Digest;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The first line of every note.
pub const HEAD: &str = "draughtproof note 1";
/// The most bytes of a note.
const MOST: u64 = 1 << 20;

/// The text of a note, and its signatures: names and bytes.
pub type Whole<'a> = (&'a str, &'a [(String, Vec<u8>)]);

/// A note that was read.
pub struct Note {
    /// The path of the file that it was read from.
    pub file: PathBuf,
    /// The digest of the signed text.
    pub digest: Digest,
    text: String,
    signatures: Vec<(String, Vec<u8>)>,
}

/// Opens a file with these options, without waiting for a pipe or device. Returns `None` for
/// anything but an ordinary file, whatever the path named a moment before.
///
/// # Errors
/// The file cannot be opened.
pub fn open_ordinary(path: &Path, options: &mut OpenOptions) -> io::Result<Option<File>> {
    let file = options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

impl Note {
    /// Reads a note.
    ///
    /// # Errors
    /// Why the file cannot be read, or why it is not a note; the text does not name the file.
    pub fn read(path: &Path) -> Result<Note, String> {
        let wrong = |what: &str| format!("not a note: {what}");
        let file = open_ordinary(path, OpenOptions::new().read(true)).map_err(|e| e.to_string())?;
        let file = file.ok_or_else(|| wrong("not an ordinary file"))?;
        let mut bytes = Vec::new();
        file.take(MOST + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
        if bytes.len() as u64 > MOST {
            return Err(wrong("too long"));
        }
        let all = str::from_utf8(&bytes).map_err(|_| wrong("not UTF-8"))?;
        let mut lines: Vec<&str> = all.split_inclusive('\n').collect();
        while lines.last().is_some_and(|line| line.starts_with("# ")) {
            lines.pop();
        }
        let all = lines.concat();
        let (text, lines) = match all.rfind("\n\n") {
            Some(at) => (&all[..=at], &all[at + 2..]),
            None => (&all[..], ""),
        };
        let signature = |line: &str| {
            let (name, bytes) = line.strip_prefix("— ")?.split_once(' ')?;
            Some((name.to_string(), BASE64.decode(bytes).ok()?))
        };
        let signatures: Option<Vec<_>> = lines.lines().map(signature).collect();
        let signatures = signatures.ok_or_else(|| wrong("a line that is no signature"))?;
        let lines: Vec<&str> = text.split('\n').collect();
        if lines.len() != 4
            || lines[0] != HEAD
            || checker_of(lines[2]).is_none()
            || !lines[3].is_empty()
        {
            return Err(wrong("expected three lines, the first of them: draughtproof note 1"));
        }
        let plain = |b: u8| b == b' ' || b.is_ascii_graphic();
        if !text.bytes().all(|b| plain(b) || b == b'\n') {
            return Err(wrong("not printable ASCII"));
        }
        Ok(Note {
            digest: Digest::of(text.as_bytes()),
            text: text.into(),
            signatures,
            file: path.into(),
        })
    }

    /// The text and the signatures: two notes with equal ones say the same.
    pub fn whole(&self) -> Whole<'_> {
        (&self.text, &self.signatures)
    }

    /// The words of the verdict, without its `s`.
    pub fn verdict(&self) -> &str {
        self.text.lines().nth(1).unwrap_or_default()
    }

    /// The name of the implementation of the checker that wrote the note.
    pub fn checker(&self) -> &str {
        self.text.lines().nth(2).and_then(checker_of).unwrap_or_default()
    }

    /// The indices of those of these keys that have signed the note.
    ///
    /// # Errors
    /// The name of a key whose signature on the note is wrong.
    pub fn signers(&self, keys: &[PublicKey]) -> Result<BTreeSet<usize>, String> {
        let mut signers = BTreeSet::new();
        // A signature may stand there many times, and is verified once.
        let signatures: BTreeSet<_> = self.signatures.iter().collect();
        for (name, bytes) in signatures {
            let Some((id, signature)) = bytes.split_at_checked(4) else { continue };
            let Some(i) = keys.iter().position(|key| key.name == *name && key.id == id) else {
                continue;
            };
            let has_signed = signature
                .try_into()
                .is_ok_and(|signature| keys[i].has_signed(self.text.as_bytes(), signature));
            if !has_signed {
                return Err(name.clone());
            }
            signers.insert(i);
        }
        Ok(signers)
    }
}

/// The name in a line `checker <name> <version> <digest or what its maker says>`.
fn checker_of(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix("checker ")?.split_once(' ')?;
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (!name.is_empty() && name.bytes().all(plain) && !rest.is_empty()).then_some(name)
}
