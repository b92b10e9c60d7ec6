//! How a certificate was made, as it says itself (`SPEC.md` §7.1).

use std::time::Duration;

use certificate_spec::provenance::{self, Mode, Provenance, Resources};

use crate::board::Game;
use crate::egdb::Cover;
use crate::proof::{Manager, ROUND, Request, Solution, Stop, Undecided};

/// The name and version that this program gives itself.
const PROGRAM: &str = concat!("draughtproof-prove ", env!("CARGO_PKG_VERSION"));

/// What the certificate of a solution depends on besides the request as it is written down: on
/// nothing, except where the proof was interrupted, its rounds were of another size, threads shared
/// a table or searches what they had decided.
pub fn mode_of(solution: &Solution, manager: &Manager, threads: usize, time: Duration) -> Mode {
    let is_interrupted =
        matches!(&solution.undecided, Some(Undecided { stop: Stop::Interrupted, .. }));
    let is_alone = manager.leaf_threads == 1 && !manager.lemmas;
    if !is_interrupted && manager.round == ROUND && is_alone {
        return Mode::Reproducible;
    }
    Mode::FreeRunning(Resources {
        threads: u32::try_from(threads).unwrap_or(u32::MAX),
        workers: 1,
        seconds: time.as_secs(),
    })
}

/// The provenance of the certificate of a request, without the iterations of a question.
pub fn provenance(game: &Game, cover: &Cover, request: &Request, mode: Mode) -> Provenance {
    let Request { start, asked, manager } = request;
    let Manager { leaf_nodes, leaf_table, max_nodes, thresholds, seed, .. } = manager;
    let moves = seed.windows(2).filter_map(|w| game.board.write_move(&w[0], &w[1]).ok());
    Provenance {
        program: PROGRAM.into(),
        mode,
        request: provenance::Request {
            game: game.to_string(),
            start: game.board.write_fen(start),
            claim: *asked,
            cover: cover.clone(),
            leaf_nodes: *leaf_nodes,
            leaf_table: *leaf_table,
            max_nodes: *max_nodes,
            thresholds: *thresholds,
            seed_line: moves.collect(),
        },
        iterations: Vec::new(),
    }
}

/// How a certificate of a proof that is not finished was made: with which requests, but for what
/// says when to end, and how many thresholds were done.
pub(super) struct Making {
    requests: Vec<provenance::Request>,
    iterations: usize,
}

impl Making {
    pub(super) fn of<'a>(provenances: impl Iterator<Item = &'a Provenance>) -> Self {
        let mut making = Making { requests: Vec::new(), iterations: 0 };
        for Provenance { request, iterations, .. } in provenances {
            let mut request = provenance::Request { max_nodes: None, ..request.clone() };
            if let Some(thresholds) = &mut request.thresholds {
                thresholds.until = None;
            }
            making.requests.push(request);
            making.iterations += iterations.len();
        }
        making
    }

    /// Whether this comes later in the same proof, or is the same.
    pub(super) fn goes_on_from(&self, before: &Making) -> bool {
        self.requests == before.requests && self.iterations >= before.iterations
    }
}
