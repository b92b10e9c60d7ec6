//! Databases on disk: `DIR/<RxC>/MANIFEST` and a file a slice (`SPEC.md` §8.3 and §8.4).
//!
//! Files are written atomically. Slices that the MANIFEST does not list yet are kept in
//! `DIR/<RxC>.building`; when all slices with a number of pieces are there, they are moved beside
//! the others and a new MANIFEST lists them. So whenever the program is killed, the slices that the
//! MANIFEST lists are complete, and no finished slice is lost.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use certificate_spec::cover::Cover;
use certificate_spec::database::{self, DatabaseManifest, SliceRecord};
use certificate_spec::{Digest, WireError};
use thiserror::Error;

use super::atomic::{self, UNFINISHED};
use super::figures::Figures;
use crate::codec::decode::SliceDecoder;
use crate::codec::encode::encode_slice;
use crate::index::slice::Slice;
use crate::values::table::Table;
use draughtproof_game::Board;

/// An error of the files of a database.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The operating system reports an error.
    #[error("{path}: {source}")]
    Io {
        /// The path of the file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// There is no database of this board.
    #[error("{path}: no database here (build it with `prove db`)")]
    Missing {
        /// The path at which its MANIFEST is expected.
        path: PathBuf,
    },
    /// The bytes of a file do not have the required format.
    #[error("{path}: {source}; remove {directory} to build the database again")]
    Wire {
        /// The path of the file.
        path: PathBuf,
        /// The fault, with its offset.
        source: WireError,
        /// The directory of the database.
        directory: PathBuf,
    },
    /// A file belongs to another database or is damaged.
    #[error(
        "{path}: expected {expected}, found {found}; remove {directory} to build the database again"
    )]
    Mismatch {
        /// The path of the file.
        path: PathBuf,
        /// The expected content.
        expected: String,
        /// The found content.
        found: String,
        /// The directory of the database.
        directory: PathBuf,
    },
    /// A file of depths belongs to other values or is damaged.
    #[error(
        "{path}: expected {expected}, found {found}; remove it and write it again with `prove db --depth`"
    )]
    Depth {
        /// The path of the file.
        path: PathBuf,
        /// The expected content.
        expected: String,
        /// The found content.
        found: String,
    },
    /// Another process is building this database.
    #[error("{path}: expected to be the only builder, found that another process holds this lock")]
    Locked {
        /// The path of the lock file.
        path: PathBuf,
    },
    /// The database does not cover the requested positions.
    #[error(
        "{path}: expected a database with {wanted} pieces, found one with {there} (extend it with `prove db --game {board} --pieces {wanted} --db {}`)", databases.display()
    )]
    TooSmall {
        /// The path of the MANIFEST.
        path: PathBuf,
        /// The name of the board.
        board: String,
        /// The directory of the databases.
        databases: PathBuf,
        /// The requested cover.
        wanted: Cover,
        /// The cover that the database has.
        there: Cover,
    },
}

/// The found value, or `otherwise` if the error is that there is no such file.
fn missing_is<T>(otherwise: T, found: io::Result<T>) -> io::Result<T> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(otherwise),
        found => found,
    }
}

/// Writes the parts of a file atomically.
///
/// # Errors
/// As for [`atomic::write_file`].
pub(crate) fn write_parts<B: AsRef<[u8]>>(
    path: &Path,
    parts: impl Iterator<Item = B>,
) -> io::Result<()> {
    atomic::write_file(path, |file| write_all(file, parts))
}

fn write_all<B: AsRef<[u8]>>(
    file: &mut fs::File,
    parts: impl Iterator<Item = B>,
) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 20, file);
    for part in parts {
        out.write_all(part.as_ref())?;
    }
    out.flush()
}

/// The directory of one board's database.
#[derive(Clone)]
pub struct Store {
    pub(super) directory: PathBuf,
    /// The directory of slices that the MANIFEST does not list yet.
    pub(super) building: PathBuf,
    board: Board,
}

impl Store {
    /// The store of the database of `board` under `root`. The database need not exist.
    pub fn new(root: &Path, board: &Board) -> Self {
        let directory = root.join(board.name());
        Store { building: directory.with_extension("building"), directory, board: board.clone() }
    }

