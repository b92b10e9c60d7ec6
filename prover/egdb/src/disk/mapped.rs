//! Decoded tables in files that are mapped into memory: the values of all positions of a slice, two
//! bits each, as [`Table`](crate::values::table::Table) has them in memory.
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

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use certificate_spec::Digest;
use memmap2::Mmap;
use rayon::prelude::*;

use super::atomic;

const MAGIC: &[u8; 8] = b"DPTABLES";
const VERSION: u32 = 1;
/// The bytes of a page: of the head, and of the data that a checksum covers.
const PAGE: usize = 4096;
/// The bytes of a checksum.
const SUM: usize = 8;
const GROUPS: usize = PAGE / 16;

/// The win word and the loss word of 64 values.
pub(crate) type Group = [u64; 2];

/// The table of a slice in a file.
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
