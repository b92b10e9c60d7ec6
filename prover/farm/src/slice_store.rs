//! Finished slices in an object store, for machines that have no directory in common.
//!
//! `<RxC>/slices/<slice>.json` names the file of a slice, by length and BLAKE3 digest, and
//! `<RxC>/files/<digest>` is that file. Fetched bytes are checked against both. Any machine builds
//! equal bytes for a slice, so it does not matter which one stores it first.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

use crate::egdb::{Builder, Cover, Slice, Store, StoreError, pair_of};
use crate::objects::{self, PlaceError};
use certificate_spec::Digest;
use draughtproof_proof::progress::Progress;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::io::AsyncWriteExt;
use tokio::runtime::Runtime;

/// The number of bytes that are sent or fetched at a time.
const PART: usize = 16 << 20;

/// Slices in an object store.
pub struct SliceStore {
    place: String,
    objects: Arc<dyn ObjectStore>,
    runtime: Runtime,
    progress: Progress,
}

/// The reason why slices cannot be fetched or stored.
#[derive(Debug, Error)]
pub enum SliceStoreError {
    #[error("--store {0}")]
    Place(#[from] PlaceError),
    #[error("--store {place}: {source}")]
    Objects { place: String, source: Box<object_store::Error> },
    #[error(
        "--store {object}: expected {expected}, found {found}; remove {entry} there, and have the \
         slice built again"
    )]
    Damaged { object: String, expected: String, found: String, entry: String },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot start threads: {0}")]
    Threads(io::Error),
}

/// The entry that names the file of a slice.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Entry {
    bytes: u64,
    blake3: String,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes with BLAKE3 {}", self.bytes, self.blake3)
    }
}

impl SliceStore {
    /// Opens the object store of slices at a place: a directory, which is made if it `is_made`, or
    /// `s3://bucket/prefix`.
    ///
    /// # Errors
    /// [`SliceStoreError::Place`]; [`SliceStoreError::Threads`]
    pub fn open(
        place: &str,
        is_made: bool,
        progress: &Progress,
    ) -> Result<SliceStore, SliceStoreError> {
        let objects = objects::open(place, is_made)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(SliceStoreError::Threads)?;
        Ok(SliceStore { place: place.into(), objects, runtime, progress: *progress })
    }

    /// Fetches slices and their twins, as far as they are in the object store and `store` lacks
    /// them. For those that are not there, fetches the slices that they follow from (under
    /// [`Store::lock_with_others`]).
    ///
    /// # Errors
    /// [`SliceStoreError`]; slices that were fetched before stay.
    pub fn fetch_needs(&self, store: &Store, slices: &[Slice]) -> Result<(), SliceStoreError> {
        let board = store.board().name();
        let mut wanted = Vec::new();
        for pair in slices.iter().map(|&slice| pair_of(slice)) {
            let both = [pair, pair.twin()];
            wanted.extend(both);
            for slice in both {
                if !store.has_slice(slice) && self.entry(&board, slice)?.is_none() {
                    wanted.extend(Builder::reads(pair));
                }
            }
        }
        wanted.sort_by_key(|slice| slice.name().order());
        wanted.dedup();
        self.fetch(store, &wanted)
    }

    /// Fetches the slices of a cover, as far as they are in the object store and `store` lacks them
    /// (under [`Store::lock_with_others`]).
    pub fn fetch_all(&self, store: &Store, cover: &Cover) -> Result<(), SliceStoreError> {
        self.fetch(store, &Slice::all(store.board(), cover))
    }

