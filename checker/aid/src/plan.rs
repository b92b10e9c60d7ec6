//! Which of the tables of values are in memory, and when.
//!
//! Slices are checked in batches: a group (as many pieces, as many men), part of one, or at least a
//! slice and its twin. Within a batch the blocks are checked in layers, those whose men have
//! advanced farther first. Where there is room, the tables of the following are in memory while a
//! batch is checked:
//!
//! * all slices with fewer pieces, where captures lead,
//! * the slices that a crowning without a capture leads to: from (a, b, c, d) to (c, d, a − 1, b +
//!   1),
//! * the batch itself, and others as far as there is room.
//!
//! Where there is no room for that, a batch is a pair. Of large slices only three layers are then
//! in memory: the layer that is checked, the one before it, where steps of men lead, and the one
//! that crownings lead to. Of the slices with fewer pieces, those are in memory that a capture
//! leads to. The layers that are needed again last are removed first.
//!
//! What this file enforces is the bound on all of them together. The core verifies nothing where a
//! move leads to a value that is not in memory, and requires that what comes back is what went.

use crate::numbers::size;
use certificate_spec::database::SliceName;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// The unit in which tables come and go: the blocks of a slice whose men, of both sides together,
/// have advanced `advance` rows; or, of a slice with small blocks, all blocks, as layer 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layer {
    /// The slice that the layer belongs to.
    pub slice: SliceName,
    /// The sum of the rows that the men of both sides have advanced.
    pub advance: usize,
}

/// What changes in memory before a layer of a batch is checked.
#[derive(Debug, Default)]
pub struct Step {
    /// The layers to remove from memory.
    pub out: Vec<Layer>,
    /// The layers to bring into memory after that, in this order.
    pub bring: Vec<Layer>,
}

/// The slices of a database in order, the bytes that the layers of each take, and the bound on all.
pub struct Plan {
    slices: Vec<SliceName>,
    bytes: HashMap<SliceName, Vec<u64>>,
    /// The number of rows that a man can advance without being crowned.
    rows: usize,
    memory: u64,
}

/// The slice that a crowning without a capture leads to.
fn crowned(SliceName([a, b, c, d]): SliceName) -> Option<SliceName> {
    Some(SliceName([c, d, a.checked_sub(1)?, b + 1]))
}

/// The slices that captures lead to.
fn captured(SliceName([a, b, c, d]): SliceName) -> impl Iterator<Item = SliceName> {
    let own = [Some([a, b]), a.checked_sub(1).map(|a| [a, b + 1])].into_iter().flatten();
    own.flat_map(move |[a, b]| {
        let men = (0..=c).flat_map(move |c| (0..=d).map(move |d| [c, d]));
        let theirs = men.filter(move |&left| left != [c, d] && left != [0, 0]);
        theirs.map(move |[c, d]| SliceName([c, d, a, b]))
    })
}

/// The slices of a batch and those that a crowning leads to.
fn needs(batch: &[SliceName]) -> HashSet<SliceName> {
    let crowned = batch.iter().filter_map(|&slice| crowned(slice));
    crowned.chain(batch.iter().copied()).collect()
}

/// The layers that have to be in memory in one step, in no order.
type Needs = HashSet<Layer>;

impl Plan {
    /// A plan for these slices, in order, with the bytes that the layers of each take and a bound
    /// of `memory` bytes, on a board on which a man is crowned when it has advanced `rows` + 1
    /// rows.
    pub fn new(slices: Vec<(SliceName, Vec<u64>)>, rows: usize, memory: u64) -> Plan {
        let order = slices.iter().map(|slice| slice.0).collect();
        Plan { slices: order, bytes: slices.into_iter().collect(), rows, memory }
    }

    /// The bytes of a layer.
    fn layer(&self, layer: &Layer) -> u64 {
        let layers = self.bytes.get(&layer.slice);
        layers.and_then(|layers| layers.get(layer.advance)).copied().unwrap_or(0)
    }

