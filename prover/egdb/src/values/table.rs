//! The values of a slice in memory: two bits a value.

pub use certificate_spec::value::Value;

use std::fmt;

use rayon::prelude::*;

use super::pages::table;
use crate::disk::mapped::{Group, MappedTable};

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
