//! The provenance of a certificate, as the certificate states it (`SPEC.md` §7.1).

use std::time::Duration;

use certificate_spec::provenance::{self, Mode, Provenance, Resources};

use crate::board::Game;
use crate::egdb::Cover;
use crate::proof::{ProofSettings, ROUND, Request, Solution, Stop, Undecided};

/// The name and version of this program, as certificates state them.
const PROGRAM: &str = concat!("draughtproof-prove ", env!("CARGO_PKG_VERSION"));

/// The mode of a solution's certificate: reproducible from the request alone, except where the
/// proof was interrupted, its rounds were of another size than [`ROUND`], threads shared a table,
/// or its tree followed lines, for which the format has no word.
pub fn mode_of(
    solution: &Solution,
    settings: &ProofSettings,
    threads: usize,
    time: Duration,
) -> Mode {
    let is_interrupted =
        matches!(&solution.undecided, Some(Undecided { stop: Stop::Interrupted, .. }));
    let is_alone = settings.leaf_threads == 1 && settings.lines.is_none();
    if !is_interrupted && settings.round == ROUND && is_alone {
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
    let Request { start, asked, settings } = request;
    let ProofSettings { leaf_nodes, leaf_table, max_nodes, thresholds, .. } = settings;
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
            seed_line: Vec::new(),
        },
        iterations: Vec::new(),
    }
}

/// The making of a certificate whose proof is not finished: its requests, without the options that
/// say when to end, and the number of thresholds that were done.
pub(super) struct PartialProof {
    requests: Vec<provenance::Request>,
    iterations: usize,
}

impl PartialProof {
    pub(super) fn of<'a>(provenances: impl Iterator<Item = &'a Provenance>) -> Self {
        let mut partial = PartialProof { requests: Vec::new(), iterations: 0 };
        for Provenance { request, iterations, .. } in provenances {
            let mut request = provenance::Request { max_nodes: None, ..request.clone() };
            if let Some(thresholds) = &mut request.thresholds {
                thresholds.until = None;
            }
            partial.requests.push(request);
            partial.iterations += iterations.len();
        }
        partial
    }

    /// Whether this is the state of `before` or a later one, of a proof with equal requests.
    pub(super) fn continues(&self, before: &PartialProof) -> bool {
        self.requests == before.requests && self.iterations >= before.iterations
    }
}