    /// The bytes of the tables of slices.
    fn bytes(&self, slices: impl IntoIterator<Item = SliceName>) -> u64 {
        let bytes = slices.into_iter().filter_map(|slice| self.bytes.get(&slice)).flatten();
        bytes.fold(0, |sum, &bytes| sum.saturating_add(bytes))
    }

    /// All layers of a slice.
    fn layers(&self, slice: SliceName) -> impl Iterator<Item = Layer> {
        let count = self.bytes.get(&slice).map_or(0, Vec::len);
        (0..count).map(move |advance| Layer { slice, advance })
    }

    /// The layer of a slice that has the blocks whose men have advanced `advance` rows, if any.
    fn at(&self, slice: SliceName, advance: usize) -> Option<Layer> {
        let count = self.bytes.get(&slice)?.len();
        let advance = if count == 1 { 0 } else { advance };
        (advance < count).then_some(Layer { slice, advance })
    }

    /// The largest sum of rows that the men of a slice can have advanced.
    fn most(&self, slice: SliceName) -> usize {
        self.rows * (usize::from(slice.0[0]) + usize::from(slice.0[2]))
    }

    /// Whether all tables fit into memory together.
    pub fn fits(&self) -> bool {
        self.bytes(self.slices.iter().copied()) <= self.memory
    }

    /// A line for the user about the memory that is needed.
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

    /// The slices that a batch needs where there is room: those with fewer pieces, its own and
    /// those that crownings lead to.
    fn needs_whole(&self, batch: &[SliceName]) -> HashSet<SliceName> {
        let pieces = batch.first().map_or(0, |slice| slice.pieces());
        let fewer = self.slices.iter().copied().filter(|slice| slice.pieces() < pieces);
        fewer.chain(needs(batch)).collect()
    }

