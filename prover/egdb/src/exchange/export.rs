//! Exports a database as a directory that can be copied and then verified.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::ExchangeError;
use crate::disk::atomic::{self, UNFINISHED};
use crate::disk::store::Store;
use certificate_spec::cover::Cover;
use certificate_spec::text::without_mark;
use sha2::{Digest, Sha256};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The number of files, besides the list.
    pub files: usize,
    /// The bytes of these files together.
    pub bytes: u64,
    pub root: String,
}

/// Writes the database of a cover, which the one in `store` must include, to the directory `out`:
/// its MANIFEST, slices, depths if there are any, and `SHA256SUMS`. It is written under another
/// name, its hashes are verified, and then it is renamed.
///
/// # Errors
/// [`ExchangeError`]; `out` is unchanged then.
pub fn export(store: &Store, cover: &Cover, out: &Path) -> Result<Exported, ExchangeError> {
    let is_free = match fs::read_dir(out) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if !is_free {
        return Err(ExchangeError::NotEmpty { path: out.into() });
    }
    let unfinished = atomic::unfinished_path(out);
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(ExchangeError::io(&unfinished))?;
    }
    let written = write(store, cover, &unfinished).and_then(|exported| {
        fs::rename(&unfinished, out).map_err(ExchangeError::io(out))?;
        Ok(exported)
    });
    if written.is_err() {
        // The unfinished directory may not exist.
        let _ = fs::remove_dir_all(&unfinished);
    }
    written
}

fn write(store: &Store, cover: &Cover, out: &Path) -> Result<Exported, ExchangeError> {
    let name = store.board().name();
    let databases = store.databases();
    let manifest = store.manifest_of(cover)?;
    let (values, depths) = (out.join(&name), out.join(format!("{name}.depth")));
    fs::create_dir_all(&values).map_err(ExchangeError::io(&values))?;
    let bytes = manifest.encode();
    let path = values.join("MANIFEST");
    atomic::write_file(&path, |file| std::io::Write::write_all(file, &bytes))
        .map_err(ExchangeError::io(&path))?;
    let mut list =
        vec![(format!("{name}/MANIFEST"), bytes.len() as u64, hex(&Sha256::digest(&bytes)))];
    for slice in &manifest.slices {
        let file = slice.name.file_name();
        let from = databases.join(&name).join(&file);
        let (length, sum) = copy(&from, &values.join(&file), u64::MAX)?;
        list.push((format!("{name}/{file}"), length, sum));
        let from = databases.join(format!("{name}.depth")).join(&file);
        if from.exists() {
            fs::create_dir_all(&depths).map_err(ExchangeError::io(&depths))?;
            let (length, sum) = copy(&from, &depths.join(&file), u64::MAX)?;
            list.push((format!("{name}.depth/{file}"), length, sum));
        }
    }
    // The copies are verified against the MANIFEST.
    Store::new(out, store.board()).verify(cover)?;
    let (bytes, root) =
        (list.iter().map(|(_, length, _)| length).sum(), manifest.root().to_string());
    let mut text = format!("# database {name} with {cover} pieces, root {root}, {bytes} bytes\n");
    list.iter().for_each(|(file, length, _)| text += &format!("# {length} {file}\n"));
    list.iter().for_each(|(file, _, sum)| text += &format!("{sum}  {file}\n"));
    let path = out.join(SUMS);
    atomic::write_file(&path, |file| std::io::Write::write_all(file, text.as_bytes()))
        .map_err(ExchangeError::io(&path))?;
    Ok(Exported { files: list.len(), bytes, root })
}

/// The file that lists all others with their SHA-256, in the format of `sha256sum -c`; sizes are in
/// lines that begin with `#`.
pub(super) const SUMS: &str = "SHA256SUMS";

/// Copies a file, of which no more than `most` bytes are read; returns its length and SHA-256.
pub(super) fn copy(from: &Path, to: &Path, most: u64) -> Result<(u64, String), ExchangeError> {
    let mut source = File::open(from).map_err(ExchangeError::io(from))?.take(most);
    let mut target = File::create(to).map_err(ExchangeError::io(to))?;
    let (mut hasher, mut length, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        let read = source.read(&mut buffer).map_err(ExchangeError::io(from))?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        target.write_all(&buffer[..read]).map_err(ExchangeError::io(to))?;
        length += read as u64;
    }
    target.sync_all().map_err(ExchangeError::io(to))?;
    Ok((length, hex(&hasher.finalize())))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The most bytes of a list: a hundred times the bytes of the largest database's list.
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