    /// The board of the database.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The path of the file of a finished slice, which the MANIFEST may list or not.
    pub(crate) fn slice_path(&self, slice: Slice) -> PathBuf {
        let name = slice.name().file_name();
        let (finished, building) = (self.directory.join(&name), self.building.join(name));
        // A listed file that is missing is reported with its path in the database.
        if !finished.exists() && building.exists() { building } else { finished }
    }

    /// The directory of depths, which is beside the database, since the database's own directory
    /// holds only files that the MANIFEST lists.
    fn depth_directory(&self) -> PathBuf {
        self.directory.with_extension("depth")
    }

    /// The directory of decoded tables, which is beside the database like that of depths.
    pub fn tables(&self) -> PathBuf {
        self.directory.with_extension("tables")
    }

    /// The bytes of the decoded tables in their directory.
    ///
    /// # Errors
    /// [`StoreError::Io`]
    pub fn table_bytes(&self) -> Result<u64, StoreError> {
        let directory = self.tables();
        let read = || {
            let mut bytes = 0;
            for entry in fs::read_dir(&directory)? {
                // Another process may be making or removing tables.
                bytes += missing_is(0, entry.and_then(|entry| entry.metadata()).map(|m| m.len()))?;
            }
            Ok(bytes)
        };
        missing_is(0, read()).map_err(|source| StoreError::Io { path: directory.clone(), source })
    }

    /// The path of the depths of a slice.
    pub(crate) fn depth_path(&self, slice: Slice) -> PathBuf {
        self.depth_directory().join(slice.name().file_name())
    }

    /// Whether a slice is finished; the MANIFEST may list it or not.
    pub fn has_slice(&self, slice: Slice) -> bool {
        self.slice_path(slice).exists()
    }

