//! Checking a part: what a caller may choose, and what the core itself has counted.
//!
//! Enforces: that a [`PartReport`] says what was looked at here, whatever the selection or the
//! store of tables did or said: each pair of slices, block, node and leaf is counted where it has
//! been verified, and each table where it was verified or taken for granted.
//!
//! Trusts: nothing. What follows from a part is for the caller to say: no [`PartReport`] is a
//! verdict.

use crate::certificate::{Certificate, QuestionProof};
use crate::rules::Board;
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use certificate_spec::manifest::Kind;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The size of a whole check, and its subject.
#[derive(Debug, Clone)]
pub struct WorkSize {
    /// The root of the certificate, or of the database where it is checked alone.
    pub root: Digest,
    /// The root of the database, if there is one.
    pub database_root: Option<Digest>,
    /// The board.
    pub board: Board,
    /// The pairs of slices of the database, in order.
    pub pairs: Vec<SliceName>,
    /// The questions of the claim; empty for a database alone.
    pub questions: Vec<QuestionSize>,
}

/// The size of a question as the certificate states it.
#[derive(Debug, Clone)]
pub struct QuestionSize {
    /// The number of the question.
    pub question: u8,
    /// The number of its nodes, without the start.
    pub nodes: usize,
    /// The number of positions that each of its leaves states.
    pub leaves: Vec<u64>,
}

impl WorkSize {
    pub(crate) fn questions(certificate: &Certificate) -> Vec<QuestionSize> {
        let size = |proof: &QuestionProof| QuestionSize {
            question: proof.question as u8,
            nodes: proof.nodes.len(),
            leaves: proof.leaves.iter().map(|leaf| leaf.positions).collect(),
        };
        certificate.proofs.iter().map(size).collect()
    }

    /// The number of positions that all leaves state. They are only claimed until the leaves have
    /// been replayed.
    pub(crate) fn positions(&self) -> u64 {
        let leaves = self.questions.iter().flat_map(|size| &size.leaves);
        leaves.fold(0, |sum, &n| sum.saturating_add(n))
    }
}

/// A choice of the items that are verified. The default methods select nothing.
pub trait Selection: Sync {
    /// Is called with the work before any other method.
    fn begin(&self, _work: &WorkSize) {}
    /// Whether this pair of slices is verified as a whole.
    fn has_pair(&self, _pair: usize) -> bool {
        false
    }
    /// Whether single blocks may be verified.
    fn has_blocks(&self) -> bool {
        false
    }
    /// Whether the pair of blocks with this name is verified by itself.
    fn has_block(&self, _name: &str) -> bool {
        false
    }
    /// Whether any node or leaf may be verified.
    fn has_positions(&self) -> bool;
    /// Whether the digests of the tables of all slices are wanted that are verified or taken for
    /// granted, as the verdict on a shard has them (`SPEC.md` §11).
    fn names_tables(&self) -> bool {
        false
    }
    /// Whether node or leaf `i` of the `q`th question is verified. The start is the first node.
    fn has(&self, kind: Kind, q: usize, i: usize) -> bool;
}

/// A store of tables of values that were verified before, with a record of them. The default
/// methods have and keep nothing.
pub trait TableStore: Sync {
    /// Is called with the database and level of the check, before anything is verified.
    ///
    /// # Errors
    /// The store is about another database or level, or cannot be used.
    fn begin(&self, _about: &str) -> Result<(), String> {
        Ok(())
    }
    /// Whether it records which tables were verified. Then it keeps these, and no others.
    fn records(&self) -> bool {
        false
    }
    /// The digest of the table of a slice that counts as verified.
    fn verified(&self, _slice: SliceName) -> Option<Digest> {
        None
    }
    /// The words of the table of the slice whose file has this digest, and the digest that the
    /// table is said to have.
    fn open(&self, _slice_file: Digest) -> Option<(Digest, Box<dyn Read>)> {
        None
    }
    /// Is called when a table that was opened is not what it is said to be, or not the one that was
    /// recorded.
    fn reject(&self, _slice_file: Digest) {}
    /// Keeps the table with this digest of the slice whose file has the first digest. `write`
    /// writes its words.
    ///
    /// # Errors
    /// The table cannot be kept; the check goes on without.
    fn keep(&self, _slice_file: Digest, _table: Digest, _write: WriteTable<'_>) -> io::Result<()> {
        Ok(())
    }
    /// Is called with the digests of the tables of a pair of slices once these were verified.
    ///
    /// # Errors
    /// They cannot be recorded, and the check has to end.
    fn record(&self, _pair: &[(SliceName, Digest)]) -> Result<(), String> {
        Ok(())
    }
}

