//! The root does not depend on which workers do the searches.

use super::*;

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
