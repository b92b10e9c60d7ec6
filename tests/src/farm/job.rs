//! A proof that a farm does.

use super::{Running, root_of};
use crate::prelude::*;

/// A proof of a game over a small database.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    pub game: &'a str,
    /// The cover of the database.
    pub pieces: &'a str,
    /// The budget of a search, in nodes.
    pub leaf_nodes: &'a str,
}

impl Job<'_> {
    /// The arguments of `prove` for this proof, and further ones.
    pub fn arguments<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let Job { game, pieces, leaf_nodes } = *self;
        let own =
            ["--game", game, "--pieces", pieces, "--leaf-nodes", leaf_nodes, "--emit", "cert"];
        [&own[..], more].concat()
    }

    /// Makes the database and the proof in one process, and removes the certificate.
    pub fn alone(&self, directory: &Path) -> Output {
        let arguments = self.arguments(&["--results", "alone.results"]);
        let output = run(&path("prove"), &arguments, directory);
        assert!(output.status.success(), "{output:?}");
        std::fs::remove_dir_all(directory.join("cert")).expect("a certificate");
        output
    }

    /// Makes the database, and returns the root of the certificate that one process finds.
    pub fn root(&self, directory: &Path) -> String {
        root_of(&String::from_utf8_lossy(&self.alone(directory).stdout))
    }

    /// Starts the manager of the proof. The lease of an item is short.
    pub fn manager(&self, url: &str, directory: &Path) -> Running {
        let farm = ["--farm", url, "--lease", "2", "--results", "farm.results"];
        Running::start(&self.arguments(&farm), directory, "manager.log")
    }
}
