//! Whatever process dies, and whatever the broker loses, the proof goes on, and its root is the
//! same.
//!
//! Messages that are lost, doubled or late.
//!
//! The root does not depend on which workers do the searches.

use super::*;
use std::net::TcpListener;
use tests::farm::{Faults, Proxy};

/// Sleeps for a fraction of the time that the whole proof takes without a fault.
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
        let manager = LONG.manager(&broker.url(), directory.path());
        let worker = |name: &str| Running::worker(&broker.url(), name, directory.path(), &[]);
        let workers = vec![worker("one"), worker("two")];
        let mut farm = Farm { directory, broker, manager, workers, want, whole };
        farm.workers[0].wait_to_say("taking its items");
        farm
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Waits for the end of the proof.
    fn end(self) {
        let said = self.manager.said();
        assert_eq!(self.manager.root(), self.want, "{said}");
        let said = check(&["cert"], self.directory.path());
        assert!(said.verdict.starts_with("s VERIFIED DRAW 6x6"), "{said:?}");
    }
}

#[test]
#[ignore = "needs nats-server"]
fn workers_die() {
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
#[ignore = "needs nats-server"]
fn the_manager_dies() {
    let mut farm = Farm::start();
    for _ in 0..3 {
        rest(farm.whole / 8);
        farm.manager.kill();
        // The proof may have been finished already; then its certificate is the same.
        farm.manager = LONG.manager(&farm.broker.url(), farm.path());
    }
    farm.end();
}

#[test]
#[ignore = "needs nats-server"]
fn the_broker_dies() {
    let mut farm = Farm::start();
    for _ in 0..3 {
        rest(farm.whole / 8);
        farm.broker.kill();
        rest(Duration::from_millis(200));
        farm.broker.go_on();
    }
    farm.end();
}

/// Copies the messages of a stream, which are files of one folder.
fn copy_messages(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// A broker that is killed loses its latest writes: that an item was removed, but not that it was
/// acknowledged; and the result of the item.
#[test]
#[ignore = "needs nats-server"]
fn stale_items_are_done_again() {
    let directory = tempfile::tempdir().unwrap();
    let want = LONG.root(directory.path());
    let mut broker = Broker::start();
    let manager = LONG.manager(&broker.url(), directory.path());
    let stream = |broker: &Broker, kind: &str| {
        let found = fs::read_dir(broker.streams()).into_iter().flatten().flatten();
        found.map(|entry| entry.path()).find(|path| path.to_string_lossy().ends_with(kind))
    };
    wait_for("a stream", || stream(&broker, "-results"));
    // Until both questions have submitted all items that they can.
    rest(Duration::from_secs(2));
    manager.signal(Signal::STOP);
    broker.kill();
    let messages = stream(&broker, "-items").unwrap().join("msgs");
    let kept = directory.path().join("kept");
    copy_messages(&messages, &kept);
    broker.go_on();

    // A worker does all items while the manager is stopped and reads no results.
    let mut worker = Running::worker(&broker.url(), "worker", directory.path(), &[]);
    manager.signal(Signal::CONT);
    worker.wait_to_say("taking its items");
    manager.signal(Signal::STOP);
    rest(Duration::from_secs(2));
    broker.kill();
    copy_messages(&kept, &messages);
    fs::remove_dir_all(stream(&broker, "-results").unwrap()).unwrap();
    broker.go_on();
    manager.signal(Signal::CONT);

    let said = manager.said();
    assert_eq!(manager.root(), want, "{said}");
}

#[test]
#[ignore = "needs nats-server"]
fn the_broker_loses_everything() {
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

#[test]
#[ignore = "needs nats-server"]
fn the_broker_dies_at_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let want = SMALL.root(directory.path());
    // A broker that disconnects as soon as streams are asked for.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("nats://127.0.0.1:{port}");
    let farm = ["--farm", &url, "--lease", "2", "--results", "farm.results"];
    let arguments = SMALL.arguments(&farm);
    let mut manager = Running::start(&arguments, directory.path(), "manager.log");
    let (mut stream, _) = listener.accept().unwrap();
    let info = r#"{"server_id":"x","version":"2.9.10","proto":1,"headers":true,"jetstream":true,
"max_payload":1048576}"#;
    write!(stream, "INFO {}\r\n", info.replace('\n', "")).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    loop {
        let line = lines.next().expect("a request for streams").unwrap();
        if line.starts_with("PING") {
            stream.write_all(b"PONG\r\n").unwrap();
        }
        if line.contains("$JS.API") {
            break;
        }
    }
    drop((listener, stream, lines));
    let broker = Broker::start_on(port);
    manager.wait_to_say("connected again");
    let _worker = Running::worker(&broker.url(), "worker", directory.path(), &[]);
    assert_eq!(manager.root(), want);
}

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

const JOBS: [Job<'_>; 3] = [
    Job { game: "4x4", pieces: "3", leaf_nodes: "20" },
    Job { game: "5x5/2", pieces: "3", leaf_nodes: "200" },
    SMALL,
];

#[test]
#[ignore = "needs nats-server"]
fn workers_do_not_change_the_root() {
    let broker = Broker::start();
    for job in JOBS {
        let directory = &Scratch::empty();
        let want = job.root(directory);
        for number in [1, 2, 4] {
            let name = |i| format!("of-{number}-{i}");
            // The workers start before the manager, or after it.
            let mut workers = Vec::new();
            let mut start = || {
                for i in 0..number {
                    workers.push(Running::worker(&broker.url(), &name(i), directory, &[]));
                }
            };
            let manager = if number == 2 {
                start();
                job.manager(&broker.url(), directory)
            } else {
                let manager = job.manager(&broker.url(), directory);
                start();
                manager
            };
            assert_eq!(manager.root(), want, "{} with {number} workers", job.game);
            for worker in workers {
                worker.ask_to_end();
                let output = worker.wait();
                assert!(output.status.success(), "{output:?}");
            }
            // The next proof begins without earlier results.
            std::fs::remove_dir_all(directory.join("cert")).unwrap();
            std::fs::remove_file(directory.join("farm.results")).unwrap();
        }
    }
}
