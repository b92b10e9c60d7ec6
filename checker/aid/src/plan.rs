//! Which tables are in memory, and when.
//!
//! Slices are checked in batches: a group (as many pieces, as many men), part of one, or at least a
//! slice and its twin. While a batch is checked there are in memory the tables of
//!
//! * all slices with fewer pieces, where captures lead,
//! * the slices that a crowning without a capture leads to: from (a, b, c, d) to (c, d, a − 1, b +
//!   1),
//! * the batch itself, and whatever else there is room for.
//!
//! What is enforced is the bound on all of them together. Where a move leads to a slice that is not
//! in memory nothing is verified, and a table that comes back must be the one that went.

use certificate_spec::database::SliceName;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// The slices of a database in order, how many bytes the table of each takes, and how many all may
/// take.
pub struct Plan {
    slices: Vec<SliceName>,
    bytes: HashMap<SliceName, u64>,
    memory: u64,
}

/// A number of bytes, for people.
fn size(bytes: u64) -> String {
    let mut size = bytes as f64;
    let mut units = ["bytes", "KiB", "MiB", "GiB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for larger in units {
        if size >= 1024.0 {
            size /= 1024.0;
            unit = larger;
        }
    }
    if unit == "bytes" { format!("{size} bytes") } else { format!("{size:.1} {unit}") }
}

/// The slices of a batch and those that a crowning leads to.
pub fn needs(batch: &[SliceName]) -> HashSet<SliceName> {
    let crowned = |&SliceName([a, b, c, d])| Some(SliceName([c, d, a.checked_sub(1)?, b + 1]));
    batch.iter().filter_map(crowned).chain(batch.iter().copied()).collect()
}

impl Plan {
    /// For these slices, in order, with the bytes that the table of each takes.
    pub fn new(slices: &[(SliceName, u64)], memory: u64) -> Plan {
        let bytes = slices.iter().copied().collect();
        Plan { slices: slices.iter().map(|slice| slice.0).collect(), bytes, memory }
    }

    /// The bytes of the tables of slices.
    fn bytes(&self, slices: impl IntoIterator<Item = SliceName>) -> u64 {
        let bytes = slices.into_iter().filter_map(|slice| self.bytes.get(&slice));
        bytes.fold(0, |sum, &bytes| sum.saturating_add(bytes))
    }

    /// One line about the memory that is needed.
    pub fn estimate(&self) -> String {
        let all = self.bytes(self.slices.iter().copied());
        let bound = match self.memory {
            u64::MAX => "no bound".into(),
            _ if all <= self.memory => format!("at most {} are allowed", size(self.memory)),
            bound => format!("at most {} at a time", size(bound)),
        };
        format!("memory: all tables of values take {}; {bound}", size(all))
    }

    fn judge(&self, needed: u64, what: &str) -> Result<(), String> {
        let (fits, memory) = (needed <= self.memory, self.memory);
        let text = format!("the tables for {what} take {needed} bytes, the bound is {memory}");
        if fits { Ok(()) } else { Err(format!("memory: {text}")) }
    }

    /// All slices, in batches as large as the bound admits, or else of a `pair` each.
    ///
    /// # Errors
    /// The bound is too low for a pair, or for `all` tables in the end where they are wanted.
    pub fn batches(&self, pair: bool, all: bool) -> Result<Vec<Vec<SliceName>>, String> {
        let (mut batches, mut fewer) = (Vec::new(), 0u64);
        for slices in self.slices.chunk_by(|s, t| s.pieces() == t.pieces()) {
            let needed = |batch: &[SliceName]| self.bytes(needs(batch)).saturating_add(fewer);
            for group in slices.chunk_by(|s, t| s.group() == t.group()) {
                let mut batch = Vec::new();
                for &slice in group.iter().filter(|slice| slice.0 >= slice.twin().0) {
                    let mut both = vec![slice.twin(), slice];
                    both.dedup();
                    self.judge(needed(&both), &slice.file_name())?;
                    let more = [&batch[..], &both].concat();
                    if batch.is_empty() || !pair && needed(&more) <= self.memory {
                        batch = more;
                    } else {
                        batches.push(std::mem::replace(&mut batch, both));
                    }
                }
                batches.push(batch);
            }
            fewer = fewer.saturating_add(self.bytes(slices.iter().copied()));
        }
        self.judge(if all { fewer } else { 0 }, "a certificate")?;
        Ok(batches)
    }

    /// What the first batch of the `rest` needs and is not in memory, in order; and what has to go
    /// to make room for it: of the tables that it does not need those that no other needs, then
    /// those needed latest.
    pub fn swap(
        &self,
        is_there: impl Fn(SliceName) -> bool,
        rest: &[Vec<SliceName>],
    ) -> (Vec<SliceName>, Vec<SliceName>) {
        let pieces = rest.iter().flatten().next().map_or(0, |slice| slice.pieces());
        let now: HashSet<_> = rest.iter().take(1).flat_map(|batch| needs(batch)).collect();
        let is_needed = |slice: SliceName| slice.pieces() < pieces || now.contains(&slice);
        let all = || self.slices.iter().copied();
        let missing: Vec<_> = all().filter(|&s| is_needed(s) && !is_there(s)).collect();
        let there = all().filter(|&s| is_there(s));
        let mut held = self.bytes(there.chain(missing.iter().copied()));
        let mut out = Vec::new();
        if held > self.memory {
            let rest: Vec<_> = rest.iter().map(|batch| needs(batch)).collect();
            out.extend(all().filter(|&s| is_there(s) && !is_needed(s)));
            out.sort_by_cached_key(|slice| {
                Reverse(rest.iter().position(|needs| needs.contains(slice)).unwrap_or(usize::MAX))
            });
            out.retain(|&slice| {
                let goes = held > self.memory;
                held -= if goes { self.bytes([slice]) } else { 0 };
                goes
            });
        }
        (missing, out)
    }
}