    /// All slices, in batches as large as the bound admits; with `pair`, in batches of one pair. A
    /// batch fits with all that it needs, unless it may be checked `by_layers`.
    ///
    /// # Errors
    /// The bound is too low for a pair or, with `all`, for all tables together at the end.
    pub fn batches(
        &self,
        pair: bool,
        all: bool,
        by_layers: bool,
    ) -> Result<Vec<Vec<SliceName>>, String> {
        let (mut batches, mut fewer) = (Vec::new(), 0u64);
        for slices in self.slices.chunk_by(|s, t| s.pieces() == t.pieces()) {
            let needed = |batch: &[SliceName]| self.bytes(needs(batch)).saturating_add(fewer);
            for group in slices.chunk_by(|s, t| s.group() == t.group()) {
                let mut batch = Vec::new();
                for &slice in group.iter().filter(|slice| slice.0 >= slice.twin().0) {
                    let mut both = vec![slice.twin(), slice];
                    both.dedup();
                    if !by_layers {
                        self.judge(needed(&both), &slice.file_name())?;
                    }
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

    /// The layers that one layer of a pair needs at least.
    fn needs_of_layer(&self, batch: &[SliceName], advance: usize) -> Needs {
        let mut needs = Needs::new();
        for &slice in batch {
            needs.extend(self.at(slice, advance).into_iter().chain(self.at(slice, advance + 1)));
            let crowned = crowned(slice).zip(advance.checked_sub(self.rows));
            needs.extend(crowned.and_then(|(crowned, advance)| self.at(crowned, advance)));
            needs.extend(captured(slice).flat_map(|slice| self.layers(slice)));
        }
        needs
    }

    /// The layers needed in each step of these batches: a step for each advance, from the most
    /// down.
    ///
    /// # Errors
    /// The bound is too low for one of them.
    fn steps(&self, batches: &[Vec<SliceName>]) -> Result<Vec<Needs>, String> {
        let mut steps = Vec::new();
        for batch in batches {
            let most = batch.iter().map(|&slice| self.most(slice)).max().unwrap_or(0);
            let whole = self.needs_whole(batch);
            if self.bytes(whole.iter().copied()) <= self.memory {
                steps.push(whole.into_iter().flat_map(|slice| self.layers(slice)).collect());
                steps.extend((0..most).map(|_| Needs::new()));
            } else {
                for advance in (0..=most).rev() {
                    let needs = self.needs_of_layer(batch, advance);
                    // Judged at once, since the layers of all batches together may be many.
                    let bytes = needs.iter().map(|layer| self.layer(layer));
                    let name = batch.last().map_or(String::new(), |slice| slice.file_name());
                    self.judge(bytes.fold(0, u64::saturating_add), &name)?;
                    steps.push(needs);
                }
            }
        }
        Ok(steps)
    }

    /// What changes in memory in each step. There is a step for each advance of each batch, from
    /// the most down, and one for each item of `then`, which lists the layers that this step needs.
    ///
    /// # Errors
    /// The bound is too low for one of them.
    pub fn schedule(
        &self,
        batches: &[Vec<SliceName>],
        then: Vec<Vec<Layer>>,
    ) -> Result<Vec<Step>, String> {
        for &slice in batches.iter().flatten() {
            let largest = self.layers(slice).map(|layer| self.layer(&layer)).max();
            self.judge(largest.unwrap_or(0), &slice.file_name())?;
        }
        let mut steps = self.steps(batches)?;
        steps.extend(then.into_iter().map(|layers| layers.into_iter().collect()));
        let mut uses: HashMap<Layer, Vec<usize>> = HashMap::new();
        for (i, needs) in steps.iter().enumerate() {
            needs.iter().for_each(|&layer| uses.entry(layer).or_default().push(i));
        }
        let places = self.slices.iter().enumerate();
        let places: HashMap<SliceName, usize> = places.map(|(i, &slice)| (slice, i)).collect();
        let order = |layer: &Layer| (places.get(&layer.slice).copied(), Reverse(layer.advance));
        // The batch that is checked in each step: its own layers come from its slice files
        // unchanged.
        let owners = batches.iter().flat_map(|batch| {
            let most = batch.iter().map(|&slice| self.most(slice)).max().unwrap_or(0);
            (0..=most).map(move |_| &batch[..])
        });
        let owners: Vec<&[SliceName]> = owners.collect();
        let mut there = Needs::new();
        let mut held = 0u64;
        let mut all = Vec::new();
        for (i, needs) in steps.iter().enumerate() {
            let own = owners.get(i).copied().unwrap_or_default();
            let mut now = needs.clone();
            let mut bring = Vec::new();
            let mut missing: Vec<Layer> =
                now.iter().copied().filter(|layer| !there.contains(layer)).collect();
            while let Some(layer) = missing.pop() {
                bring.push(layer);
                // A layer made again needs the slices that captures lead to, and these may be
                // missing, too.
                if !own.contains(&layer.slice) {
                    let more = captured(layer.slice).flat_map(|slice| self.layers(slice));
                    for layer in more.filter(|layer| now.insert(*layer)).collect::<Vec<_>>() {
                        if !there.contains(&layer) {
                            missing.push(layer);
                        }
                    }
                }
            }
            bring.sort_by_key(order);
            let more = bring.iter().fold(0u64, |sum, layer| sum.saturating_add(self.layer(layer)));
            held = held.saturating_add(more);
            let mut out = Vec::new();
            if held > self.memory {
                // A step that needs nothing of its own uses the layers of the step before.
                let next = |layer: &Layer| {
                    let uses = uses.get(layer).map_or(&[][..], |uses| uses);
                    uses.get(uses.partition_point(|&step| step <= i)).copied().unwrap_or(usize::MAX)
                };
                let mut others: Vec<Layer> =
                    there.iter().copied().filter(|layer| !now.contains(layer)).collect();
                others.sort_by_cached_key(|layer| Reverse((next(layer), order(layer))));
                for layer in others {
                    if held <= self.memory {
                        break;
                    }
                    held -= self.layer(&layer);
                    there.remove(&layer);
                    out.push(layer);
                }
            }
            let what = own.last().map_or("a certificate".into(), |slice| slice.file_name());
            self.judge(held, &what)?;
            there.extend(&bring);
            all.push(Step { out, bring });
        }
        Ok(all)
    }
}
