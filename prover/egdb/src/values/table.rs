//! The values of a slice in memory: two bits a value.
//!
//! A table can also be in a file that is mapped into memory.
//!
//! Opening such a file takes no longer for a large one than for a small one, the operating system
//! decides which pages stay in memory, and all processes of a machine share them. The files can be
//! made again from the compressed ones at any time: they are no part of a database, and no proof
//! rests on them. A file that belongs to another slice, is short or was damaged is detected. A file
//! that was forged with matching checksums is not:
//!
//! * The *key* of a table stands for all that its values follow from: the digest of its slice's
//!   file and the keys of the slices that captures lead to. It is in the file's name and its head.
//! * The head and the checksums of all pages, of which the head has a digest, are looked at when
//!   the file is opened, together with its length.
//! * The checksum of a page is looked at when a process first reads from the page.
//!
//! ```text
//! head, one page:  "DPTABLES" | version u32 | indices u64 | key [32] | BLAKE3 of the sums [32] |
//!                  zeros
//! pages:           for each 64 indices the bits of wins u64 and of losses u64; zeros at the end
//! sums:            for each page the first 8 bytes of its BLAKE3
//! ```
//!
//! All numbers are little-endian. A page that another process changes after its checksum was looked
//! at gives wrong values; a file that is cut short while it is mapped ends the process by SIGBUS.

pub use certificate_spec::value::Value;

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::disk::atomic;
use crate::numbers::size_up;
use certificate_spec::Digest;
use memmap2::Mmap;
use rayon::prelude::*;

/// The value at a bit of a win and a loss word.
#[inline]
pub(crate) fn value_of(win: u64, loss: u64, bit: u64) -> Value {
    // A table, because the branches would be mispredicted.
    const VALUES: [Value; 4] = [Value::Draw, Value::Win, Value::Loss, Value::Win];
    VALUES[(win >> bit & 1 | (loss >> bit & 1) << 1) as usize]
}

/// The values of a slice: in memory of this process, or in a mapped file, which is read-only.
pub struct Table {
    indices: u64,
    groups: Groups,
}

enum Groups {
    Owned(Vec<Group>),
    Mapped(MappedTable),
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table of {} indices", self.indices)
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.indices == other.indices && self.groups() == other.groups()
    }
}

impl Eq for Table {}

impl Table {
    /// A table without wins and losses.
    pub fn new(indices: u64) -> Self {
        let groups = table(indices.div_ceil(64) as usize, || [0; 2]);
        Table { indices, groups: Groups::Owned(groups) }
    }

    pub(crate) fn mapped(indices: u64, map: MappedTable) -> Self {
        Table { indices, groups: Groups::Mapped(map) }
    }

    /// Whether every page of a mapped table is undamaged; always true in memory.
    pub(crate) fn is_right(&self) -> bool {
        match &self.groups {
            Groups::Owned(_) => true,
            Groups::Mapped(map) => map.is_all_right(),
        }
    }

    /// All groups. Those of a mapped table are valid only if its pages are ([`Table::is_right`]).
    #[inline]
    pub(crate) fn groups(&self) -> &[Group] {
        match &self.groups {
            Groups::Owned(groups) => groups,
            Groups::Mapped(map) => map.groups(),
        }
    }

    fn groups_mut(&mut self) -> &mut [Group] {
        match &mut self.groups {
            Groups::Owned(groups) => groups,
            Groups::Mapped(_) => unreachable!("tables in files are only read"),
        }
    }

    pub fn indices(&self) -> u64 {
        self.indices
    }

    #[inline]
    pub fn value(&self, index: u64) -> Value {
        let [win, loss] = self.groups()[(index / 64) as usize];
        value_of(win, loss, index % 64)
    }

    /// The value at an index, if the table has a valid one: the table may be empty, or the page of
    /// a file may be damaged.
    #[inline]
    pub(crate) fn get(&self, index: u64) -> Option<Value> {
        let at = (index / 64) as usize;
        let [win, loss] = match &self.groups {
            Groups::Owned(groups) => *groups.get(at)?,
            Groups::Mapped(map) => map.group(at)?,
        };
        Some(value_of(win, loss, index % 64))
    }

    pub fn set(&mut self, index: u64, value: Value) {
        let (group, bit) = (&mut self.groups_mut()[(index / 64) as usize], index % 64);
        group[0] = group[0] & !(1 << bit) | u64::from(value == Value::Win) << bit;
        group[1] = group[1] & !(1 << bit) | u64::from(value == Value::Loss) << bit;
    }