    fn fetch(&self, store: &Store, slices: &[Slice]) -> Result<(), SliceStoreError> {
        let board = store.board().name();
        let mut found = Vec::new();
        for &slice in slices.iter().filter(|&&slice| !store.has_slice(slice)) {
            if let Some(entry) = self.entry(&board, slice)? {
                found.push((slice, entry));
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        let bytes = found.iter().map(|(_, entry)| entry.bytes).sum();
        let bar = self.progress.start(format!("fetching slices of {board}"), bytes, "byte");
        for (slice, entry) in found {
            self.fetch_slice(store, slice, &entry)?;
            bar.add(entry.bytes);
        }
        bar.finish();
        Ok(())
    }

    /// The entry of a slice, if it is in the object store.
    fn entry(&self, board: &str, slice: Slice) -> Result<Option<Entry>, SliceStoreError> {
        let path = entry_path(board, slice);
        let read = async { self.objects.get(&path).await?.bytes().await };
        let bytes = match self.runtime.block_on(read) {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            bytes => bytes.map_err(|e| self.failed(e))?,
        };
        let entry = serde_json::from_slice(&bytes);
        let entry = entry.map_err(|e| self.damaged(&path, &path, "length and BLAKE3 name", e))?;
        Ok(Some(entry))
    }

    fn fetch_slice(
        &self,
        store: &Store,
        slice: Slice,
        entry: &Entry,
    ) -> Result<(), SliceStoreError> {
        let board = store.board().name();
        let [path, of] = [file_path(&board, &entry.blake3), entry_path(&board, slice)];
        let wrong = |found: String| self.damaged(&of, &path, entry, found);
        let mut failure = None;
        let written = store.add_slice(slice, |file| {
            self.copy(&path, entry, file, &wrong).map_err(|error| match error {
                CopyError::File(error) => error,
                CopyError::Store(error) => {
                    failure = Some(error);
                    io::Error::other("not fetched")
                }
            })
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(written?),
        }
    }

    /// Copies an object into a file, part by part, and checks it against its entry.
    fn copy(
        &self,
        path: &Path,
        entry: &Entry,
        file: &mut File,
        wrong: &dyn Fn(String) -> SliceStoreError,
    ) -> Result<(), CopyError> {
        let mut hasher = blake3::Hasher::new();
        let mut from = 0;
        while from < entry.bytes {
            let to = entry.bytes.min(from + PART as u64);
            let part = self.runtime.block_on(self.objects.get_range(path, from..to));
            let part = part.map_err(|e| {
                CopyError::Store(match e {
                    object_store::Error::NotFound { .. } => wrong("no such object".into()),
                    e => self.failed(e),
                })
            })?;
            if part.len() as u64 != to - from {
                return Err(CopyError::Store(wrong(format!("{} bytes", from + part.len() as u64))));
            }
            hasher.update(&part);
            file.write_all(&part).map_err(CopyError::File)?;
            from = to;
        }
        let found = Digest(*hasher.finalize().as_bytes()).to_string();
        match found == entry.blake3 {
            true => Ok(()),
            false => Err(CopyError::Store(wrong(format!("others with BLAKE3 {found}")))),
        }
    }

    /// Stores slices of `store`, with their twins. Slices that are there already are not replaced.
    ///
    /// # Errors
    /// [`SliceStoreError`]; [`SliceStoreError::Damaged`] if another file is there for one of them.
    pub fn leave(&self, store: &Store, slices: &[Slice]) -> Result<(), SliceStoreError> {
        let board = store.board().name();
        let pairs = slices.iter().map(|&slice| pair_of(slice));
        for slice in pairs.flat_map(|slice| [slice, slice.twin()]) {
            let record = store.record(slice)?;
            let entry = Entry { bytes: record.length, blake3: record.digest.to_string() };
            let [path, of] = [file_path(&board, &entry.blake3), entry_path(&board, slice)];
            if let Some(there) = self.entry(&board, slice)? {
                if there == entry {
                    continue;
                }
                return Err(self.damaged(&of, &of, &entry, there));
            }
            let mut file = store.open_slice(slice)?;
            self.runtime.block_on(self.send(&path, &mut file)).map_err(|e| self.failed(e))?;
            // The entry is stored after the file, so that a machine that sees it finds the file.
            let text = serde_json::to_vec(&entry).unwrap_or_default();
            let put = self.objects.put(&of, text.into());
            self.runtime.block_on(put).map_err(|e| self.failed(e))?;
        }
        Ok(())
    }

    async fn send(&self, path: &Path, file: &mut File) -> Result<(), object_store::Error> {
        let generic =
            |e: io::Error| object_store::Error::Generic { store: "file", source: e.into() };
        let mut writer = BufWriter::with_capacity(Arc::clone(&self.objects), path.clone(), PART);
        loop {
            let mut part = Vec::new();
            file.take(PART as u64).read_to_end(&mut part).map_err(generic)?;
            if part.is_empty() {
                break;
            }
            writer.put(part.into()).await?;
        }
        writer.shutdown().await.map_err(generic)
    }

    fn failed(&self, source: object_store::Error) -> SliceStoreError {
        SliceStoreError::Objects { place: self.place.clone(), source: Box::new(source) }
    }

    fn damaged(
        &self,
        entry: &Path,
        object: &Path,
        expected: impl ToString,
        found: impl ToString,
    ) -> SliceStoreError {
        SliceStoreError::Damaged {
            object: format!("{}/{object}", self.place),
            entry: entry.to_string(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}

/// The reason why an object was not copied.
enum CopyError {
    File(io::Error),
    Store(SliceStoreError),
}

fn entry_path(board: &str, slice: Slice) -> Path {
    Path::from(format!("{board}/slices/{}.json", slice.name().file_name()))
}

fn file_path(board: &str, digest: &str) -> Path {
    Path::from(format!("{board}/files/{digest}"))
}
