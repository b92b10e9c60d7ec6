//! Notes: what somebody says that `check` has said (`SPEC.md` §12).
//!
//! A note is three lines of text, and signatures of them in the form of signed notes (C2SP). What
//! comes after in lines that begin with `# ` is not signed and is not looked at.

use crate::keys::{PrivateKey, PublicKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use certificate_spec::Digest;
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const HEAD: &str = "draughtproof note 1";
/// The name of this implementation of the checker.
const NAME: &str = "draughtproof-check";
/// No note is longer.
const MOST: u64 = 1 << 20;

/// A note that was read.
pub struct Note {
    /// The file that it was in.
    pub file: String,
    /// The digest of the text.
    pub digest: Digest,
    text: String,
    signatures: Vec<(String, Vec<u8>)>,
}

impl Note {
    /// Reads a note.
    ///
    /// # Errors
    /// It cannot be read, or is no note.
    pub fn read(path: &Path) -> Result<Note, String> {
        let file = path.display().to_string();
        let wrong = |what: &str| format!("{file}: not a note: {what}");
        // Opening a pipe would wait for ever.
        let metadata = path.metadata().map_err(|e| format!("{file}: {e}"))?;
        if !metadata.is_file() {
            return Err(wrong("not an ordinary file"));
        }
        let mut bytes = Vec::new();
        let read = std::fs::File::open(path).and_then(|f| f.take(MOST + 1).read_to_end(&mut bytes));
        read.map_err(|e| format!("{file}: {e}"))?;
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
        Ok(Note { digest: Digest::of(text.as_bytes()), text: text.into(), signatures, file })
    }

    /// The words of the verdict, without its `s`.
    pub fn verdict(&self) -> &str {
        self.text.lines().nth(1).unwrap_or_default()
    }

    /// The name of the implementation that has checked.
    pub fn checker(&self) -> &str {
        self.text.lines().nth(2).and_then(checker_of).unwrap_or_default()
    }

    /// Its fields: words with a `=`.
    pub fn fields(&self) -> BTreeMap<&str, &str> {
        self.verdict().split(' ').filter_map(|word| word.split_once('=')).collect()
    }

    /// Which of these keys have signed it.
    ///
    /// # Errors
    /// The name of one that is said to have, and has not.
    pub fn signers(&self, keys: &[PublicKey]) -> Result<Vec<usize>, String> {
        let mut signers = Vec::new();
        for (name, bytes) in &self.signatures {
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
            if !signers.contains(&i) {
                signers.push(i);
            }
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

/// The digest of this program, or that it is not known.
fn program() -> String {
    // By this path the system gives the program that runs, whatever has become of its file.
    let path = Path::new("/proc/self/exe");
    std::fs::read(path).map_or("unknown".into(), |bytes| Digest::of(&bytes).to_string())
}

/// Whether a place, which need not be there yet, is in one of these folders.
pub fn is_among(place: &Path, closed: &[&Path]) -> bool {
    // The parent of a relative path is empty in the end.
    let there = place.ancestors().map(|path| if path == "" { Path::new(".") } else { path });
    let here = there.filter_map(|path| path.canonicalize().ok()).next();
    let is_in =
        |here: &Path, folder: &Path| folder.canonicalize().is_ok_and(|f| here.starts_with(f));
    here.is_some_and(|here| closed.iter().any(|folder| is_in(&here, folder)))
}

/// The directory that a path is in.
fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether two paths lead to the same file, which need not be there yet.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let parent = parent_of(path).canonicalize().ok()?;
        path.canonicalize().ok().or(Some(parent.join(path.file_name()?)))
    };
    place(one).is_some_and(|one| place(other) == Some(one))
}

/// A note to be written: all that can go wrong with it does so before the check.
pub struct Draft {
    path: PathBuf,
    file: tempfile::NamedTempFile,
    program: String,
    key: Option<PrivateKey>,
}

impl Draft {
    /// A note at `path`, where nothing may be yet: a note that somebody has signed must not get
    /// lost. It may be in none of these folders, and not where something is that the check uses.
    pub fn new(
        path: &Path,
        key: Option<PrivateKey>,
        closed: &[&Path],
        used: &[&Path],
    ) -> Result<Draft, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        let directory = parent_of(path);
        if is_among(directory, closed) {
            return Err(format!("{}: a note cannot be among what is checked", path.display()));
        }
        if used.iter().any(|used| is_same(path, used)) {
            return Err(format!(
                "{}: the check uses this; the note needs a file of its own",
                path.display()
            ));
        }
        if path.symlink_metadata().is_ok() {
            let what = "there is something already; give another name or remove it first";
            return Err(format!("{}: {what}", path.display()));
        }
        // It is to be handed out: as readable as any other file.
        let mut file = tempfile::Builder::new();
        let file = file.permissions(Permissions::from_mode(0o666)).tempfile_in(directory);
        let file = file.map_err(failed)?;
        Ok(Draft { path: path.into(), file, program: program(), key })
    }

    /// Writes the note with these words of a verdict; it appears at once.
    pub fn write(mut self, words: &str) -> Result<(), String> {
        let failed = |e: std::io::Error| format!("{}: {e}", self.path.display());
        let version = env!("CARGO_PKG_VERSION");
        let mut note = format!("{HEAD}\n{words}\nchecker {NAME} {version} {}\n", self.program);
        if let Some(key) = &self.key {
            let signature = [&key.public.id[..], &key.sign(note.as_bytes())].concat();
            note += &format!("\n— {} {}\n", key.public.name, BASE64.encode(signature));
        }
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        note += &format!("# host {}\n", host.trim());
        note += &format!("# seconds since 1970 {}\n", now.map_or(0, |time| time.as_secs()));
        let written = self.file.write_all(note.as_bytes());
        written.and_then(|()| self.file.as_file().sync_all()).map_err(failed)?;
        self.file.persist_noclobber(&self.path).map_err(|e| failed(e.error))?;
        Ok(())
    }
}