    /// The win and loss bits of `len` indices from `index`, moved to the start of rows.
    #[inline]
    pub fn read(&self, index: u64, len: usize, win: &mut [u64], loss: &mut [u64]) {
        let (at, shift) = ((index / 64) as usize, index % 64);
        let groups = self.groups();
        for (i, (win, loss)) in win.iter_mut().zip(loss).enumerate().take(len.div_ceil(64)) {
            let low = groups[at + i];
            let left = len - 64 * i;
            let mask = if left < 64 { (1 << left) - 1 } else { u64::MAX };
            if shift == 0 {
                *win = low[0] & mask;
                *loss = low[1] & mask;
            } else {
                // The bits of the next group, if the row reaches into it.
                let high = if left as u64 > 64 - shift { groups[at + i + 1] } else { [0; 2] };
                *win = (low[0] >> shift | high[0] << (64 - shift)) & mask;
                *loss = (low[1] >> shift | high[1] << (64 - shift)) & mask;
            }
        }
    }

    /// The win and loss bits of 64 indices from `index`; the bits behind the last index are
    /// arbitrary.
    #[inline]
    pub fn word(&self, index: u64) -> (u64, u64) {
        let (at, shift) = ((index / 64) as usize, index % 64);
        let groups = self.groups();
        let low = groups[at];
        if shift == 0 {
            return (low[0], low[1]);
        }
        let high = groups.get(at + 1).copied().unwrap_or_default();
        let join = |plane: usize| low[plane] >> shift | high[plane] << (64 - shift);
        (join(0), join(1))
    }

    /// Sets `len` values from `index`, which must all be draws now, from packed bits.
    pub fn write(&mut self, index: u64, len: usize, win: &[u64], loss: &[u64]) {
        let (at, shift) = ((index / 64) as usize, index % 64);
        let groups = self.groups_mut();
        for (i, (&win, &loss)) in win.iter().zip(loss).enumerate().take(len.div_ceil(64)) {
            let group = &mut groups[at + i];
            group[0] |= win << shift;
            group[1] |= loss << shift;
            if shift != 0 && (win | loss) >> (64 - shift) != 0 {
                let group = &mut groups[at + i + 1];
                group[0] |= win >> (64 - shift);
                group[1] |= loss >> (64 - shift);
            }
        }
    }

    /// The numbers of wins and losses.
    pub fn count(&self) -> (u64, u64) {
        let count = |[win, loss]: &Group| [win, loss].map(|word| u64::from(word.count_ones()));
        let add = |[a, b]: [u64; 2], [c, d]: [u64; 2]| [a + c, b + d];
        let [wins, losses] =
            self.groups().par_iter().with_min_len(1 << 14).map(count).reduce(|| [0; 2], add);
        (wins, losses)
    }
}

/// Memory that cannot be had. Where a function without an error needs it, the thread unwinds with
/// this as its payload, and the command ends with this as its error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory {
    /// The bytes that were wanted.
    pub bytes: u64,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of memory in one piece cannot be had", size_up(self.bytes))
    }
}

impl std::error::Error for OutOfMemory {}

/// A table of this length, in large pages if the system has them.
pub fn try_table<T>(length: usize, value: impl FnMut() -> T) -> Result<Vec<T>, OutOfMemory> {
    let bytes = (length as u64).saturating_mul(size_of::<T>() as u64);
    let mut table = Vec::new();
    table.try_reserve_exact(length).map_err(|_| OutOfMemory { bytes })?;
    ask_for_large_pages(table.spare_capacity_mut());
    table.resize_with(length, value);
    Ok(table)
}

/// Like [`try_table`]; unwinds with [`OutOfMemory`] if there is no memory.
pub fn table<T>(length: usize, value: impl FnMut() -> T) -> Vec<T> {
    try_table(length, value).unwrap_or_else(|lack| resume_unwind(Box::new(lack)))
}

/// Returns zeroed words. The system provides a page of them when it is first touched.
pub fn zeroed_words(length: usize) -> Result<Vec<AtomicU64>, OutOfMemory> {
    let bytes = (length as u64).saturating_mul(size_of::<AtomicU64>() as u64);
    bytemuck::try_zeroed_vec(length).map_err(|()| OutOfMemory { bytes })
}

/// Asks the operating system to back memory by large pages: look-ups access all of a large table at
/// random, and would miss the translation look-aside buffer nearly every time. If the system
/// refuses, small pages are used. Pages that were touched before stay as they are.
pub fn ask_for_large_pages<T>(memory: &[T]) {
    const PAGE: usize = 4096;
    let start = memory.as_ptr().addr().next_multiple_of(PAGE);
    let end = (memory.as_ptr().addr() + size_of_val(memory)) & !(PAGE - 1);
    if end.saturating_sub(start) < 4 << 20 {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        let first = memory.as_ptr().with_addr(start).cast_mut().cast();
        // SAFETY: the range lies within memory that is borrowed here, and the advice does not
        // change its content.
        let _ =
            unsafe { rustix::mm::madvise(first, end - start, rustix::mm::Advice::LinuxHugepage) };
    }
}

