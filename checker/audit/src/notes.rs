//! Notes that this checker writes (`SPEC.md` §12).

use crate::program::program;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use certificate_notes::HEAD;
use certificate_notes::keys::{PrivateKey, of_file};
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of this implementation of the checker.
const NAME: &str = "draughtproof-check";

/// Whether a path, which need not exist yet, is in one of these folders.
pub fn is_among(place: &Path, closed: &[&Path]) -> bool {
    // The last ancestor of a relative path is empty.
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

/// Whether two paths lead to the same file, which need not exist yet.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let parent = parent_of(path).canonicalize().ok()?;
        path.canonicalize().ok().or(Some(parent.join(path.file_name()?)))
    };
    place(one).is_some_and(|one| place(other) == Some(one))
}

/// A note to be written: everything that can fail is tried before the check.
pub struct Draft {
    path: PathBuf,
    file: tempfile::NamedTempFile,
    program: String,
    key: Option<PrivateKey>,
}

impl Draft {
    /// A note at `path`, where no file may exist yet: a signed note must not be overwritten. The
    /// path may be in none of the folders `closed`, and not be one of the paths `used` by the
    /// check.
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
        // The note is meant to be handed out, so it gets the permissions of an ordinary file.
        let mut file = tempfile::Builder::new();
        let file = file.permissions(Permissions::from_mode(0o666)).tempfile_in(directory);
        let file = file.map_err(failed)?;
        Ok(Draft {
            path: path.into(),
            file,
            program: program().map_or("unknown".into(), |digest| digest.to_string()),
            key,
        })
    }

    /// Writes the note with these words of a verdict; the file appears as a whole.
    pub fn write(mut self, words: &str) -> Result<(), String> {
        let failed = |e: std::io::Error| of_file(&self.path, &e);
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
