//! Notes that this checker writes (`SPEC.md` §12).

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use certificate_notes::HEAD;
use certificate_notes::keys::PrivateKey;
use certificate_spec::Digest;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of this implementation of the checker.
const NAME: &str = "draughtproof-check";

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
