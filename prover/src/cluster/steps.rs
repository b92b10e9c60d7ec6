//! Slices as tasks, in steps: the tasks of a step do not need each other.
//!
//! Slices with equally many pieces and equally many men do not follow from each other: they are a
//! layer. Starting a process and reading what slices follow from takes time of its own, so a task has
//! as many slices as fill the time that is asked for. Layers that are small together are one task;
//! of a larger layer a task has slices that are next to each other in order, as these have most in
//! common, and that need about as much memory.

use std::collections::{BTreeSet, HashMap};

use crate::egdb::{Builder, PairForecast, Slice, pair_of};

/// Below that, tasks are not kept apart by the memory they need.
const SMALL_MEMORY: u64 = 1 << 30;

/// Slices that one process builds, each with its twin.
#[derive(Debug, Clone)]
pub struct BuildTask {
    /// The slices, in the order in which they are built.
    pub slices: Vec<Slice>,
    /// The forecast of its time, in seconds.
    pub seconds: f64,
    /// The bytes of memory without which it cannot be done.
    pub memory: u64,
}

/// Tasks that can be done side by side.
#[derive(Debug, Clone)]
pub struct BuildStep {
    /// The tasks.
    pub tasks: Vec<BuildTask>,
    /// The steps that must be done before, by their places in the list; those that these need are
    /// left out.
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

/// What is read for one slice serves those after it.
fn task(pairs: &[PairForecast]) -> BuildTask {
    let reading = pairs.iter().map(|pair| pair.reading).fold(0.0, f64::max);
    BuildTask {
        slices: pairs.iter().map(|pair| pair.slice).collect(),
        seconds: reading + pairs.iter().map(|pair| pair.seconds).sum::<f64>(),
        memory: pairs.iter().map(|pair| pair.memory).max().unwrap_or(0),
    }
}

/// The pairs of a layer in groups of which none has some that need twice as much memory as others.
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

/// Finds which steps each one needs.
fn with_order(steps: Vec<Vec<BuildTask>>) -> Vec<BuildStep> {
    let mut step_of: HashMap<Slice, usize> = HashMap::new();
    // All that a step needs, through others, too.
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
