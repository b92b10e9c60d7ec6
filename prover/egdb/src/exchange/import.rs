//! Imports a directory that [`super::export()`] has written as a database.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use certificate_spec::cover::Cover;
use certificate_spec::text::without_mark;

use super::error::ExchangeError;
use super::sums::{SUMS, copy};
use crate::disk::atomic::{self, UNFINISHED};
use crate::disk::store::Store;

/// The most bytes of a list: a hundred times those of the list of the largest database.
const MOST_LIST: u64 = 64 << 20;

struct Listed {
    path: String,
    length: u64,
    sum: String,
}

/// Puts the database that the directory `from` has of the board of `store` into `store`, where
/// there must be none; returns its cover. All files are copied under another name, and their sizes
/// and hashes are checked against the list and the MANIFEST; then the directory is renamed. Whether
/// the values are right is for `check` to verify.
///
/// # Errors
/// [`ExchangeError`]; there is still no database then.
pub fn import(store: &Store, from: &Path) -> Result<Cover, ExchangeError> {
    let name = store.board().name();
    let databases = store.databases();
    let place = databases.join(&name);
    let list = read_list(&from.join(SUMS), &name)?;
    let _lock = store.lock()?;
    if place.join("MANIFEST").exists() {
        return Err(ExchangeError::AlreadyHere { path: place });
    }
    let unfinished = databases.join(format!("{UNFINISHED}import-{name}"));
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(ExchangeError::io(&unfinished))?;
    }
    let imported = copy_all(store, from, &list, &unfinished).and_then(|cover| {
        // The MANIFEST comes last, since it makes the database count as complete.
        let depths = format!("{name}.depth");
        if unfinished.join(&depths).exists() {
            rename(&unfinished.join(&depths), &databases.join(&depths))?;
        }
        rename(&unfinished.join(&name), &place)?;
        atomic::sync_directory(&databases).map_err(ExchangeError::io(&databases))?;
        Ok(cover)
    });
    // The unfinished directory may not exist.
    let _ = fs::remove_dir_all(&unfinished);
    imported
}

/// Renames a directory to the path of another one, which must be empty.
fn rename(from: &Path, to: &Path) -> Result<(), ExchangeError> {
    fs::rename(from, to).map_err(ExchangeError::io(to))
}

fn copy_all(
    store: &Store,
    from: &Path,
    list: &[Listed],
    to: &Path,
) -> Result<Cover, ExchangeError> {
    for Listed { path, length, sum } in list {
        let (source, target) = (from.join(path), to.join(path));
        let directory = target.parent().unwrap_or(to);
        fs::create_dir_all(directory).map_err(ExchangeError::io(directory))?;
        // One more byte is read, to detect a file that is too long.
        let (found, hash) = copy(&source, &target, length.saturating_add(1))?;
        if (found, &hash) != (*length, sum) {
            return Err(ExchangeError::Mismatch {
                path: source,
                expected: format!("{length} bytes with SHA-256 {sum}"),
                found: format!("{found} with {hash}"),
            });
        }
    }
    let copied = Store::new(to, store.board());
    let cover = copied.manifest()?.cover;
    copied.verify(&cover)?;
    Ok(cover)
}

/// Reads the list; only names of files that a database has are accepted.
fn read_list(path: &Path, board: &str) -> Result<Vec<Listed>, ExchangeError> {
    let length = fs::metadata(path).map_err(ExchangeError::io(path))?.len();
    let line_error = |line, expected: &str, found: &str| ExchangeError::Line {
        path: PathBuf::from(path),
        line,
        expected: expected.into(),
        found: found.into(),
    };
    if length > MOST_LIST {
        return Err(line_error(1, "a list of at most 64 MiB", &format!("{length} bytes")));
    }
    let text = fs::read_to_string(path).map_err(ExchangeError::io(path))?;
    let (mut lengths, mut list) = (HashMap::new(), Vec::new());
    for (number, line) in without_mark(&text).lines().enumerate().map(|(n, line)| (n + 1, line)) {
        if let Some(comment) = line.strip_prefix("# ") {
            if let Some((length, file)) = comment.split_once(' ')
                && let Ok(length) = length.parse()
            {
                lengths.insert(file, length);
            }
            continue;
        }
        let (sum, file) = line.split_once("  ").unwrap_or_default();
        let is_sum = sum.len() == 64 && sum.bytes().all(|c| c.is_ascii_hexdigit());
        let (directory, name) = file.split_once('/').unwrap_or_default();
        let is_name = |c: u8| c == b'-' || c.is_ascii_alphanumeric();
        let is_here = directory == board || directory.strip_suffix(".depth") == Some(board);
        if !is_sum || !is_here || name.is_empty() || !name.bytes().all(is_name) {
            let expected = format!("a SHA-256, two blanks and {board}/FILE or {board}.depth/FILE");
            return Err(line_error(number, &expected, line));
        }
        let Some(&length) = lengths.get(file) else {
            return Err(line_error(number, &format!("a line \"# BYTES {file}\" before"), line));
        };
        list.push(Listed { path: file.into(), length, sum: sum.to_ascii_lowercase() });
    }
    if list.is_empty() {
        return Err(line_error(1, "a list of files", ""));
    }
    Ok(list)
}
