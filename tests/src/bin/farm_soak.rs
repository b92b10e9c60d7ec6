//! A farm under random faults: the same proof is made repeatedly, while workers, manager and broker
//! are killed, the broker is wiped, and messages are lost, doubled and late. Every proof must have
//! the root that one process finds.
//!
//! ```text
//! cargo run -p tests --bin farm_soak -- [--minutes N] [--proofs N] [--seed N]
//! ```

use std::error::Error;

use clap::Parser;
use tests::farm::{Faults, PATIENCE, Proxy, root_of};
use tests::prelude::*;

#[derive(Parser)]
#[command(about = "Proves 6x6 by a farm under random faults, and compares roots")]
struct Options {
    /// Minutes after which faults end, and the proof that is under way is the last one
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Number of proofs after which the run ends
    #[arg(long, default_value_t = 100)]
    proofs: u32,
    /// Of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Pieces of the database
    #[arg(long, default_value = "3")]
    pieces: String,
    /// Nodes of a search
    #[arg(long, default_value = "1000")]
    leaf_nodes: String,
    /// Seconds between faults, on average
    #[arg(long, default_value_t = 1.0)]
    every: f64,
}

impl Options {
    fn job(&self) -> Job<'_> {
        let Options { pieces, leaf_nodes, .. } = self;
        Job { game: "6x6", pieces, leaf_nodes }
    }
}

/// The faults that can happen.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Worker,
    WorkerAsked,
    Manager,
    Broker,
    Wiped,
}

const FAULTS: [Fault; 5] =
    [Fault::Worker, Fault::WorkerAsked, Fault::Manager, Fault::Broker, Fault::Wiped];

/// The state of the run.
struct Soak<'a> {
    options: &'a Options,
    directory: &'a Path,
    broker: Broker,
    proxy: Proxy,
    workers: Vec<Running>,
    named: u32,
    random: Gen,
    happened: [u32; FAULTS.len()],
}

impl Soak<'_> {
    fn manager(&self) -> Running {
        self.options.job().manager(&self.broker.url(), self.directory)
    }

    fn worker(&mut self) -> Running {
        self.named += 1;
        // Every second worker reaches the broker through the proxy.
        let url = if self.named.is_multiple_of(2) { self.proxy.url() } else { self.broker.url() };
        Running::worker(&url, &format!("worker-{}", self.named), self.directory, &[])
    }

    fn choose(&mut self, number: usize) -> usize {
        usize::arbitrary(&mut self.random) % number
    }

    /// Runs one proof with faults until the end; returns the part that should be the same each
    /// time.
    fn prove(&mut self, end: Instant) -> Result<String, Box<dyn Error>> {
        let mut manager = self.manager();
        let mut next = Instant::now() + self.pause();
        let deadline = Instant::now().max(end) + PATIENCE;
        while !manager.has_ended() {
            if Instant::now() > deadline {
                let how = prove(&["farm", "status", "--farm", &self.broker.url()], self.directory);
                return Err(format!("the proof does not end: {how}{}", manager.said()).into());
            }
            if Instant::now() >= next && next < end {
                self.happen(&mut manager);
                next = Instant::now() + self.pause();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let said = manager.said();
        let output = manager.wait();
        if !output.status.success() {
            return Err(format!("the manager has failed: {said}").into());
        }
        let verdict = check(&["cert"], self.directory).verdict;
        if !verdict.starts_with("s VERIFIED DRAW 6x6") {
            return Err(format!("the certificate is wrong: {verdict}").into());
        }
        std::fs::remove_dir_all(self.directory.join("cert"))?;
        std::fs::remove_file(self.directory.join("farm.results"))?;
        std::fs::remove_file(self.directory.join("manager.log"))?;
        Ok(root_of(&String::from_utf8(output.stdout)?))
    }

    fn pause(&mut self) -> Duration {
        let share = f64::from(u32::arbitrary(&mut self.random)) / f64::from(u32::MAX);
        Duration::from_secs_f64(2.0 * self.options.every * share)
    }

    /// Causes a random fault.
    fn happen(&mut self, manager: &mut Running) {
        let kind = self.choose(FAULTS.len());
        self.happened[kind] += 1;
        match FAULTS[kind] {
            Fault::Worker => {
                let place = self.choose(self.workers.len());
                self.workers[place].kill();
                self.workers[place] = self.worker();
            }
            Fault::WorkerAsked => {
                let place = self.choose(self.workers.len());
                self.workers[place].ask_to_end();
                self.workers[place] = self.worker();
            }
            Fault::Manager => {
                manager.kill();
                *manager = self.manager();
            }
            Fault::Broker => {
                self.broker.kill();
                self.broker.go_on();
            }
            Fault::Wiped => {
                self.broker.wipe();
                self.broker.go_on();
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let directory = tempfile::tempdir()?;
    let broker = Broker::start();
    let faults = Faults { lost_acks: 20, doubled: 20, delayed: 5 };
    let proxy = Proxy::start(broker.port(), faults, options.seed);
    let mut soak = Soak {
        options: &options,
        directory: directory.path(),
        broker,
        proxy,
        workers: Vec::new(),
        named: 0,
        random: Gen::from_size_and_seed(64, options.seed),
        happened: [0; FAULTS.len()],
    };
    let want = options.job().root(directory.path());
    for _ in 0..3 {
        let worker = soak.worker();
        soak.workers.push(worker);
    }
    let end = Instant::now() + Duration::from_secs_f64(60.0 * options.minutes);
    let mut proofs = 0;
    while proofs < options.proofs && Instant::now() < end {
        let found = soak.prove(end)?;
        if found != want {
            return Err(format!("expected {want}, found {found}").into());
        }
        proofs += 1;
    }
    let happened: Vec<String> =
        FAULTS.iter().zip(soak.happened).map(|(fault, n)| format!("{fault:?} {n}")).collect();
    println!(
        "{proofs} proofs, each with the root {want}; faults: {}, messages {}",
        happened.join(", "),
        soak.proxy.happened()
    );
    Ok(())
}
