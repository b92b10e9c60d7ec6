//! Databases on disk: `DIR/<RxC>/MANIFEST` and a file a slice (`SPEC.md` §8.3 and §8.4).
//!
//! Files are written under a temporary name, synced and renamed. Slices of a number of pieces that is
//! not complete are kept in `DIR/<RxC>.building`; when the last is there, all are moved beside the others
//! and a new MANIFEST lists them. So whenever the program is killed, what the MANIFEST lists is there
//! and whole, and no finished slice is lost.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use certificate_spec::database::{DatabaseManifest, SliceRecord};
use certificate_spec::{Digest, WireError};
use thiserror::Error;

use super::figures::Figures;
use crate::codec::decode::SliceDecoder;
use crate::codec::encode::encode_slice;
use crate::index::slice::Slice;
use crate::values::table::Table;
use draughtproof_game::Board;

/// What can go wrong with a database on disk.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no database of this board here.
    #[error("{path}: no database here (build it with `prove db`)")]
    Missing {
        /// The MANIFEST that is not there.
        path: PathBuf,
    },
    /// Bytes that are not of the format.
    #[error("{path}: {source}; remove {directory} to build the database again")]
    Wire {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: WireError,
        /// The directory of the database.
        directory: PathBuf,
    },
    /// A file that belongs to something else or is damaged.
    #[error(
        "{path}: expected {expected}, found {found}; remove {directory} to build the database again"
    )]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
        /// The directory of the database.
        directory: PathBuf,
    },
    /// A file of depths that belongs to something else or is damaged.
    #[error(
        "{path}: expected {expected}, found {found}; remove it and write it again with `prove db --depth`"
    )]
    Depth {
        /// The file.
        path: PathBuf,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// Somebody else is building.
    #[error("{path}: expected to be the only builder, found that another process holds this lock")]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// Fewer pieces than wanted.
    #[error(
        "{path}: expected a database with {wanted} pieces, found one with {there} (extend it with `prove db --game {board} --pieces {wanted} --db {}`)", databases.display()
    )]
    TooSmall {
        /// The MANIFEST.
        path: PathBuf,
        /// The board.
        board: String,
        /// The directory of the databases.
        databases: PathBuf,
        /// Pieces wanted.
        wanted: u8,
        /// Pieces there.
        there: u8,
    },
}

/// What the names of files and directories that are being written begin with.
pub const UNFINISHED: &str = ".unfinished-";

/// Writes a file so that it is either there and whole or not there: under another name beside it,
/// synced, then renamed. What a killed run has left under that name is replaced.
///
/// # Errors
/// Whatever the system reports; the old file, if there was one, is untouched then.
pub(crate) fn write_whole<B: AsRef<[u8]>>(
    path: &Path,
    parts: impl Iterator<Item = B>,
) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = directory.join(format!("{UNFINISHED}{name}"));
    let write = || {
        let mut out = io::BufWriter::with_capacity(1 << 20, fs::File::create(&unfinished)?);
        for part in parts {
            out.write_all(part.as_ref())?;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&unfinished, path)?;
        fs::File::open(directory)?.sync_all()
    };
    write().inspect_err(|_| {
        // It may never have come into being.
        let _ = fs::remove_file(&unfinished);
    })
}

/// The directory of one board's database.
pub struct Store {
    directory: PathBuf,
    /// Slices of a number of pieces that is not complete.
    building: PathBuf,
    board: Board,
}

impl Store {
    /// The database of `board` under `root`, which need not exist.
    pub fn new(root: &Path, board: &Board) -> Self {
        let directory = root.join(board.name());
        Store { building: directory.with_extension("building"), directory, board: board.clone() }
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Where the file of a finished slice is, listed in the MANIFEST or not yet.
    pub(crate) fn slice_path(&self, slice: Slice) -> PathBuf {
        let name = slice.name().file_name();
        let (finished, building) = (self.directory.join(&name), self.building.join(name));
        // One that is gone is missed where it was listed.
        if !finished.exists() && building.exists() { building } else { finished }
    }

    /// Depths are kept beside the database: its own directory is closed.
    fn depth_directory(&self) -> PathBuf {
        self.directory.with_extension("depth")
    }

    /// Where the depths of a slice are, or would be.
    pub(crate) fn depth_path(&self, slice: Slice) -> PathBuf {
        self.depth_directory().join(slice.name().file_name())
    }

    /// Whether a slice is finished, be it listed in the MANIFEST or not yet.
    pub fn has_slice(&self, slice: Slice) -> bool {
        self.slice_path(slice).exists()
    }

    /// The number of pieces and the records of the MANIFEST; none where there is no database.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn finished(&self) -> Result<(u8, Vec<SliceRecord>), StoreError> {
        match self.manifest() {
            Ok(manifest) => Ok((manifest.pieces, manifest.slices)),
            Err(StoreError::Missing { .. }) => Ok((0, Vec::new())),
            Err(error) => Err(error),
        }
    }

