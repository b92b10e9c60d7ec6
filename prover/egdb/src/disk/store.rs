//! The directory of a board's database, and the places of its files.

use std::fs;
use std::path::{Path, PathBuf};

use certificate_spec::WireError;

use super::atomic;
use super::error::StoreError;
use crate::index::slice::Slice;
use draughtproof_game::Board;

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
        atomic::free_space(there).map_err(|source| StoreError::Io { path: there.into(), source })
    }

    pub(super) fn read_file(&self, path: &Path) -> Result<Vec<u8>, StoreError> {
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
}
