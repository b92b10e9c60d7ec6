//! Messages that are lost, doubled or late.

use super::*;
use tests::farm::{Faults, Proxy};

/// Checks the root of a proof whose workers see the broker through a proxy; returns the number of
/// messages that a fault has happened to.
fn root_through(faults: Faults, want: &str, directory: &std::path::Path) -> u64 {
    let broker = Broker::start();
    let proxy = Proxy::start(broker.port(), faults, 7);
    let manager = SMALL.manager(&broker.url(), directory);
    let worker = |name: &str| Running::worker(&proxy.url(), name, directory, &[]);
    let _workers = [worker("one"), worker("two")];
    assert_eq!(manager.root(), want, "{faults:?}");
    std::fs::remove_dir_all(directory.join("cert")).unwrap();
    std::fs::remove_file(directory.join("farm.results")).unwrap();
    proxy.happened()
}

#[test]
#[ignore = "needs nats-server"]
fn messages_may_be_lost_doubled_and_late() {
    let directory = tempfile::tempdir().unwrap();
    let want = SMALL.root(directory.path());
    for faults in [
        Faults { lost_acks: 60, ..Faults::default() },
        // Every message arrives twice.
        Faults { doubled: 255, ..Faults::default() },
        Faults { lost_acks: 30, doubled: 60, delayed: 20 },
    ] {
        let happened = root_through(faults, &want, directory.path());
        assert!(happened > 10, "{faults:?}: {happened}");
    }
}