/// Writes the words of a table.
pub type WriteTable<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Has no tables, and keeps none.
pub struct Nothing;

impl TableStore for Nothing {}

/// Everything: a whole check.
pub(crate) struct Everything;

impl Selection for Everything {
    fn has_pair(&self, _: usize) -> bool {
        true
    }
    fn has_positions(&self) -> bool {
        true
    }
    fn has(&self, _: Kind, _: usize, _: usize) -> bool {
        true
    }
}

/// The slices that were verified or taken for granted, and the digests of their tables (`SPEC.md`
/// §11).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableDigests {
    /// The slices that were verified, here or as the store says, where tables are named or kept.
    pub verified: HashMap<SliceName, Digest>,
    /// The digests of tables that have been taken for granted, where tables are named.
    pub assumed: HashMap<SliceName, Digest>,
}

/// The number of items that were verified, out of all items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// The number of items that were verified.
    pub looked_at: u64,
    /// The number of all items.
    pub of: u64,
}

/// The part of a question that was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// The number of the question.
    pub question: u8,
    /// The nodes, with the start as one of them.
    pub nodes: Count,
    /// The leaves.
    pub leaves: Count,
    /// The number of positions that the verified leaves have expanded.
    pub positions: u64,
}

/// The result of checking a part without a fault, counted by the core.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartReport {
    /// The verdict's words about the certificate or database, up to the level and database root.
    pub subject: String,
    /// The numbers of the pairs of slices that were verified here, ascending.
    pub pairs: Vec<usize>,
    /// The number of pairs that were not verified here, because the store says that they were
    /// verified before.
    pub believed: usize,
    /// The number of all pairs of slices.
    pub all_pairs: usize,
    /// The pairs of blocks that were verified by themselves, out of those that were offered.
    pub blocks: Count,
    /// The counts for each question of the claim.
    pub questions: Vec<LookedAt>,
    /// The number of positions that the verified leaves have expanded.
    pub positions: u64,
    /// The number of Assumed nodes.
    pub assumed: usize,
    /// The slices of the database.
    pub slices: Vec<SliceName>,
    /// The number of indices of all slices.
    pub indices: u64,
    /// The tables that were verified and those that were taken for granted.
    pub tables: TableDigests,
}

/// A selection and a store of tables, and counters.
pub(crate) struct Part<'a> {
    pub(crate) selection: &'a dyn Selection,
    pub(crate) store: &'a dyn TableStore,
    blocks: [AtomicU64; 2],
}

impl<'a> Part<'a> {
    pub(crate) fn new(selection: &'a dyn Selection, store: &'a dyn TableStore) -> Self {
        Part { selection, store, blocks: Default::default() }
    }

    /// Whether the selected items may need the value of any position.
    pub(crate) fn needs_all(&self) -> bool {
        self.selection.has_positions() || self.selection.has_blocks()
    }

    /// Whether a pair of blocks is verified; it is counted in either case.
    pub(crate) fn has_block(&self, name: &str) -> bool {
        let has = self.selection.has_block(name);
        self.blocks[0].fetch_add(has.into(), Relaxed);
        self.blocks[1].fetch_add(1, Relaxed);
        has
    }

    pub(crate) fn blocks(&self) -> Count {
        let [looked_at, of] = self.blocks.each_ref().map(|n| n.load(Relaxed));
        Count { looked_at, of }
    }
}
