//! A directory that [`super::export()`] has written, put in place as a database.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use certificate_spec::text::without_mark;

use super::{ExchangeError, SUMS, copy};
use crate::egdb::{Cover, Store, UNFINISHED, atomic};

/// The most bytes of a list: a hundred times those of the largest database.
const MOST_LIST: u64 = 64 << 20;

/// A file of the list.
struct Listed {
    path: String,
    length: u64,
    sum: String,
}

/// Puts the database that the directory `from` has of the board of `store` into the directory
/// `databases`, where there must be none; returns its cover. All is copied under another name,
/// sizes and hashes verified, those of the list and those of the MANIFEST; then it gets its name.
/// Whether its values are right is for `check` to say.
///
/// # Errors
/// [`ExchangeError`]; there is no database then, as before.
pub fn import(store: &Store, databases: &Path, from: &Path) -> Result<Cover, ExchangeError> {
    let name = store.board().name();
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
        // The MANIFEST comes last: with it the database is there.
        let depths = format!("{name}.depth");
        if unfinished.join(&depths).exists() {
            rename(&unfinished.join(&depths), &databases.join(&depths))?;
        }
        rename(&unfinished.join(&name), &place)?;
        atomic::sync_directory(databases).map_err(ExchangeError::io(databases))?;
        Ok(cover)
    });
    // It may never have come into being.
    let _ = fs::remove_dir_all(&unfinished);
    imported
}

/// Gives a directory the place of another one, which must have nothing in it.
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
        // One byte more tells a file that is too long.
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

/// Reads the list; names of files may only be those that a database has.
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
