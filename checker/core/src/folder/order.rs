//! In which order the slices of a database are checked, and which layers are in memory when.
//!
//! Enforces: that all slices that are to be checked are in the order, each with its twin, group by
//! group. Trusts: nothing. What the plan of `checker-aid` brings into memory and takes out matters
//! for time and space alone: what is verified is counted (`values.rs`), and what comes back is
//! compared (`claimed.rs`).

use super::manifest::Found;
use crate::options::Options;
use crate::part::Part;
use crate::proof::Positions;
use crate::rules::Board;
use crate::values::{Shape, slices};
use crate::verdict::Stop;
use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;
use checker_aid::{Layer, Plan, Step};
use std::collections::HashSet;

/// The positions whose values are wanted after a check.
pub(crate) enum Wanted<'a> {
    /// No values are needed afterwards.
    Nothing,
    /// All positions: all tables are in memory at the end.
    All,
    /// These positions: no table need be in memory at the end.
    Positions(&'a Positions),
}

/// Whether the tables of all slices of a database fit into memory.
pub(crate) fn fits(options: &Options, board: &Board, cover: &Cover) -> bool {
    plan(options, board, &slices(board, cover)).fits()
}

fn plan(options: &Options, board: &Board, slices: &[SliceName]) -> Plan {
    let bytes = |&slice: &SliceName| (slice, Shape::new(board, slice).layer_bytes(board));
    let rows = usize::from(board.rows().saturating_sub(2));
    Plan::new(slices.iter().map(bytes).collect(), rows, options.memory)
}

/// The order in which slices are checked.
pub(super) struct Order {
    plan: Plan,
    /// All slices of the database.
    slices: Vec<SliceName>,
    /// Those that are checked together, group by group.
    pub(super) batches: Vec<Vec<SliceName>>,
}

impl Order {
    pub(super) fn new(
        options: &Options,
        found: &Found<'_>,
        part: &Part<'_>,
        own: &HashSet<SliceName>,
        wanted: &Wanted<'_>,
    ) -> Result<Order, Stop> {
        let slices: Vec<_> = found.restricted.slices.iter().map(|record| record.name).collect();
        let plan = plan(options, found.folder.board, &slices);
        options.progress.show(&plan.estimate());
        // A table is named when all of it is in memory.
        let by_layers = own.len() == slices.len() && !part.selection.names_tables();
        let keep_all = matches!(wanted, Wanted::All);
        let batches = plan.batches(part.source.is_journal(), keep_all, by_layers);
        let mut order = Order { plan, slices, batches: batches.map_err(Stop::Error)? };
        order.batches.iter_mut().for_each(|batch| batch.retain(|slice| own.contains(slice)));
        order.batches.retain(|batch| !batch.is_empty());
        // Nothing else about the plan matters for what is verified, and this much is not taken on
        // trust.
        let is_right = |batch: &Vec<SliceName>| {
            batch.iter().all(|s| s.group() == batch[0].group() && batch.contains(&s.twin()))
        };
        let planned: HashSet<SliceName> = order.batches.iter().flatten().copied().collect();
        let is_in_order = order.batches.is_sorted_by_key(|batch| batch[0].group());
        match order.batches.iter().all(is_right) && is_in_order && planned == *own {
            true => Ok(order),
            false => Err(Stop::Error("the slices were not planned as they must be".into())),
        }
    }

    /// What changes in memory: a step for each advance of each batch, and then one for each list of
    /// layers that are wanted after that.
    pub(super) fn steps(
        &self,
        board: &Board,
        wanted: &Wanted<'_>,
    ) -> Result<(Vec<Step>, Vec<Vec<Layer>>), Stop> {
        let all = self.slices.iter().flat_map(|&slice| Shape::new(board, slice).all_layers(board));
        let then: Vec<Vec<Layer>> = match wanted {
            Wanted::Nothing => Vec::new(),
            Wanted::All => vec![all.collect()],
            // Those of other slices are looked up while they are checked.
            Wanted::Positions(positions) => {
                let checked: HashSet<&SliceName> = self.batches.iter().flatten().collect();
                let is_asked = |l: &Layer| positions.has(l) && !checked.contains(&l.slice);
                all.filter(is_asked).map(|layer| vec![layer]).collect()
            }
        };
        let steps = self.plan.schedule(&self.batches, then.clone());
        Ok((steps.map_err(Stop::Error)?, then))
    }
}
