//! The files of slices: reading, verifying and writing them. Measurements of a build are one line
//! for each slice, in a file beside the database that is no part of it.

use super::store::Store;
use super::{StoreError, atomic};
use crate::codec::decode::SliceDecoder;
use crate::codec::encode::encode_slice;
use crate::index::slice::Slice;
use crate::values::table::Table;
use certificate_spec::Digest;
use certificate_spec::cover::Cover;
use certificate_spec::database::{SliceName, SliceRecord};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

impl Store {
    /// The slices of which there are files; the MANIFEST may list them or not.
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

    /// The record of a finished slice.
    pub fn record(&self, slice: Slice) -> Result<SliceRecord, StoreError> {
        let path = self.slice_path(slice);
        let io = |source| StoreError::Io { path: path.clone(), source };
        let mut hasher = blake3::Hasher::new();
        let mut file = fs::File::open(&path).map_err(io)?;
        let length = io::copy(&mut file, &mut hasher).map_err(io)?;
        let digest = Digest(*hasher.finalize().as_bytes());
        Ok(SliceRecord { name: slice.name(), length, digest })
    }

    /// Opens the file of a finished slice for reading.
    pub fn open_slice(&self, slice: Slice) -> Result<fs::File, StoreError> {
        let path = self.slice_path(slice);
        fs::File::open(&path).map_err(StoreError::io(path))
    }

    /// The values of the quiet positions of a slice, from its file. With a record of the MANIFEST
    /// the digest of the file is verified.
    pub(crate) fn load_slice(
        &self,
        slice: Slice,
        record: Option<&SliceRecord>,
    ) -> Result<Table, StoreError> {
        let path = self.slice_path(slice);
        if record.is_some() && !path.exists() {
            return Err(self.mismatch(&path, "the slice that MANIFEST lists", "no such file"));
        }
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

    /// Verifies the digests of the files of the slices of a cover.
    ///
    /// # Errors
    /// [`StoreError`]: among others for the first file that differs from the MANIFEST.
    pub fn verify(&self, cover: &Cover) -> Result<(), StoreError> {
        self.manifest_of(cover)?.slices.iter().try_for_each(|expected| self.verify_slice(expected))
    }

    /// The slices among these records whose files are missing or differ from their record.
    ///
    /// # Errors
    /// [`StoreError::Io`]: a file cannot be read.
    pub fn lost<'a>(
        &self,
        records: impl IntoIterator<Item = &'a SliceRecord>,
    ) -> Result<Vec<Slice>, StoreError> {
        let mut lost = Vec::new();
        for record in records {
            let slice = Slice::from(record.name);
            let is_there = self.directory.join(record.name.file_name()).exists();
            match is_there.then(|| self.verify_slice(record)).transpose() {
                Ok(Some(())) => {}
                Ok(None) | Err(StoreError::Mismatch { .. }) => lost.push(slice),
                Err(error) => return Err(error),
            }
        }
        Ok(lost)
    }

