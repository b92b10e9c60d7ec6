//! Expands a certificate to one over a smaller cover. The moves that lose are known from the
//! database of the certificate (`Allowed`).

mod allowed;
mod closed_set;
mod cut;

use certificate_spec::cover::Cover;
use rayon::prelude::*;
use thiserror::Error;

use self::allowed::Allowed;
pub use self::allowed::Sources;
use self::closed_set::ClosedSet;
use crate::certificate::{BrokenProof, Section, Stored, StoredProof};
use crate::egdb::StoreError;
use crate::progress::Progress;
use crate::search::StrategyError;

/// The most positions of a leaf: `check` replays one of this many in 2 to 4 GB of memory.
pub const MOST_A_LEAF: u64 = 58_000_000;

/// The reason why a certificate cannot be expanded.
#[derive(Debug, Error)]
pub enum ExpandError {
    #[error(transparent)]
    Broken(#[from] BrokenProof),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a leaf strategy does not hold: {0}")]
    Strategy(#[from] StrategyError),
    #[error("{fen}: no depth of this win is known")]
    Depth { fen: String },
}

/// Returns the sections of a certificate over a smaller cover, with at most `most` positions a leaf
/// where that is possible. All leaves are replayed.
///
/// # Errors
/// [`ExpandError`]
pub fn expand(
    stored: &Stored,
    smaller: &Cover,
    sources: &Sources<'_>,
    most: u64,
    progress: &Progress,
) -> Result<Vec<Section>, ExpandError> {
    let section = |proof: &StoredProof| {
        let start = |what, work, unit| {
            progress.start(format!("{what} {}", proof.question.word()), work, unit)
        };
        let bar =
            proof.question.is_win().then(|| start("replaying", proof.positions(), "position"));
        let replayed = |n| bar.iter().for_each(|bar| bar.add(n));
        let allowed = Allowed::new(stored, proof, smaller, sources, replayed)?;
        bar.into_iter().for_each(|bar| bar.finish());
        let bar = start("expanding", 0, "node");
        let set = ClosedSet::find(&allowed, &stored.start, |n| bar.add(n))?;
        bar.finish();
        let bar = start("packing", 0, "position");
        let section = cut::section(&set, &stored.start, most, |n| bar.add(n))?;
        bar.finish();
        Ok(section)
    };
    // The first error in the order of questions is reported.
    let sections: Vec<_> = stored.proofs.par_iter().map(section).collect();
    sections.into_iter().collect()
}
