//! Exports a database as a directory that can be copied and then verified.

use std::fs;
use std::path::Path;

use certificate_spec::cover::Cover;
use sha2::{Digest, Sha256};

use super::error::ExchangeError;
use super::sums::{SUMS, copy, hex};
use crate::disk::atomic;
use crate::disk::store::Store;

/// The result of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The number of files, besides the list.
    pub files: usize,
    /// The bytes of these files together.
    pub bytes: u64,
    /// The root of the database.
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