    /// The slices of which there are files; the MANIFEST may list them or not.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub(crate) fn slices_there(&self) -> Result<Vec<Slice>, StoreError> {
        let mut slices = Vec::new();
        let all = Cover::up_to(self.board.squares());
        for directory in [&self.directory, &self.building].into_iter().filter(|d| d.exists()) {
            let io = |source| StoreError::Io { path: directory.clone(), source };
            for entry in fs::read_dir(directory).map_err(io)? {
                let name = entry.map_err(io)?.file_name();
                let slice = name.to_str().and_then(Slice::parse);
                slices.extend(slice.filter(|slice| slice.exists(&self.board, &all)));
            }
        }
        slices.sort_by_key(|slice| slice.name().order());
        slices.dedup();
        Ok(slices)
    }

    /// The cover and the records of the MANIFEST; an empty cover if there is no database.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn finished(&self) -> Result<(Cover, Vec<SliceRecord>), StoreError> {
        match self.manifest() {
            Ok(manifest) => Ok((manifest.cover, manifest.slices)),
            Err(StoreError::Missing { .. }) => Ok((Cover::none(), Vec::new())),
            Err(error) => Err(error),
        }
    }

    /// The free bytes on the disk of the database; more than any database takes if the system
    /// cannot report them.
    ///
    /// # Errors
    /// [`StoreError::Io`]
    pub fn free_space(&self) -> Result<u64, StoreError> {
        #[cfg(unix)]
        {
            let there = self.directory.ancestors().find(|folder| folder.exists());
            let there = there.unwrap_or(Path::new("."));
            let space = rustix::fs::statvfs(there)
                .map_err(|e| StoreError::Io { path: there.into(), source: e.into() })?;
            Ok(space.f_bavail * space.f_frsize)
        }
        #[cfg(not(unix))]
        Ok(1 << 60)
    }

    fn manifest_path(&self) -> PathBuf {
        self.directory.join("MANIFEST")
    }

    fn read_file(&self, path: &Path) -> Result<Vec<u8>, StoreError> {
        fs::read(path).map_err(|source| StoreError::Io { path: path.into(), source })
    }

    pub(crate) fn mismatch(
        &self,
        path: &Path,
        expected: impl ToString,
        found: impl ToString,
    ) -> StoreError {
        StoreError::Mismatch {
            path: path.into(),
            expected: expected.to_string(),
            found: found.to_string(),
            directory: self.directory.clone(),
        }
    }

    pub(crate) fn wire(&self, path: &Path, source: WireError) -> StoreError {
        StoreError::Wire { path: path.into(), source, directory: self.directory.clone() }
    }

    /// Keeps other processes from building this database as long as the file is held, and removes
    /// the files that a killed builder has left unfinished. The system releases the lock when a
    /// process ends, even if it is killed.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process holds it; [`StoreError::Io`].
    pub fn lock(&self) -> Result<fs::File, StoreError> {
        let path = self.directory.with_extension("lock");
        let io = |source| StoreError::Io { path: path.clone(), source };
        fs::create_dir_all(&self.directory)
            .map_err(|source| StoreError::Io { path: self.directory.clone(), source })?;
        let file = fs::File::create(&path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(StoreError::Locked { path }),
            Err(fs::TryLockError::Error(source)) => return Err(io(source)),
        }
        let depths = self.depth_directory();
        let directories = [&self.directory, &self.building, &depths];
        let directories = directories.into_iter().filter(|d| d.exists());
        let entries: Vec<_> =
            directories.map(fs::read_dir).collect::<Result<_, _>>().map_err(io)?;
        for entry in entries.into_iter().flatten() {
            let entry = entry.map_err(io)?;
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                fs::remove_file(entry.path()).map_err(io)?;
            }
        }
        Ok(file)
    }

    /// The bytes of the MANIFEST. Their beginning is checked before the rest is read.
    ///
    /// # Errors
    /// [`StoreError`]; [`StoreError::Missing`] if there is no MANIFEST.
    fn manifest_bytes(&self) -> Result<Vec<u8>, StoreError> {
        let path = self.manifest_path();
        let io = |source| StoreError::Io { path: path.clone(), source };
        let file = fs::File::open(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => StoreError::Missing { path: path.clone() },
            _ => io(source),
        })?;
        let length = file.metadata().map_err(io)?.len();
        let mut bytes = Vec::new();
        let start = database::START as u64;
        (&file).take(start).read_to_end(&mut bytes).map_err(io)?;
        DatabaseManifest::judge_start(&bytes, length).map_err(|e| self.wire(&path, e))?;
        file.take(length.saturating_sub(start)).read_to_end(&mut bytes).map_err(io)?;
        Ok(bytes)
    }

    /// The MANIFEST, if it is one of a complete database of this board.
    ///
    /// # Errors
    /// [`StoreError`]; [`StoreError::Missing`] if there is no MANIFEST.
    pub fn manifest(&self) -> Result<DatabaseManifest, StoreError> {
        let bytes = self.manifest_bytes()?;
        let manifest =
            DatabaseManifest::decode(&bytes).map_err(|e| self.wire(&self.manifest_path(), e))?;
        self.check_complete(&manifest)?;
        Ok(manifest)
    }

    /// Checks that a MANIFEST is of this board and lists all slices of its cover.
    fn check_complete(&self, manifest: &DatabaseManifest) -> Result<(), StoreError> {
        let path = self.manifest_path();
        let there = format!("board {}x{}", manifest.rows, manifest.columns);
        let here = format!("board {}", self.board.name());
        if there != here {
            return Err(self.mismatch(&path, here, there));
        }
        let cover = &manifest.cover;
        if cover.most_pieces() > self.board.squares() {
            let want = format!("at most {} pieces", self.board.squares());
            return Err(self.mismatch(&path, want, cover.most_pieces()));
        }
        let want: Vec<_> = Slice::all(&self.board, cover).iter().map(|s| s.name()).collect();
        let found: Vec<_> = manifest.slices.iter().map(|s| s.name).collect();
        if want != found {
            let want = format!("the {} slices with {cover} pieces", want.len());
            return Err(self.mismatch(&path, want, format!("{} slices", found.len())));
        }
        Ok(())
    }

    /// The directory of the databases of all boards.
    pub(crate) fn databases(&self) -> PathBuf {
        self.directory.parent().unwrap_or(Path::new(".")).to_path_buf()
    }

    /// The MANIFEST of a database that has only this cover, which the stored one must include.
    ///
    /// # Errors
    /// [`StoreError`]; [`StoreError::TooSmall`] when the cover is not included.
    pub fn manifest_of(&self, cover: &Cover) -> Result<DatabaseManifest, StoreError> {
        let manifest = self.manifest()?;
        if !manifest.cover.includes(cover) {
            let (path, board) = (self.manifest_path(), self.board.name());
            let (databases, wanted, there) = (self.databases(), cover.clone(), manifest.cover);
            return Err(StoreError::TooSmall { path, board, databases, wanted, there });
        }
        Ok(manifest.restricted_to(cover))
    }

    /// Verifies the digests of the files of the slices of a cover.
    ///
    /// # Errors
    /// [`StoreError`]: among others for the first file that differs from the MANIFEST.
    pub fn verify(&self, cover: &Cover) -> Result<(), StoreError> {
        self.manifest_of(cover)?.slices.iter().try_for_each(|expected| self.verify_slice(expected))
    }

    /// Verifies the length and the digest of the file of a slice.
    ///
    /// # Errors
    /// [`StoreError`]: the file cannot be read, or differs from the record.
    pub fn verify_slice(&self, expected: &SliceRecord) -> Result<(), StoreError> {
        let found = self.record(expected.name.into())?;
        if found == *expected {
            return Ok(());
        }
        let show = |r: &SliceRecord| format!("{} bytes with BLAKE3 {}", r.length, r.digest);
        let path = self.slice_path(expected.name.into());
        Err(self.mismatch(&path, show(expected), show(&found)))
    }

    /// The values of the quiet positions of a slice, from its file. With a record of the MANIFEST
    /// the digest of the file is verified.
    pub(crate) fn load_slice(
        &self,
        slice: Slice,
        record: Option<&SliceRecord>,
    ) -> Result<Table, StoreError> {
        let path = self.slice_path(slice);
        let bytes = self.read_file(&path)?;
        if let Some(record) = record {
            let digest = Digest::of(&bytes);
            if digest != record.digest {
                let want = format!("{} bytes with BLAKE3 {}", record.length, record.digest);
                return Err(self.mismatch(&path, want, format!("{} with {digest}", bytes.len())));
            }
        }
        let decoder = SliceDecoder::new(&self.board, slice, &bytes, bytes.len() as u64)
            .map_err(|e| self.wire(&path, e))?;
        decoder.decode_all(&bytes).map_err(|unit| self.damaged(&path, unit))
    }

    /// The error of a unit that cannot be decoded.
    pub(crate) fn damaged(&self, path: &Path, unit: u64) -> StoreError {
        let found = "one with another checksum or length";
        self.mismatch(path, format!("unit {unit} of the values as it was written"), found)
    }

    /// Writes a solved slice (under [`Store::lock`] or [`Store::lock_with_others`]); returns the
    /// length of its file.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn save_slice(&self, slice: Slice, table: &Table) -> Result<u64, StoreError> {
        let path = self.building.join(slice.name().file_name());
        let io = |source| StoreError::Io { path: path.clone(), source };
        fs::create_dir_all(&self.building).map_err(io)?;
        let parts = encode_slice(&self.board, slice, table);
        // The file is synced when the MANIFEST lists it; until then its checksums detect damage.
        atomic::write_unsynced(&path, |file| write_all(file, parts.iter())).map_err(io)?;
        Ok(parts.iter().map(|part| part.len() as u64).sum())
    }

    /// Adds a finished slice that was built elsewhere (under [`Store::lock_with_others`]): `write`
    /// fills its file, and must have checked that it is the right one.
    ///
    /// # Errors
    /// [`StoreError::Io`], also for errors of `write`.
    pub fn add_slice(
        &self,
        slice: Slice,
        write: impl FnOnce(&mut fs::File) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        let path = self.building.join(slice.name().file_name());
        let io = |source| StoreError::Io { path: path.clone(), source };
        fs::create_dir_all(&self.building).map_err(io)?;
        atomic::write_unsynced(&path, write).map_err(io)
    }

    /// Opens the file of a finished slice for reading.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn open_slice(&self, slice: Slice) -> Result<fs::File, StoreError> {
        let path = self.slice_path(slice);
        fs::File::open(&path).map_err(|source| StoreError::Io { path, source })
    }

    /// Removes slices of a cover that the MANIFEST does not list if they are damaged (under
    /// [`Store::lock`]): their digests are not known yet, but their checksums are.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub(crate) fn remove_damaged(&self, cover: &Cover) -> Result<(), StoreError> {
        let (there, _) = self.finished()?;
        let slices = Slice::all(&self.board, cover);
        for slice in slices.into_iter().filter(|slice| !there.admits_slice(slice.name())) {
            self.remove_slice_if_damaged(slice)?;
        }
        Ok(())
    }

    /// Like [`Store::remove_damaged`], but for one slice that the MANIFEST does not list. Returns
    /// whether it is there and undamaged.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub(super) fn remove_slice_if_damaged(&self, slice: Slice) -> Result<bool, StoreError> {
        // A run may have been killed when it had moved only some slices beside the others.
        let path = self.slice_path(slice);
        if !path.exists() {
            return Ok(false);
        }
        let bytes = self.read_file(&path)?;
        let decoder = SliceDecoder::new(&self.board, slice, &bytes, bytes.len() as u64);
        let is_whole = decoder.is_ok_and(|decoder| decoder.has_right_checksums(&bytes));
        if !is_whole {
            fs::remove_file(&path).map_err(|source| StoreError::Io { path, source })?;
        }
        Ok(is_whole)
    }

    /// The record of a finished slice.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn record(&self, slice: Slice) -> Result<SliceRecord, StoreError> {
        let path = self.slice_path(slice);
        let io = |source| StoreError::Io { path: path.clone(), source };
        let mut hasher = blake3::Hasher::new();
        let mut file = fs::File::open(&path).map_err(io)?;
        let length = io::copy(&mut file, &mut hasher).map_err(io)?;
        let digest = Digest(*hasher.finalize().as_bytes());
        Ok(SliceRecord { name: slice.name(), length, digest })
    }

    /// Extends the cover of the database (under [`Store::lock`]); all slices of the new cover must
    /// be finished.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn complete(&self, cover: &Cover, records: &[SliceRecord]) -> Result<(), StoreError> {
        for record in records {
            let name = record.name.file_name();
            let (from, to) = (self.building.join(&name), self.directory.join(&name));
            if from.exists() {
                fs::rename(&from, &to).map_err(|source| StoreError::Io { path: from, source })?;
            }
        }
        atomic::sync_file_system(&self.directory)
            .map_err(|source| StoreError::Io { path: self.directory.clone(), source })?;
        self.save_manifest(cover, records.to_vec())?;
        // Finished slices of a larger cover that was begun may be left in this directory.
        match fs::remove_dir(&self.building) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(e) if e.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
            other => other.map_err(|source| StoreError::Io { path: self.building.clone(), source }),
        }
    }

    fn figures_path(&self) -> PathBuf {
        self.directory.with_extension("figures")
    }

    /// Appends the figures of a slice to the file beside the database (under [`Store::lock`] or
    /// [`Store::lock_with_others`]).
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn add_figures(&self, figures: &Figures) -> Result<(), StoreError> {
        let path = self.figures_path();
        let write = || {
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&path)?;
            // On a network file system append mode alone does not keep two lines apart.
            file.lock()?;
            // The line also begins with a newline, since a killed run may have left a part of a
            // line.
            file.write_all(format!("\n{}\n", figures.to_line()).as_bytes())
        };
        write().map_err(|source| StoreError::Io { path: path.clone(), source })
    }

    /// The noted figures, the last ones of each slice, in no order.
    pub fn figures(&self) -> Vec<Figures> {
        let text = fs::read_to_string(self.figures_path()).unwrap_or_default();
        let all = text.lines().filter_map(Figures::from_line);
        all.map(|f| (f.slice, f)).collect::<HashMap<_, _>>().into_values().collect()
    }

    /// Writes the MANIFEST (under [`Store::lock`]), by which the database has these slices.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    fn save_manifest(&self, cover: &Cover, slices: Vec<SliceRecord>) -> Result<(), StoreError> {
        let (rows, columns) = (self.board.rows(), self.board.columns());
        let manifest = DatabaseManifest { rows, columns, cover: cover.clone(), slices };
        let path = self.manifest_path();
        write_parts(&path, std::iter::once(manifest.encode()))
            .map_err(|source| StoreError::Io { path, source })
    }
}
