//! The MANIFEST of a database: which slices it has.

use std::fs;
use std::io::{self, Read};

use certificate_spec::cover::Cover;
use certificate_spec::database::{self, DatabaseManifest, SliceRecord};

use super::atomic;
use super::error::StoreError;
use super::store::Store;
use crate::index::slice::Slice;

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

    /// Writes the MANIFEST (under [`Store::lock`]), by which the database has these slices.
    fn save_manifest(&self, cover: &Cover, slices: Vec<SliceRecord>) -> Result<(), StoreError> {
        let (rows, columns) = (self.board.rows(), self.board.columns());
        let manifest = DatabaseManifest { rows, columns, cover: cover.clone(), slices };
        let path = self.manifest_path();
        atomic::write_parts(&path, std::iter::once(manifest.encode()))
            .map_err(|source| StoreError::Io { path, source })
    }
}
