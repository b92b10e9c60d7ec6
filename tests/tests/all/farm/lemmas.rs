//! Items that depend on what earlier rounds have decided, which workers get from the manager.

use std::fs;
use std::path::Path;
use std::thread::sleep as rest;
use std::time::Duration;

use tests::farm::{Broker, Job, Running, answers_of};
use tests::files::Scratch;
use tests::programs::{Signal, check};

/// A fraction of the time that the proof takes.
const PART: Duration = Duration::from_millis(300);

const SMALL: Job<'_> = Job { lemmas: true, ..super::SMALL };
const LONG: Job<'_> = Job { lemmas: true, ..super::LONG };

/// The effort of the proof in one process.
fn alone(job: Job<'_>, directory: &Path) -> Vec<String> {
    let want = answers_of(&String::from_utf8_lossy(&job.alone(directory).stderr));
    assert_eq!(want.len(), 2);
    want
}

/// Waits for the end, and returns the effort of the proof.
fn end(job: Job<'_>, manager: Running, directory: &Path) -> Vec<String> {
    let output = manager.wait();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let verdict = check(&["cert"], directory).verdict;
    assert!(verdict.starts_with(&format!("s VERIFIED DRAW {} ", job.game)), "{verdict}");
    answers_of(&said)
}

#[test]
#[ignore = "needs nats-server"]
fn workers_do_not_change_the_proof() {
    let here = &Scratch::empty();
    let want = alone(SMALL, here);
    for workers in [1, 3] {
        let broker = Broker::start();
        let manager = SMALL.manager(&broker.url(), here);
        let worker = |n| Running::worker(&broker.url(), &format!("w{workers}-{n}"), here, &[]);
        let _workers: Vec<Running> = (0..workers).map(worker).collect();
        assert_eq!(end(SMALL, manager, here), want);
        fs::remove_dir_all(here.join("cert")).unwrap();
        fs::remove_file(here.join("farm.results")).unwrap();
    }
}

#[test]
#[ignore = "needs nats-server"]
fn deaths_do_not_change_the_proof() {
    let here = &Scratch::empty();
    let want = alone(LONG, here);
    let mut broker = Broker::start();
    let mut serving = LONG.manager(&broker.url(), here);
    let worker = |name: &str, broker: &Broker| Running::worker(&broker.url(), name, here, &[]);
    let (mut one, mut two) = (worker("one", &broker), worker("two", &broker));
    one.wait_to_say("taking its items");
    two.wait_to_say("taking its items");
    rest(PART);
    // The lemmas of the killed worker are lost, and the next worker begins without any. The other
    // worker is stopped, so that the proof does not end, and it has more lemmas than the next
    // manager has until that has read its ledger.
    one.kill();
    two.signal(Signal::STOP);
    assert!(!serving.has_ended(), "the proof was done before the manager was killed");
    serving.kill();
    serving = LONG.manager(&broker.url(), here);
    let _three = worker("three", &broker);
    two.signal(Signal::CONT);
    rest(PART);
    broker.wipe();
    broker.go_on();
    assert_eq!(end(LONG, serving, here), want);
}
