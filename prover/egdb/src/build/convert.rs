//! Converts a database of version 0 of the format in place.
//!
//! First all slices are verified against the digests of the old MANIFEST. Then one after the other
//! is decoded and coded anew, written atomically; depths are bound to the new files; and at last
//! the new MANIFEST takes the place of the old. A run that is killed leaves the old MANIFEST with
//! some slices converted; those were verified before that run wrote them, and are by their own
//! checksums when the next run goes on from there.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use certificate_spec::Digest;
use certificate_spec::database::SliceRecord;
use certificate_spec::slice::{self, SliceHead};

use crate::codec::decode::decode_version0;
use crate::codec::encode::{encode_slice, header};
use crate::depth;
use crate::disk::store::{Store, StoreError, write_parts};
use crate::disk::version0;
use crate::index::slice::Slice;

/// The file of a slice whose head has been read.
struct OpenedSlice {
    head: SliceHead,
    /// Whether the file is of version 0.
    is_old: bool,
    /// The file, positioned behind the head.
    file: File,
}

/// Converts the database in `store` (under [`Store::lock`]) if it is of version 0, and returns
/// whether it was. Slices that are finished and not listed yet are converted as well, and so are
/// depths. `progress` is called after each slice with the number of converted slices and the number
/// of all slices.
///
/// # Errors
/// [`StoreError`]: if a file differs from the old MANIFEST, nothing has been changed.
pub fn convert(store: &Store, mut progress: impl FnMut(usize, usize)) -> Result<bool, StoreError> {
    let (path, bytes) = match store.manifest() {
        Err(StoreError::Version0 { path, .. }) => {
            let bytes = std::fs::read(&path);
            let bytes = bytes.map_err(|source| StoreError::Io { path: path.clone(), source })?;
            (path, bytes)
        }
        Err(StoreError::Missing { .. }) | Ok(_) => return Ok(false),
        Err(error) => return Err(error),
    };
    let old = version0::decode_manifest(&bytes).ok_or_else(|| {
        store.mismatch(&path, "a MANIFEST of version 0 as it was written", "other bytes")
    })?;
    store.check_complete(&old)?;
    for record in &old.slices {
        match old_record(store, record.name.into())? {
            Some(found) => store.compare(record, &found)?,
            None => store.check_checksums(record.name.into())?,
        }
    }
    let unlisted = unlisted_slices(store, &old.slices)?;
    let count = unlisted.len() + old.slices.len();
    for (i, &slice) in unlisted.iter().enumerate() {
        convert_slice(store, slice)?;
        progress(i + 1, count);
    }
    let mut records = Vec::with_capacity(old.slices.len());
    for (i, old) in old.slices.iter().enumerate() {
        convert_slice(store, old.name.into())?;
        let record = store.record(old.name.into())?;
        depth::rebind(store, old, &record)?;
        records.push(record);
        progress(unlisted.len() + i + 1, count);
    }
    store.save_manifest(&old.cover, records)?;
    Ok(true)
}

/// The slices with files of version 0 that the MANIFEST does not list, from a build of a larger
/// number of pieces that was interrupted. A file that is damaged is left to the next build, which
/// removes it.
fn unlisted_slices(store: &Store, listed: &[SliceRecord]) -> Result<Vec<Slice>, StoreError> {
    let mut found = Vec::new();
    for slice in store.slices_there()? {
        if listed.iter().all(|record| record.name != slice.name())
            && open(store, slice).is_ok_and(|opened| opened.is_old)
        {
            found.push(slice);
        }
    }
    Ok(found)
}

/// Opens the file of a slice, of version 0 or of version 1.
fn open(store: &Store, slice: Slice) -> Result<OpenedSlice, StoreError> {
    let path = store.slice_path(slice);
    let io = |source| StoreError::Io { path: path.clone(), source };
    let wire = |source| store.wire(&path, source);
    let mut file = File::open(&path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let start = read_start(&mut file, slice::START as u64).map_err(io)?;
    let old_length = version0::slice_head_length(&start);
    let (head, is_old) = match old_length {
        Some(head) => {
            let head = version0::decode_slice_head(&read_start(&mut file, head).map_err(io)?);
            let expected = "the head of a slice of version 0 as it was written";
            (head.ok_or_else(|| store.mismatch(&path, expected, "other bytes"))?, true)
        }
        None => {
            let head = slice::head_length(&start).map_err(wire)?;
            let head = read_start(&mut file, head).map_err(io)?;
            (SliceHead::decode(&head, length).map_err(wire)?, false)
        }
    };
    let expected = header(store.board(), slice);
    if head.header != expected {
        return Err(store.mismatch(&path, expected, head.header));
    }
    Ok(OpenedSlice { head, is_old, file })
}

/// The first bytes of a file; the next read continues behind them.
fn read_start(file: &mut File, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The record that a slice has in version 0; `None` if its file is converted.
fn old_record(store: &Store, slice: Slice) -> Result<Option<SliceRecord>, StoreError> {
    let OpenedSlice { head, is_old, mut file } = open(store, slice)?;
    if !is_old {
        return Ok(None);
    }
    let head = version0::encode_slice_head(&head);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&head);
    let rest = io::copy(&mut file, &mut hasher)
        .map_err(|source| StoreError::Io { path: store.slice_path(slice), source })?;
    let digest = Digest(*hasher.finalize().as_bytes());
    Ok(Some(SliceRecord { name: slice.name(), length: head.len() as u64 + rest, digest }))
}

/// Converts the file of a slice unless it is converted already.
fn convert_slice(store: &Store, slice: Slice) -> Result<(), StoreError> {
    let OpenedSlice { head, is_old, mut file } = open(store, slice)?;
    if !is_old {
        return Ok(());
    }
    let path = store.slice_path(slice);
    let io = |source| StoreError::Io { path: path.clone(), source };
    let mut payloads = Vec::new();
    file.read_to_end(&mut payloads).map_err(io)?;
    let table = decode_version0(store.board(), slice, &head, &payloads).ok_or_else(|| {
        store.mismatch(&path, "a slice of version 0 as it was written", "other bytes")
    })?;
    let parts = encode_slice(store.board(), slice, &table);
    write_parts(&path, parts.iter()).map_err(io)
}