    /// Removes the file of a slice, if it is there.
    pub(crate) fn remove_slice(&self, slice: Slice) -> Result<(), StoreError> {
        let path = self.slice_path(slice);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::Io { path, source: error })
            }
            _ => Ok(()),
        }
    }

    /// Puts a slice that was built again in the place of the file that the MANIFEST lists.
    ///
    /// # Errors
    /// [`StoreError::Mismatch`] if its bytes are not those that the MANIFEST lists.
    pub(crate) fn put_back(&self, record: &SliceRecord) -> Result<(), StoreError> {
        let name = record.name.file_name();
        let (from, to) = (self.building.join(&name), self.directory.join(&name));
        let done = if to.exists() {
            // The twin of a lost slice was there, and was built again beside it.
            fs::remove_file(&from)
        } else {
            self.verify_slice(record)?;
            fs::rename(&from, &to)
        };
        done.map_err(StoreError::io(from))?;
        // The directory of unlisted slices may hold others.
        let _ = fs::remove_dir(&self.building);
        atomic::sync_file_system(&self.directory).map_err(StoreError::io(&self.directory))
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

    /// Writes a solved slice (under [`Store::lock`] or [`Store::lock_with_others`]); returns the
    /// length of its file.
    pub fn save_slice(&self, slice: Slice, table: &Table) -> Result<u64, StoreError> {
        let path = self.building.join(slice.name().file_name());
        let io = |source| StoreError::Io { path: path.clone(), source };
        fs::create_dir_all(&self.building).map_err(io)?;
        let parts = encode_slice(&self.board, slice, table);
        // The file is synced when the MANIFEST lists it; until then its checksums detect damage.
        atomic::write_unsynced(&path, |file| atomic::write_all(file, parts.iter())).map_err(io)?;
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

    /// Removes slices of a cover that the MANIFEST does not list if they are damaged (under
    /// [`Store::lock`]): their digests are not known yet, but their checksums are.
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
    fn remove_slice_if_damaged(&self, slice: Slice) -> Result<bool, StoreError> {
        // A run may have been killed when it had moved only some slices beside the others.
        let path = self.slice_path(slice);
        if !path.exists() {
            return Ok(false);
        }
        let bytes = self.read_file(&path)?;
        let decoder = SliceDecoder::new(&self.board, slice, &bytes, bytes.len() as u64);
        let is_whole = decoder.is_ok_and(|decoder| decoder.has_right_checksums(&bytes));
        if !is_whole {
            fs::remove_file(&path).map_err(StoreError::io(path))?;
        }
        Ok(is_whole)
    }

    /// Whether slices that the MANIFEST does not list are there and undamaged (under
    /// [`Store::lock_pair`]); removes damaged ones.
    pub(crate) fn are_finished(&self, pair: &[Slice]) -> Result<bool, StoreError> {
        let mut finished = true;
        for &slice in pair {
            finished &= self.remove_slice_if_damaged(slice)?;
        }
        Ok(finished)
    }
}

/// The measurements of a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    pub slice: SliceName,
    /// The number of indices, including those that stand for no position.
    pub indices: u64,
    pub positions: u64,
    /// The number of wins for the side to move.
    pub win: u64,
    /// The number of losses for the side to move.
    pub loss: u64,
    /// The bytes of the slice's file.
    pub bytes: u64,
    /// The seconds to solve it, without the time in which other programs had the processors. A
    /// slice and its twin are solved together, and have half of the seconds each.
    pub solve_seconds: f64,
    /// The seconds to compress and write it, likewise.
    pub write_seconds: f64,
}

impl Figures {
    /// The line without its end: fields separated by tabs.
    pub fn to_line(&self) -> String {
        format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{:.3}\t{:.3}",
            self.slice.file_name(),
            self.indices,
            self.positions,
            self.win,
            self.loss,
            self.bytes,
            self.solve_seconds,
            self.write_seconds
        )
    }

    /// Reads a line; `None` if it is not one, such as the last line of a run that was killed.
    pub fn from_line(line: &str) -> Option<Figures> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[slice, indices, positions, win, loss, bytes, solve, write] = fields.as_slice() else {
            return None;
        };
        Some(Figures {
            slice: Slice::parse(slice)?.name(),
            indices: indices.parse().ok()?,
            positions: positions.parse().ok()?,
            win: win.parse().ok()?,
            loss: loss.parse().ok()?,
            bytes: bytes.parse().ok()?,
            solve_seconds: solve.parse().ok()?,
            write_seconds: write.parse().ok()?,
        })
    }
}

impl Store {
    fn figures_path(&self) -> PathBuf {
        self.directory.with_extension("figures")
    }

    /// Appends the figures of a slice to the file beside the database (under [`Store::lock`] or
    /// [`Store::lock_with_others`]).
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
        write().map_err(StoreError::io(&path))
    }

    /// The noted figures, the last ones of each slice, in no order.
    pub fn figures(&self) -> Vec<Figures> {
        let text = fs::read_to_string(self.figures_path()).unwrap_or_default();
        let all = text.lines().filter_map(Figures::from_line);
        all.map(|f| (f.slice, f)).collect::<HashMap<_, _>>().into_values().collect()
    }
}
