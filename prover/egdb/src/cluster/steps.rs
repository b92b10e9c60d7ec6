//! Slices as tasks, in steps: the tasks of a step do not need each other.
//!
//! Slices with an equal number of pieces and an equal number of men do not follow from each other:
//! they are a layer. Starting a process and reading the slices that others follow from takes time,
//! so a task has as many slices as fill the requested time. Layers that are small together are one
//! task. Of a larger layer a task has slices that are next to each other in order, since these have
//! most dependencies in common, and that need about equal memory.

use std::collections::{BTreeSet, HashMap};

use crate::build::forecast::PairForecast;
use crate::build::pairs::pair_of;
use crate::index::slice::Slice;
use crate::solve::builder::Builder;

/// Below this many bytes, tasks are not separated by the memory that they need.
const SMALL_MEMORY: u64 = 1 << 30;

/// A task: slices that one process builds, each with its twin.
#[derive(Debug, Clone)]
pub struct BuildTask {
    /// The slices, in the order in which they are built.
    pub slices: Vec<Slice>,
    /// The forecast of its time, in seconds.
    pub seconds: f64,
    /// The least bytes of memory with which it can be done.
    pub memory: u64,
}

/// A step: tasks that can be done in parallel.
#[derive(Debug, Clone)]
pub struct BuildStep {
    /// The tasks.
    pub tasks: Vec<BuildTask>,
    /// The steps that must be done before, by their places in the list, without those that these
    /// steps need themselves.
    pub after: Vec<usize>,
}

/// The steps of building some pairs, which are in order, by tasks of about `seconds` each.
pub fn build_steps(pairs: &[PairForecast], seconds: f64) -> Vec<BuildStep> {
    let mut steps: Vec<Vec<BuildTask>> = Vec::new();
    let mut small: Vec<PairForecast> = Vec::new();
    for layer in pairs.chunk_by(|a, b| a.slice.name().group() == b.slice.name().group()) {
        let both = [&small, layer].concat();
        if task(&both).seconds <= seconds {
            small = both;
            continue;
        }
        steps.extend((!small.is_empty()).then(|| vec![task(&small)]));
        small.clear();
        if task(layer).seconds <= seconds {
            small = layer.to_vec();
        } else {
            steps.extend(by_memory(layer).map(|alike| tasks(&alike, seconds)));
        }
    }
    steps.extend((!small.is_empty()).then(|| vec![task(&small)]));
    with_order(steps)
}

/// A task of these pairs. The tables that are read for one slice serve the slices after it.
fn task(pairs: &[PairForecast]) -> BuildTask {
    let reading = pairs.iter().map(|pair| pair.reading).fold(0.0, f64::max);
    BuildTask {
        slices: pairs.iter().map(|pair| pair.slice).collect(),
        seconds: reading + pairs.iter().map(|pair| pair.seconds).sum::<f64>(),
        memory: pairs.iter().map(|pair| pair.memory).max().unwrap_or(0),
    }
}

/// The pairs of a layer in groups, in each of which the memory needs differ by less than a factor
/// of two.
fn by_memory(layer: &[PairForecast]) -> impl Iterator<Item = Vec<PairForecast>> {
    let class = |pair: &PairForecast| pair.memory.max(SMALL_MEMORY).next_power_of_two();
    let classes: BTreeSet<u64> = layer.iter().map(class).collect();
    classes
        .into_iter()
        .map(move |memory| layer.iter().copied().filter(|pair| class(pair) == memory).collect())
}

fn tasks(pairs: &[PairForecast], seconds: f64) -> Vec<BuildTask> {
    let mut tasks = Vec::new();
    let mut first = 0;
    for end in 1..=pairs.len() {
        if end == pairs.len() || task(&pairs[first..=end]).seconds > seconds {
            tasks.push(task(&pairs[first..end]));
            first = end;
        }
    }
    tasks
}

/// Finds the steps that each step needs.
fn with_order(steps: Vec<Vec<BuildTask>>) -> Vec<BuildStep> {
    let mut step_of: HashMap<Slice, usize> = HashMap::new();
    // All steps that a step needs, directly or through others.
    let mut needs: Vec<BTreeSet<usize>> = Vec::new();
    let mut ordered = Vec::new();
    for (step, tasks) in steps.into_iter().enumerate() {
        let slices = || tasks.iter().flat_map(|task| &task.slices);
        step_of.extend(slices().map(|&slice| (slice, step)));
        let direct = slices().flat_map(|&slice| Builder::needs(slice));
        let direct = direct.filter_map(|need| step_of.get(&pair_of(need)).copied());
        let direct: BTreeSet<usize> = direct.filter(|&needed| needed != step).collect();
        let implied: BTreeSet<usize> = direct.iter().flat_map(|&d| needs[d].clone()).collect();
        let after = direct.difference(&implied).copied().collect();
        needs.push(&direct | &implied);
        ordered.push(BuildStep { tasks, after });
    }
    ordered
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use super::build_steps;
    use crate::{Builder, Cover, PairForecast, Slice, pair_of};
    use draughtproof_game::Board;

    fn pairs() -> Vec<PairForecast> {
        let (board, cover) = (Board::new(8, 8).unwrap(), Cover::parse("5,6:3").unwrap());
        let pairs = (2..=6).flat_map(|n| Builder::pairs(&board, &cover, n));
        let forecast = |(i, slice): (usize, Slice)| {
            // The memory is of several classes within each layer.
            let memory = 1 << (20 + i % 14);
            PairForecast { slice, seconds: 1.0, bytes: 0.0, reading: 0.5, memory }
        };
        pairs.enumerate().map(forecast).collect()
    }

    #[test]
    fn what_a_slice_follows_from_is_built_before() {
        for seconds in [0.0, 1.5, 4.0, 30.0, 1e9] {
            let steps = build_steps(&pairs(), seconds);
            // For each step, all steps that it waits for, directly or through others.
            let mut waits: Vec<BTreeSet<usize>> = Vec::new();
            for step in &steps {
                let through = step.after.iter().flat_map(|&after| waits[after].clone());
                waits.push(step.after.iter().copied().chain(through).collect());
            }
            let mut places = HashMap::new();
            for (i, step) in steps.iter().enumerate() {
                for (k, task) in step.tasks.iter().enumerate() {
                    for (l, &slice) in task.slices.iter().enumerate() {
                        assert_eq!(places.insert(slice, (i, k, l)), None);
                    }
                }
            }
            assert_eq!(places.len(), pairs().len());
            for (&slice, &(i, k, l)) in &places {
                for need in Builder::needs(slice) {
                    let (step, task, at) = places[&pair_of(need)];
                    let in_task = (step, task) == (i, k) && at < l;
                    assert!(in_task || waits[i].contains(&step), "{slice:?} needs {need:?}");
                }
            }
            let most = steps.iter().flat_map(|step| &step.tasks).map(|task| task.slices.len());
            let fits = |slices| slices == 1 || slices as f64 + 0.5 <= seconds;
            assert!(most.into_iter().all(fits), "{seconds}");
        }
    }
}
