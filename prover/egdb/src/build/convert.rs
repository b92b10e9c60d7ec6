//! Converting a database of version 0 of the format in place.
//!
//! First all slices are verified against the digests of the old MANIFEST. Then one after the other
//! gets its new head, written atomically; depths are bound to the new files; and at last the new
//! MANIFEST takes the place of the old. A run that is killed leaves the old MANIFEST with some
//! slices converted; those are verified by the digests of what they were made from, and the next run
//! goes on from there.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use certificate_spec::Digest;
use certificate_spec::database::SliceRecord;
use certificate_spec::slice::{self, SliceHead};

use crate::depth;
use crate::disk::atomic;
use crate::disk::store::{Store, StoreError};
use crate::disk::version0;
use crate::index::slice::Slice;

/// The head of a slice's file, and the version that it has.
enum Head {
    Version0(SliceHead),
    Version1(SliceHead),
}

/// Converts the database in `store` (under [`Store::lock`]) if it is of version 0, and says whether it
/// was. Slices that are finished and not listed yet are converted as well, and so are depths.
/// `progress` is called after each slice with the numbers of slices converted and in all.
///
/// # Errors
/// [`StoreError`]: where a file is not what the old MANIFEST says, nothing has been changed.
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
        store.compare(record, &old_record(store, record.name.into())?)?;
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

/// The slices of which there are files of version 0 that the MANIFEST does not list: a build of a
/// larger number of pieces has been interrupted. A file that is damaged is left to the next build,
/// which removes it.
fn unlisted_slices(store: &Store, listed: &[SliceRecord]) -> Result<Vec<Slice>, StoreError> {
    let mut found = Vec::new();
    for slice in store.slices_there()? {
        if listed.iter().all(|record| record.name != slice.name())
            && open(store, slice).is_ok_and(|(_, head)| matches!(head, Head::Version0(_)))
        {
            found.push(slice);
        }
    }
    Ok(found)
}

/// Opens the file of a slice of either version and reads its head; what follows is read next.
fn open(store: &Store, slice: Slice) -> Result<(File, Head), StoreError> {
    let path = store.slice_path(slice);
    let io = |source| StoreError::Io { path: path.clone(), source };
    let mut file = File::open(&path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let start = read_start(&mut file, slice::START as u64).map_err(io)?;
    let is_old = version0::slice_head_length(&start);
    let whole = match is_old {
        Some(length) => length,
        None => slice::head_length(&start).map_err(|e| store.wire(&path, e))?,
    };
    let bytes = read_start(&mut file, whole).map_err(io)?;
    let head = match is_old {
        Some(_) => version0::decode_slice_head(&bytes).map(Head::Version0).ok_or_else(|| {
            store.mismatch(
                &path,
                "the head of a slice of version 0 as it was written",
                "other bytes",
            )
        })?,
        None => {
            Head::Version1(SliceHead::decode(&bytes, length).map_err(|e| store.wire(&path, e))?)
        }
    };
    Ok((file, head))
}

/// The first bytes of a file; it is read on after them.
fn read_start(file: &mut File, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The record that a slice has in version 0, whether its file is converted or not.
fn old_record(store: &Store, slice: Slice) -> Result<SliceRecord, StoreError> {
    let (mut file, head) = open(store, slice)?;
    let (Head::Version0(head) | Head::Version1(head)) = head;
    let head = version0::encode_slice_head(&head);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&head);
    let rest = io::copy(&mut file, &mut hasher)
        .map_err(|source| StoreError::Io { path: store.slice_path(slice), source })?;
    let digest = Digest(*hasher.finalize().as_bytes());
    Ok(SliceRecord { name: slice.name(), length: head.len() as u64 + rest, digest })
}

/// Converts the file of a slice unless it is converted already.
fn convert_slice(store: &Store, slice: Slice) -> Result<(), StoreError> {
    let (mut file, Head::Version0(head)) = open(store, slice)? else { return Ok(()) };
    let path = store.slice_path(slice);
    write_with_head(&path, &head, &mut file).map_err(|source| StoreError::Io { path, source })
}

fn write_with_head(path: &Path, head: &SliceHead, rest: &mut File) -> io::Result<()> {
    atomic::write_file(path, |out| {
        out.write_all(&head.encode())?;
        io::copy(rest, out).map(|_| ())
    })
}
