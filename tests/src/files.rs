//! The contents of a directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

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
