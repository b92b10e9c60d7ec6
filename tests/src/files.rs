//! The contents of a directory.

use std::os::unix::fs::symlink;

use crate::prelude::*;

/// All files below a directory with their bytes, by their paths from there.
pub fn read_all(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut todo = vec![directory.to_path_buf()];
    while let Some(d) = todo.pop() {
        for entry in fs::read_dir(d).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                todo.push(path);
            } else {
                let name =
                    path.strip_prefix(directory).expect("a path below").display().to_string();
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

/// Copies a file, a link or a directory with its contents.
pub fn copy(from: &Path, to: &Path) {
    let kind = fs::symlink_metadata(from).expect("something to copy").file_type();
    if kind.is_dir() {
        fs::create_dir_all(to).expect("a directory");
        for entry in fs::read_dir(from).expect("a directory") {
            let name = entry.expect("an entry").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else if kind.is_symlink() {
        symlink(fs::read_link(from).expect("a link"), to).expect("a link");
    } else {
        fs::copy(from, to).expect("a copy");
    }
}

/// A directory that is removed when this is dropped.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    /// Makes an empty directory.
    pub fn empty() -> Self {
        Scratch(tempfile::tempdir().expect("a directory"))
    }
}

impl std::ops::Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        self
    }
}
