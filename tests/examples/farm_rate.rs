//! Measures how many items a second a manager and its broker handle if the items are no work: this
//! is what bounds a farm of many workers.
//!
//! ```text
//! cargo run --release -p tests --example farm_rate -- [--items N] [--window N] [--workers N]
//! ```
//! The broker, the queue of the manager (in this process) and the workers are the real ones. The
//! searches are of 4x4 with one or two nodes each; no ledger is written. Prints items a second by
//! the clock, and the processor time that manager, broker and workers take for an item: on a
//! machine of its own, the manager or the broker could handle one over its time.

use std::error::Error;
use std::time::{Duration, Instant};

use clap::Parser;
use draughtproof_egdb::Values;
use draughtproof_farm::wire::JobContext;
use draughtproof_farm::{Connection, Farm, JobSettings, Login};
use draughtproof_game::{Game, Side};
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{Item, ManagerQueue, QueueSource, SearchContext};
use tests::farm::{Broker, PATIENCE, Running, processor_time};

/// The bytes of the smallest transposition table.
const TABLE: u64 = 1 << 16;

#[derive(Parser)]
#[command(about = "Sends items of no work through a manager, a broker and workers")]
struct Options {
    /// Items in all
    #[arg(long, default_value_t = 50_000)]
    items: u64,
    /// Items under way at a time
    #[arg(long, default_value_t = 5000)]
    window: u64,
    /// Workers, each a process with one thread
    #[arg(long, default_value_t = 2)]
    workers: usize,
}

/// The processor time of each part so far, in seconds.
#[derive(Clone, Copy)]
struct Times {
    manager: f64,
    broker: f64,
    workers: f64,
}

impl Times {
    fn now(broker: &Broker, workers: &[Running]) -> Times {
        let seconds = |id| processor_time(id).as_secs_f64();
        Times {
            manager: seconds(std::process::id()),
            broker: broker.id().map_or(0.0, seconds),
            workers: workers.iter().map(|worker| seconds(worker.id())).sum(),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let directory = tempfile::tempdir()?;
    let broker = Broker::start();
    let game: Game = "4x4".parse()?;
    let values = Values::empty(&game.board);
    let context = SearchContext { board: &game.board, database: &values, database_root: None };
    let login = Login { url: broker.url(), ..Login::default() };
    let connection = Connection::open(&login, "manager", &Progress::Quiet, &|| false)?;
    let job = JobSettings {
        name: "rate".into(),
        context: JobContext::of(&context),
        nodes: 1,
        table: TABLE + options.items,
        lease: Duration::from_secs(30),
    };
    let farm = Farm::start(connection.ok_or("no broker")?, job, None)?;
    // The items differ in a bound that no search reaches.
    let item = |number: u64| {
        let (position, table) = (game.start(), TABLE + number);
        let (attacker, threads) = (Side::Black, 1);
        let item = Item { attacker, position, nodes: 1, table, heuristic_nodes: 1, threads };
        item.encode(&context)
    };
    let mut workers: Vec<Running> = (0..options.workers)
        .map(|i| Running::worker(&broker.url(), &format!("worker-{i}"), directory.path(), &[]))
        .collect();
    workers.iter_mut().for_each(|worker| worker.wait_to_say("taking its items"));
    let queue = farm.open();
    let (start, before) = (Instant::now(), Times::now(&broker, &workers));
    let (mut sent, mut done) = (0, 0);
    while done < options.items {
        let more = (done + options.window).min(options.items);
        (sent..more).for_each(|number| queue.submit(item(number)));
        sent = sent.max(more);
        done += receive(&*queue);
        if start.elapsed() > PATIENCE {
            return Err(format!("{done} of {sent} items came back").into());
        }
    }
    let (seconds, after) = (start.elapsed().as_secs_f64(), Times::now(&broker, &workers));
    let items = options.items as f64;
    let each = |end: f64, begin: f64| 1e6 * (end - begin) / items;
    println!(
        "{} items in {seconds:.1} s, {:.0}/s; microseconds of processor time an item: manager {:.0}, \
         broker {:.0}, workers {:.0}",
        options.items,
        items / seconds,
        each(after.manager, before.manager),
        each(after.broker, before.broker),
        each(after.workers, before.workers)
    );
    farm.finish(true);
    Ok(())
}

/// Takes the results that have come back; returns their number.
fn receive(queue: &dyn ManagerQueue) -> u64 {
    let mut done = 0;
    for delivery in queue.collect(Duration::from_millis(50)) {
        queue.accept(&delivery);
        done += u64::from(delivery.result.is_ok());
    }
    queue.confirm_saved();
    done
}
