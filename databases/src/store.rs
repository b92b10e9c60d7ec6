//! Databases on disk: `DIR/<RxC>/MANIFEST` and a file a slice (`SPEC.md` §8.3 and §8.4).
//!
//! Files are written under a temporary name, synced and renamed, slices before the MANIFEST that
//! lists them; and the MANIFEST only ever lists complete numbers of pieces. So whenever the program
//! is killed, what the MANIFEST lists is there and whole.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use certificate_spec::database::{DatabaseManifest, SliceHeader, SliceRecord, decode_slice};
use certificate_spec::{Digest, WireError};
use thiserror::Error;

use super::resident::{Database, Tables};
use super::slice::Slice;
use super::table::Table;
use crate::board::Board;

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
    /// Somebody else is building.
    #[error("{path}: expected to be the only builder, found that another process holds this lock")]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// Fewer pieces than wanted.
    #[error(
        "{path}: expected a database with {wanted} pieces, found one with {there} (extend it with `prove db --pieces {wanted}`)"
    )]
    TooSmall {
        /// The MANIFEST.
        path: PathBuf,
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
fn write_whole<B: AsRef<[u8]>>(path: &Path, parts: impl Iterator<Item = B>) -> io::Result<()> {
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
    board: Board,
}

impl Store {
    /// The database of `board` under `root`, which need not exist.
    pub fn new(root: &Path, board: &Board) -> Self {
        Store { directory: root.join(board.name()), board: board.clone() }
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

    fn wire(&self, path: &Path, source: WireError) -> StoreError {
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
        for entry in fs::read_dir(&self.directory).map_err(io)? {
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

    /// Reads the slices with at most `pieces` pieces into memory, verifying their digests.
    ///
    /// # Errors
    /// [`StoreError`]: among others when fewer pieces are there or a file is damaged.
    pub fn load(&self, pieces: u8) -> Result<Database, StoreError> {
        let manifest = self.manifest()?;
        if manifest.pieces < pieces {
            let (wanted, there) = (pieces, manifest.pieces);
            return Err(StoreError::TooSmall { path: self.manifest_path(), wanted, there });
        }
        let mut tables = Tables::new(pieces);
        for record in &manifest.up_to(pieces).slices {
            let [a, b, c, d] = record.name.0;
            let slice = Slice::new(a, b, c, d);
            *tables.get_mut(slice) = self.load_slice(slice, record)?;
        }
        Ok(Database { board: self.board.clone(), pieces, tables })
    }

    fn load_slice(&self, slice: Slice, record: &SliceRecord) -> Result<Table, StoreError> {
        let path = self.directory.join(record.name.file_name());
        let bytes = self.read_file(&path)?;
        let digest = Digest::of(&bytes);
        if digest != record.digest {
            let want = format!("{} bytes with BLAKE3 {}", record.length, record.digest);
            return Err(self.mismatch(&path, want, format!("{} with {digest}", bytes.len())));
        }
        let (header, groups) = decode_slice(&bytes).map_err(|e| self.wire(&path, e))?;
        if header != self.header(slice) {
            return Err(self.mismatch(
                &path,
                format!("{:?}", self.header(slice)),
                format!("{header:?}"),
            ));
        }
        Ok(Table::from_bytes(header.indices, groups))
    }

    fn header(&self, slice: Slice) -> SliceHeader {
        SliceHeader {
            name: slice.name(),
            rows: self.board.rows(),
            columns: self.board.columns(),
            indices: slice.indices(&self.board),
        }
    }

    /// Writes a solved slice (under [`Store::lock`]); returns its record for the MANIFEST.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn save_slice(&self, slice: Slice, table: &Table) -> Result<SliceRecord, StoreError> {
        let path = self.directory.join(slice.name().file_name());
        let io = |source| StoreError::Io { path: path.clone(), source };
        let header = self.header(slice).encode();
        let mut hasher = blake3::Hasher::new();
        let mut length = 0;
        // Blocks of many groups: hashing and writing 16 bytes at a time would be slow.
        let mut groups = table.bytes().peekable();
        let head = std::iter::once(header.to_vec());
        let body = std::iter::from_fn(|| {
            groups.peek()?;
            Some(groups.by_ref().take(1 << 14).flatten().collect::<Vec<u8>>())
        });
        let parts = head.chain(body).inspect(|part| {
            hasher.update(part);
            length += part.len() as u64;
        });
        write_whole(&path, parts).map_err(io)?;
        Ok(SliceRecord {
            name: slice.name(),
            length,
            digest: Digest(*hasher.finalize().as_bytes()),
        })
    }

    /// Writes the MANIFEST (under [`Store::lock`]): from now on the database has these slices.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn save_manifest(&self, pieces: u8, slices: Vec<SliceRecord>) -> Result<(), StoreError> {
        let (rows, columns) = (self.board.rows(), self.board.columns());
        let manifest = DatabaseManifest { rows, columns, pieces, slices };
        let path = self.manifest_path();
        write_whole(&path, std::iter::once(manifest.encode()))
            .map_err(|source| StoreError::Io { path, source })
    }
}
