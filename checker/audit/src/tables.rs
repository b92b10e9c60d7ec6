//! A folder of tables of values, for shards that run where they can share files, and what notes say
//! of tables.
//!
//! Reading a table takes a small part of the time that decoding the values in a slice file and
//! playing all captures takes, and nearly all values that a shard needs are those of other shards'
//! slices.
//!
//! Trusts: nothing. In the folder there may be anything. A shard puts the digests of the tables
//! that it has taken for granted into its verdict, *from wherever it had them*, and those of its
//! own tables; merging requires that they agree (`SPEC.md` §12). So a table that differs from what
//! its slice's file comes to can spoil shards, but merging accepts nothing that rests on it. The
//! digest at the beginning of a table's file only detects damaged files.

use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker_core::{Bits, Table, TableView};
use std::fs::{self, File, Permissions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The number of bytes that are read or written at a time.
const BUFFER: usize = 1 << 16;

/// A folder of tables. Each file is named after the digest of its slice file.
#[derive(Debug, Clone)]
pub struct TableFolder(PathBuf);

impl TableFolder {
    /// The tables in this folder, which is created if it does not exist.
    ///
    /// # Errors
    /// The path is not a folder, or the folder cannot be created.
    pub fn new(folder: &Path) -> Result<TableFolder, String> {
        if folder.exists() && !folder.is_dir() {
            return Err(format!(
                "{}: expected a folder for tables, found a file",
                folder.display()
            ));
        }
        let made = fs::create_dir_all(folder).map(|()| TableFolder(folder.into()));
        made.map_err(|error| format!("{}: no folder for tables: {error}", folder.display()))
    }

    /// Opens the file of a table that has this number of words, and reads the digest that it
    /// states.
    fn open(&self, slice_file: Digest, words: u64) -> Option<(File, Digest)> {
        let path = self.0.join(slice_file.to_string());
        // Opening a pipe would wait for ever.
        if !path.symlink_metadata().ok()?.is_file() {
            return None;
        }
        let mut file = File::open(path).ok()?;
        let (metadata, mut digest) = (file.metadata().ok()?, [0; 32]);
        let length = digest.len() as u64 + 16 * words;
        if !metadata.is_file() || metadata.len() != length {
            return None;
        }
        file.read_exact(&mut digest).ok()?;
        Some((file, Digest(digest)))
    }

    /// Reads a table from the folder, and returns the digest that its file states. If it returns
    /// `None`, the contents of `table` are meaningless.
    pub fn read(&self, slice_file: Digest, table: &Table) -> Option<Digest> {
        let (file, digest) = self.open(slice_file, table.words())?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        for number in 0..table.words() {
            let mut word = || {
                let mut bytes = [0; 8];
                file.read_exact(&mut bytes).ok().map(|()| u64::from_le_bytes(bytes))
            };
            let (win, loss) = (word()?, word()?);
            table.put_word(number, Bits { win, loss });
        }
        Some(digest)
    }

    /// Writes a table, unless the folder has one that states the same digest. The file appears as a
    /// whole.
    ///
    /// # Errors
    /// The table cannot be written.
    pub fn write(
        &self,
        slice_file: Digest,
        table: TableView<'_>,
        digest: Digest,
    ) -> io::Result<()> {
        if self.open(slice_file, table.words()).is_some_and(|(_, there)| there == digest) {
            return Ok(());
        }
        // Other users may read it as far as the user's mask lets them.
        let all = Permissions::from_mode(0o666);
        let file = tempfile::Builder::new().permissions(all).tempfile_in(&self.0)?;
        let mut file = BufWriter::with_capacity(BUFFER, file);
        file.write_all(&digest.0)?;
        for number in 0..table.words() {
            let Bits { win, loss } = table.word(number);
            file.write_all(&win.to_le_bytes())?;
            file.write_all(&loss.to_le_bytes())?;
        }
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(self.0.join(slice_file.to_string()))?;
        Ok(())
    }
}

/// The slices of pairs: each slice and its twin, unless the slice is its own twin.
pub fn both(pairs: &[SliceName]) -> Vec<SliceName> {
    let both = |&pair: &SliceName| {
        let twin = Some(pair.twin()).filter(|&twin| twin != pair);
        [pair].into_iter().chain(twin)
    };
    pairs.iter().flat_map(both).collect()
}

/// A slice, and the digest of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableDigest {
    /// The slice's name.
    pub slice: SliceName,
    /// The digest of its table (`SPEC.md` §11).
    pub digest: Digest,
}

/// The digest that stands in notes for the tables of a list of slices.
pub fn of_list(list: &[TableDigest]) -> Digest {
    let line = |t: &TableDigest| format!("{} {}\n", t.slice.file_name(), t.digest);
    let lines = list.iter().map(line);
    Digest::of(lines.collect::<String>().as_bytes())
}
