//! A folder of tables of values, for shards that run where they can share files; and what notes say
//! of tables.
//!
//! Reading a table takes a small part of the time that decoding the values in a slice file and
//! playing all captures takes, and nearly all values that a shard needs are those of other shards'
//! slices.
//!
//! Trusts: nothing. In the folder there may be anything. A shard puts the digests of the tables
//! that it has taken for granted into its verdict, *from wherever it had them*, and those of its
//! own; merging asks that they agree (`SPEC.md` §12). So a table that is not what its file's values
//! come to can spoil shards, and nothing that is made of them passes. The digest that a table's
//! file begins with tells rot from tables, and nothing more.

use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker_core::{Bits, Table, TableView};
use std::fs::{self, File, Permissions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// How many bytes are read or written at a time.
const BUFFER: usize = 1 << 16;

/// A folder of tables. Each has the name of its slice file's digest.
#[derive(Debug, Clone)]
pub struct TableFolder(PathBuf);

impl TableFolder {
    /// The tables in this folder, which is made if it is not there.
    ///
    /// # Errors
    /// There is something else, or no place for it.
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

    /// The file of a table, if it has as many words, and the digest that it states.
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

    /// Reads a table that is there, and returns the digest that it states. If there is none, what
    /// is in the table afterwards is worth nothing.
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

    /// Writes a table, unless one is there that states the same digest. It appears as a whole.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(
        &self,
        slice_file: Digest,
        table: TableView<'_>,
        digest: Digest,
    ) -> io::Result<()> {
        if self.open(slice_file, table.words()).is_some_and(|(_, there)| there == digest) {
            return Ok(());
        }
        // Others may read it as far as the user's mask lets them.
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

/// The slices of pairs: each and its twin, if that is another.
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
    /// The slice.
    pub slice: SliceName,
    /// The digest.
    pub digest: Digest,
}

/// What stands in notes for the tables of a list of slices.
pub fn of_list(list: &[TableDigest]) -> Digest {
    let line = |t: &TableDigest| format!("{} {}\n", t.slice.file_name(), t.digest);
    let lines = list.iter().map(line);
    Digest::of(lines.collect::<String>().as_bytes())
}
