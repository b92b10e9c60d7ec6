//! Proofs whose searches are done by workers, through a real broker.

mod faults;
mod lemmas;
mod liars;
mod no_broker;
mod proxy;
mod queue;
mod roots;
mod safety;
mod status;

use std::path::Path;

use tests::farm::{Broker, Running, root_of};
use tests::programs::prove;

/// A proof of a game over a small database.
#[derive(Clone, Copy)]
struct Job {
    game: &'static str,
    pieces: &'static str,
    leaf_nodes: &'static str,
}

/// A proof of half a second, in 459 items.
const SMALL: Job = Job { game: "8x4", pieces: "4", leaf_nodes: "1000" };

/// A proof that is long enough to be killed in the middle.
const LONG: Job = Job { game: "6x6", pieces: "4", leaf_nodes: "300" };

impl Job {
    fn arguments<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        let Job { game, pieces, leaf_nodes } = *self;
        let own =
            ["--game", game, "--pieces", pieces, "--leaf-nodes", leaf_nodes, "--emit", "cert"];
        [&own[..], more].concat()
    }

    /// Makes the database, and returns the root of the certificate that threads of one process
    /// find.
    fn root(&self, directory: &Path) -> String {
        let results = ["-q", "--results", "alone.results"];
        let root = root_of(&prove(&self.arguments(&results), directory));
        std::fs::remove_dir_all(directory.join("cert")).unwrap();
        root
    }

    /// Starts the manager of the proof. The lease of an item is short.
    fn manager(&self, broker: &Broker, directory: &Path) -> Running {
        let url = broker.url();
        let farm = ["--farm", &url, "--lease", "2", "--results", "farm.results"];
        Running::start(&self.arguments(&farm), directory, "manager.log")
    }
}
