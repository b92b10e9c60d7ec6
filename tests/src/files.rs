//! The contents of a directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// All files below a directory with their bytes, by their paths from there.
///
/// # Panics
/// If one of them cannot be read.
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