    /// The bytes that are free where the database is.
    ///
    /// # Errors
    /// [`StoreError::Io`]
    pub fn free_space(&self) -> Result<u64, StoreError> {
        let there = rustix::fs::statvfs(&self.directory)
            .map_err(|e| StoreError::Io { path: self.directory.clone(), source: e.into() })?;
        Ok(there.f_bavail * there.f_frsize)
    }

    fn manifest_path(&self) -> PathBuf {
        self.directory.join("MANIFEST")
    }

    fn read_file(&self, path: &Path) -> Result<Vec<u8>, StoreError> {
        fs::read(path).map_err(|source| StoreError::Io { path: path.into(), source })
    }

    fn mismatch(&self, path: &Path, expected: impl ToString, found: impl ToString) -> StoreError {
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

    /// Keeps other processes from building this database as long as the file is held, and clears
    /// away what a killed builder has left unfinished. The system lets go of the lock when a process
    /// ends, however it ends.
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

    /// The MANIFEST, if it is one of a complete database of this board.
    ///
    /// # Errors
    /// [`StoreError`]; [`StoreError::Missing`] where there is none.
    pub fn manifest(&self) -> Result<DatabaseManifest, StoreError> {
        let path = self.manifest_path();
        let bytes = self.read_file(&path).map_err(|error| match error {
            StoreError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                StoreError::Missing { path: path.clone() }
            }
            other => other,
        })?;
        let manifest = DatabaseManifest::decode(&bytes).map_err(|e| self.wire(&path, e))?;
        let there = format!("board {}x{}", manifest.rows, manifest.columns);
        let here = format!("board {}", self.board.name());
        if there != here {
            return Err(self.mismatch(&path, here, there));
        }
        if manifest.pieces > self.board.squares() {
            let want = format!("at most {} pieces", self.board.squares());
            return Err(self.mismatch(&path, want, manifest.pieces));
        }
        let names = |slices: &[Slice]| slices.iter().map(|s| s.name()).collect::<Vec<_>>();
        let want = names(&Slice::all(&self.board, manifest.pieces));
        let found: Vec<_> = manifest.slices.iter().map(|s| s.name).collect();
        if want != found {
            let want = format!("the {} slices with at most {} pieces", want.len(), manifest.pieces);
            return Err(self.mismatch(&path, want, format!("{} slices", found.len())));
        }
        Ok(manifest)
    }

    /// The MANIFEST of a database with at least `pieces` pieces, as if it had no more.
    ///
    /// # Errors
    /// [`StoreError`]: among others when fewer pieces are there.
    pub fn manifest_of(&self, pieces: u8) -> Result<DatabaseManifest, StoreError> {
        let manifest = self.manifest()?;
        if manifest.pieces < pieces {
            let (path, board) = (self.manifest_path(), self.board.name());
            let databases = self.directory.parent().unwrap_or(Path::new(".")).to_path_buf();
            let (wanted, there) = (pieces, manifest.pieces);
            return Err(StoreError::TooSmall { path, board, databases, wanted, there });
        }
        Ok(manifest.up_to(pieces))
    }

    /// Verifies the digests of the files of slices with at most `pieces` pieces.
    ///
    /// # Errors
    /// [`StoreError`]: among others the first file that is not what the MANIFEST says.
    pub fn verify(&self, pieces: u8) -> Result<(), StoreError> {
        for expected in &self.manifest_of(pieces)?.slices {
            let path = self.slice_path(expected.name.into());
            let found = self.record(expected.name.into())?;
            if found != *expected {
                let show = |r: &SliceRecord| format!("{} bytes with BLAKE3 {}", r.length, r.digest);
                return Err(self.mismatch(&path, show(expected), show(&found)));
            }
        }
        Ok(())
    }

