//! Measures what a farm loses when workers are killed: one of two workers is killed every few
//! seconds, and a second run without kills is the comparison.
//!
//! ```text
//! cargo run --release -p tests --bin farm_loss -- [--minutes N] [--every N] [--directory DIR]
//! ```
//! Prints the nodes of results that were used, the processor time that the workers took (those that
//! were killed included), and the share of the time in which their searching threads worked or
//! waited for a processor. Two things are lost: nodes per second of processor time, by searches
//! that were begun in vain and by restarts; and time in which a worker has no item, such as while a
//! round waits for the end of a lease. Neither depends on other work of the machine.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Parser;
use serde_json::Value;
use tests::farm::{Broker, Running, busy_time, processor_time};
use tests::programs::prove;

#[derive(Parser)]
#[command(about = "Kills one of two workers again and again, and says what that costs")]
struct Options {
    /// Minutes of each run
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// Seconds between kills
    #[arg(long, default_value_t = 10.0)]
    every: f64,
    /// The game: its proof must take longer than that
    #[arg(long, default_value = "7x7")]
    game: String,
    /// Pieces of the database
    #[arg(long, default_value = "6")]
    pieces: String,
    /// Nodes of a search
    #[arg(long, default_value = "1000000")]
    leaf_nodes: String,
    /// Seconds without news of an item after which it goes to another worker
    #[arg(long, default_value = "5")]
    lease: String,
    /// Where the database is, in egdb; it is built if it is not there
    #[arg(long, default_value = ".")]
    directory: String,
}

/// The outcome of a run.
struct Done {
    nodes: f64,
    /// Processor time of all workers, in seconds.
    time: f64,
    /// The share of the workers' time in which they had work, from 0 to 1.
    at_work: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let directory = std::fs::canonicalize(&options.directory)?;
    prove(&["db", "--game", &options.game, "--pieces", &options.pieces, "-q"], &directory);
    let calm = run(&options, &directory, false)?;
    let killed = run(&options, &directory, true)?;
    let lost = |kept: f64| 100.0 * (1.0 - kept);
    let searches = (killed.nodes / killed.time) / (calm.nodes / calm.time);
    let at_work = killed.at_work / calm.at_work;
    println!(
        "lost: {:.1} % of the processor time, {:.1} % by workers that wait, {:.1} % in all",
        lost(searches),
        lost(at_work),
        lost(searches * at_work)
    );
    Ok(())
}

/// Runs a proof without earlier results for some minutes.
fn run(options: &Options, directory: &Path, is_killing: bool) -> Result<Done, Box<dyn Error>> {
    let broker = Broker::start();
    let own = tempfile::tempdir()?;
    let (url, place) = (broker.url(), |name| own.path().join(name).display().to_string());
    let (results, certificate) = (place("results"), place("certificate"));
    let (game, pieces) = (options.game.as_str(), options.pieces.as_str());
    let manager = ["--game", game, "--pieces", pieces, "--leaf-nodes", &options.leaf_nodes];
    let lease = options.lease.as_str();
    let farm = ["--farm", &url, "--lease", lease, "--results", &results, "--emit", &certificate];
    let mut manager = Running::start(&[&manager[..], &farm].concat(), directory, "manager.log");
    let start = |name: u32| Running::worker(&url, &format!("loss-{name}"), directory, &[]);
    let mut workers = [start(0), start(1)];
    workers.iter_mut().for_each(|worker| worker.wait_to_say("taking its items"));
    let (mut kills, mut time, mut at_work) = (0, Duration::ZERO, Duration::ZERO);
    // Workers had no item before this point.
    let before: Duration = workers.iter().map(|worker| busy_time(worker.id())).sum();
    let begin = Instant::now();
    let end = begin + Duration::from_secs_f64(60.0 * options.minutes);
    let every = Duration::from_secs_f64(options.every);
    loop {
        let next = Instant::now() + every;
        std::thread::sleep(every.min(end.saturating_duration_since(Instant::now())));
        if manager.has_ended() {
            return Err("the proof is done: expected one that takes longer".into());
        }
        if Instant::now() >= end {
            break;
        }
        if is_killing && Instant::now() >= next {
            let worker = &mut workers[(kills % 2) as usize];
            time += processor_time(worker.id());
            at_work += busy_time(worker.id());
            worker.kill();
            kills += 1;
            *worker = start(kills + 1);
        }
    }
    time += workers.iter().map(|worker| processor_time(worker.id())).sum::<Duration>();
    at_work += workers.iter().map(|worker| busy_time(worker.id())).sum::<Duration>();
    let at_work = (at_work - before).as_secs_f64() / (2.0 * begin.elapsed().as_secs_f64());
    let status = prove(&["farm", "status", "--farm", &url, "--format", "json"], directory);
    let status: Value = serde_json::from_str(&status)?;
    let number = |value: &Value, name: &str| value[name].as_f64().unwrap_or_default();
    let questions = status["questions"].as_array().cloned().unwrap_or_default();
    let sum = |name: &str| questions.iter().map(|question| number(question, name)).sum::<f64>();
    let items = number(&status, "done");
    // Some results have arrived and are not applied yet.
    let nodes = items * sum("nodes") / sum("searches");
    let time = time.as_secs_f64();
    println!(
        "{kills} kills in {} min: {items} items used, {nodes:.3e} nodes, {} wasted, {} sent again, \
         {time:.1} s of processor time of the workers, at work for {:.1} % of their time",
        options.minutes,
        number(&status, "wasted"),
        number(&status, "again"),
        100.0 * at_work
    );
    Ok(Done { nodes, time, at_work })
}
