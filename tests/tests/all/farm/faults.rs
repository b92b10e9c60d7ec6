//! Whoever dies, and whatever the broker loses: the proof goes on, and its root is the same.

use std::path::Path;
use std::time::{Duration, Instant};

use tests::farm::{Broker, Running};
use tests::programs::check;

use super::{Job, SMALL};

/// Long enough to be killed in the middle.
const LONG: Job = Job { leaf_nodes: "300", ..SMALL };

/// Sleeps for a share of the time that the whole proof takes without a fault.
fn rest(time: Duration) {
    std::thread::sleep(time);
}

struct Farm {
    directory: tempfile::TempDir,
    broker: Broker,
    manager: Running,
    workers: Vec<Running>,
    want: String,
    /// The time that the proof takes in one process.
    whole: Duration,
}

impl Farm {
    fn start() -> Farm {
        let directory = tempfile::tempdir().unwrap();
        let begin = Instant::now();
        let want = LONG.root(directory.path());
        let whole = begin.elapsed();
        let broker = Broker::start();
        let manager = LONG.manager(&broker, directory.path());
        let worker = |name: &str| Running::worker(&broker.url(), name, directory.path(), &[]);
        let workers = vec![worker("one"), worker("two")];
        let mut farm = Farm { directory, broker, manager, workers, want, whole };
        farm.workers[0].wait_to_say("taking its items");
        farm
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Waits for the end.
    fn end(self) {
        let said = self.manager.said();
        assert_eq!(self.manager.root(), self.want, "{said}");
        let said = check(&["cert"], self.directory.path());
        assert!(said.verdict.starts_with("s VERIFIED DRAW 6x6"), "{said:?}");
    }
}

#[test]
fn a_worker_that_dies_costs_only_time() {
    let mut farm = Farm::start();
    for round in 0..3 {
        rest(farm.whole / 8);
        let place = round % 2;
        farm.workers[place].kill();
        let name = format!("new-{round}");
        farm.workers[place] = Running::worker(&farm.broker.url(), &name, farm.path(), &[]);
    }
    farm.end();
}

#[test]
fn a_manager_that_dies_goes_on_from_its_ledger() {
    let mut farm = Farm::start();
    for _ in 0..3 {
        rest(farm.whole / 8);
        farm.manager.kill();
        // It may have been done already, and its certificate is the same then.
        farm.manager = LONG.manager(&farm.broker, farm.path());
    }
    farm.end();
}

#[test]
fn a_broker_that_dies_is_waited_for() {
    let mut farm = Farm::start();
    for _ in 0..3 {
        rest(farm.whole / 8);
        farm.broker.kill();
        rest(Duration::from_millis(200));
        farm.broker.go_on();
    }
    farm.end();
}

#[test]
fn a_broker_that_has_lost_everything_gets_it_again() {
    let mut farm = Farm::start();
    let mut wiped = 0;
    for _ in 0..3 {
        rest(farm.whole / 8);
        wiped += u32::from(!farm.manager.has_ended());
        farm.broker.wipe();
        farm.broker.go_on();
    }
    assert!(wiped > 0, "the proof was done before the broker was wiped");
    farm.end();
}