    /// The values of the quiet positions of a slice, from its file; with a record of the MANIFEST, if it
    /// has that digest.
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

    /// Writes a solved slice (under [`Store::lock`]); returns the length of its file.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn save_slice(&self, slice: Slice, table: &Table) -> Result<u64, StoreError> {
        let path = self.building.join(slice.name().file_name());
        let io = |source| StoreError::Io { path: path.clone(), source };
        fs::create_dir_all(&self.building).map_err(io)?;
        let parts = encode_slice(&self.board, slice, table);
        write_whole(&path, parts.iter()).map_err(io)?;
        Ok(parts.iter().map(|part| part.len() as u64).sum())
    }

    /// Removes slices of a number of pieces that is not complete if they are no longer as they were
    /// written (under [`Store::lock`]): no digest is known of them as yet, but checksums are.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub(crate) fn remove_damaged(&self) -> Result<(), StoreError> {
        let (there, _) = self.finished()?;
        let next = there.max(1) + 1;
        let slices = Slice::all(&self.board, self.board.squares().min(next));
        for slice in slices.into_iter().filter(|slice| slice.pieces() == next) {
            // A run may have been killed when only some had been moved beside the others.
            let path = self.slice_path(slice);
            if !path.exists() {
                continue;
            }
            let bytes = self.read_file(&path)?;
            let decoder = SliceDecoder::new(&self.board, slice, &bytes, bytes.len() as u64);
            if !decoder.is_ok_and(|decoder| decoder.has_right_checksums(&bytes)) {
                fs::remove_file(&path).map_err(|source| StoreError::Io { path, source })?;
            }
        }
        Ok(())
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

    /// Makes a number of pieces a part of the database (under [`Store::lock`]), of which all slices are
    /// finished.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn complete(&self, pieces: u8, records: &[SliceRecord]) -> Result<(), StoreError> {
        for record in records {
            let name = record.name.file_name();
            let (from, to) = (self.building.join(&name), self.directory.join(&name));
            if from.exists() {
                fs::rename(&from, &to).map_err(|source| StoreError::Io { path: from, source })?;
            }
        }
        let sync = |path: &Path| fs::File::open(path)?.sync_all();
        sync(&self.directory)
            .map_err(|source| StoreError::Io { path: self.directory.clone(), source })?;
        self.save_manifest(pieces, records.to_vec())?;
        if self.building.exists() {
            fs::remove_dir_all(&self.building)
                .map_err(|source| StoreError::Io { path: self.building.clone(), source })?;
        }
        Ok(())
    }

    fn figures_path(&self) -> PathBuf {
        self.directory.with_extension("figures")
    }

    /// Notes the figures of a slice beside the database (under [`Store::lock`]).
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn add_figures(&self, figures: &Figures) -> Result<(), StoreError> {
        let path = self.figures_path();
        let write = || {
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&path)?;
            // In front, too: a killed run may have left a part of a line.
            file.write_all(format!("\n{}\n", figures.to_line()).as_bytes())
        };
        write().map_err(|source| StoreError::Io { path: path.clone(), source })
    }

    /// The figures that were noted, the last of each slice, in no order.
    pub fn figures(&self) -> Vec<Figures> {
        let text = fs::read_to_string(self.figures_path()).unwrap_or_default();
        let all = text.lines().filter_map(Figures::from_line);
        all.map(|f| (f.slice, f)).collect::<HashMap<_, _>>().into_values().collect()
    }

    /// Writes the MANIFEST (under [`Store::lock`]): from now on the database has these slices.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    fn save_manifest(&self, pieces: u8, slices: Vec<SliceRecord>) -> Result<(), StoreError> {
        let (rows, columns) = (self.board.rows(), self.board.columns());
        let manifest = DatabaseManifest { rows, columns, pieces, slices };
        let path = self.manifest_path();
        write_whole(&path, std::iter::once(manifest.encode()))
            .map_err(|source| StoreError::Io { path, source })
    }
}