const MAGIC: &[u8; 8] = b"DPTABLES";
const VERSION: u32 = 1;
/// The bytes of a page: of the head, and of the data that a checksum covers.
const PAGE: usize = 4096;
/// The bytes of a checksum.
const SUM: usize = 8;
const GROUPS: usize = PAGE / 16;

/// The win word and the loss word of 64 values.
pub(crate) type Group = [u64; 2];

pub(crate) struct MappedTable {
    map: Mmap,
    groups: usize,
    pages: usize,
    /// A bit for each page that was verified.
    right: Vec<AtomicU64>,
}

/// The number of pages of a table with `groups` groups.
fn pages(groups: usize) -> usize {
    groups.div_ceil(GROUPS)
}

/// The bytes of the file of a table with `indices` indices.
pub(crate) fn file_length(indices: u64) -> u64 {
    let pages = indices.div_ceil(64).div_ceil(GROUPS as u64);
    PAGE as u64 * (1 + pages) + SUM as u64 * pages
}

fn checksum(page: &[u8]) -> [u8; SUM] {
    let mut sum = [0; SUM];
    sum.copy_from_slice(&Digest::of(page).0[..SUM]);
    sum
}

/// The bytes of the head before its zeros.
fn head(indices: u64, key: Digest, sums: &[u8]) -> Vec<u8> {
    let version = VERSION.to_le_bytes();
    let digest = Digest::of(sums).0;
    [&MAGIC[..], &version, &indices.to_le_bytes(), &key.0, &digest].concat()
}

impl MappedTable {
    /// Maps the table in a file, if it has this key and number of indices. Damaged pages are not
    /// detected here.
    ///
    /// # Errors
    /// The errors of the system, except that of a missing file.
    pub(crate) fn open(path: &Path, key: Digest, indices: u64) -> io::Result<Option<MappedTable>> {
        let file = match File::open(path) {
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            file => file?,
        };
        // The bytes are used in the order of the file.
        if cfg!(target_endian = "big") || file.metadata()?.len() != file_length(indices) {
            return Ok(None);
        }
        // SAFETY: no process of this program writes to such a file once it is renamed (`write`),
        // and changes by another program cannot make the bits of a value anything but bits.
        let map = unsafe { Mmap::map(&file)? };
        let groups = indices.div_ceil(64) as usize;
        let pages = pages(groups);
        let expected = head(indices, key, &map[PAGE * (1 + pages)..]);
        if map[..expected.len()] != expected {
            return Ok(None);
        }
        let right = (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Some(MappedTable { map, groups, pages, right }))
    }

    /// All groups, verified or not.
    #[inline]
    pub(crate) fn groups(&self) -> &[Group] {
        &bytemuck::cast_slice(&self.map[PAGE..PAGE * (1 + self.pages)])[..self.groups]
    }

    /// A group, if its page is verified.
    #[inline]
    pub(crate) fn group(&self, at: usize) -> Option<Group> {
        let page = at / GROUPS;
        let is_known = self.right[page / 64].load(Relaxed) >> (page % 64) & 1 == 1;
        (is_known || self.is_right(page)).then(|| self.groups()[at])
    }

    /// Whether a page has its checksum.
    #[cold]
    fn is_right(&self, page: usize) -> bool {
        let bytes = &self.map[PAGE * (1 + page)..][..PAGE];
        let sum = &self.map[PAGE * (1 + self.pages) + SUM * page..][..SUM];
        let right = checksum(bytes) == sum;
        if right {
            self.right[page / 64].fetch_or(1 << (page % 64), Relaxed);
        }
        right
    }

    /// Whether all pages have their checksums.
    pub(crate) fn is_all_right(&self) -> bool {
        (0..self.pages).into_par_iter().all(|page| self.is_right(page))
    }
}

/// Writes the table with this key atomically. (It is not synced: a file that a crash of the machine
/// leaves incomplete is detected when it is opened or read.)
///
/// # Errors
/// The errors of the system; no file is left then.
pub(crate) fn write(path: &Path, key: Digest, indices: u64, groups: &[Group]) -> io::Result<()> {
    let page_bytes = |groups: &[Group], page: &mut Vec<u8>| {
        page.clear();
        groups.as_flattened().iter().for_each(|word| page.extend(word.to_le_bytes()));
        page.resize(PAGE, 0);
    };
    let sums = groups.par_chunks(GROUPS).map_init(Vec::new, |page, groups| {
        page_bytes(groups, page);
        checksum(page)
    });
    let sums = sums.collect::<Vec<_>>();
    let sums = sums.as_flattened();
    atomic::write_unsynced(path, |file| {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        let mut page = head(indices, key, sums);
        page.resize(PAGE, 0);
        out.write_all(&page)?;
        for groups in groups.chunks(GROUPS) {
            page_bytes(groups, &mut page);
            out.write_all(&page)?;
        }
        out.write_all(sums)?;
        out.flush()
    })
}
