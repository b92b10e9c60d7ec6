//! The directory of a board's database, and the places of its files.
//!
//! By locks several processes can use one database, on one machine or on several with a file system
//! in common. A process that builds the whole database has a lock for itself. Processes that build
//! some slices of it hold a shared lock of the whole database, so that no process finishes or
//! cleans up the database meanwhile, and an exclusive lock of the pair of slices that they solve,
//! so that no pair is solved twice. A slice is renamed to its name when it is complete
//! ([`atomic::write_unsynced`](super::atomic::write_unsynced)), and solving it again gives equal
//! bytes. So if locks do not reach other machines, work may be done twice, but the result is right.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::StoreError;
use super::atomic::{self, UNFINISHED, remove_unfinished};
use crate::index::slice::Slice;
use certificate_spec::WireError;
use certificate_spec::cover::Cover;
use certificate_spec::database::{self, DatabaseManifest, SliceRecord};
use draughtproof_game::Board;

/// A locked file. Dropping it releases the lock even if a child process has a copy of the handle,
/// as each child has until it runs its program.
#[derive(Debug)]
pub struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// The directory of one board's database.
#[derive(Clone)]
pub struct Store {
    pub(super) directory: PathBuf,
    /// The directory of slices that the MANIFEST does not list yet.
    pub(super) building: PathBuf,
    pub(super) board: Board,
}

impl Store {
    /// The store of the database of `board` under `root`. The database need not exist.
    pub fn new(root: &Path, board: &Board) -> Self {
        let directory = root.join(board.name());
        Store { building: directory.with_extension("building"), directory, board: board.clone() }
    }

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
    pub(super) fn depth_directory(&self) -> PathBuf {
        self.directory.with_extension("depth")
    }

    /// The directory of decoded tables, which is beside the database like that of depths.
    pub fn tables(&self) -> PathBuf {
        self.directory.with_extension("tables")
    }

    pub(crate) fn depth_path(&self, slice: Slice) -> PathBuf {
        self.depth_directory().join(slice.name().file_name())
    }

    pub(super) fn manifest_path(&self) -> PathBuf {
        self.directory.join("MANIFEST")
    }

    /// The directory of the databases of all boards.
    pub(crate) fn databases(&self) -> PathBuf {
        self.directory.parent().unwrap_or(Path::new(".")).to_path_buf()
    }

    /// Whether a slice is finished; the MANIFEST may list it or not.
    pub fn has_slice(&self, slice: Slice) -> bool {
        self.slice_path(slice).exists()
    }

    /// The free bytes on the disk of the database; more than any database takes if the system
    /// cannot report them.
    pub fn free_space(&self) -> Result<u64, StoreError> {
        let there = self.directory.ancestors().find(|folder| folder.exists());
        let there = there.unwrap_or(Path::new("."));
        atomic::free_space(there).map_err(StoreError::io(there))
    }

    pub(super) fn read_file(&self, path: &Path) -> Result<Vec<u8>, StoreError> {
        fs::read(path).map_err(StoreError::io(path))
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

    /// Keeps other processes from building this database as long as the lock is held, and removes
    /// the files that a killed builder has left unfinished. The system releases the lock when a
    /// process ends, even if it is killed.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process holds it; [`StoreError::Io`].
    pub fn lock(&self) -> Result<Lock, StoreError> {
        let file = self.lock_by(File::try_lock)?;
        let depths = self.depth_directory();
        for directory in [&self.directory, &self.building, &depths] {
            if directory.exists() {
                remove_unfinished(directory).map_err(StoreError::io(directory))?;
            }
        }
        Ok(file)
    }

    /// Keeps processes that build the whole database ([`Store::lock`]) from it as long as the lock
    /// is held, but not other callers of this function.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if a process builds the whole database; [`StoreError::Io`].
    pub fn lock_with_others(&self) -> Result<Lock, StoreError> {
        self.lock_by(File::try_lock_shared)
    }

    /// Locks the file beside the database by `try_lock`.
    fn lock_by(&self, try_lock: fn(&File) -> Result<(), TryLockError>) -> Result<Lock, StoreError> {
        let path = self.directory.with_extension("lock");
        let io = |source| StoreError::Io { path: path.clone(), source };
        fs::create_dir_all(&self.directory).map_err(StoreError::io(&self.directory))?;
        let file = File::create(&path).map_err(io)?;
        match try_lock(&file) {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path }),
            Err(TryLockError::Error(source)) => Err(io(source)),
        }
    }

    /// Keeps other processes from building a slice and its twin as long as the lock is held (under
    /// [`Store::lock_with_others`]). If another process builds them, calls `wait` and waits until
    /// it is done.
    pub(crate) fn lock_pair(&self, slice: Slice, wait: impl FnOnce()) -> Result<Lock, StoreError> {
        // The prefix of its name lets the next build of the whole database remove it.
        let name = format!("{UNFINISHED}lock-{}", slice.name().file_name());
        let path = self.building.join(name);
        fs::create_dir_all(&self.building)
            .and_then(|()| lock_or_wait(&path, wait))
            .map_err(StoreError::io(path))
    }
}

/// Locks a file as long as it is held. If another process holds it, calls `wait` and waits until
/// that is done.
pub(super) fn lock_or_wait(path: &Path, wait: impl FnOnce()) -> io::Result<Lock> {
    let file = File::create(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            wait();
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error),
    }
    Ok(Lock(file))
}

impl Store {
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

    /// The cover and the records of the MANIFEST; an empty cover if there is no database.
    pub fn finished(&self) -> Result<(Cover, Vec<SliceRecord>), StoreError> {
        match self.manifest() {
            Ok(manifest) => Ok((manifest.cover, manifest.slices)),
            Err(StoreError::Missing { .. }) => Ok((Cover::none(), Vec::new())),
            Err(error) => Err(error),
        }
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

    /// Extends the cover of the database (under [`Store::lock`]); all slices of the new cover must
    /// be finished.
    pub fn complete(&self, cover: &Cover, records: &[SliceRecord]) -> Result<(), StoreError> {
        for record in records {
            let name = record.name.file_name();
            let (from, to) = (self.building.join(&name), self.directory.join(&name));
            if from.exists() {
                fs::rename(&from, &to).map_err(StoreError::io(from))?;
            }
        }
        atomic::sync_file_system(&self.directory).map_err(StoreError::io(&self.directory))?;
        self.save_manifest(cover, records.to_vec())?;
        // Finished slices of a larger cover that was begun may be left in this directory.
        match fs::remove_dir(&self.building) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(e) if e.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
            other => other.map_err(StoreError::io(&self.building)),
        }
    }

    /// Writes the MANIFEST (under [`Store::lock`]), by which the database has these slices.
    fn save_manifest(&self, cover: &Cover, slices: Vec<SliceRecord>) -> Result<(), StoreError> {
        let (rows, columns) = (self.board.rows(), self.board.columns());
        let manifest = DatabaseManifest { rows, columns, cover: cover.clone(), slices };
        let path = self.manifest_path();
        atomic::write_parts(&path, std::iter::once(manifest.encode())).map_err(StoreError::io(path))
    }
}
