//! Checking a part: what somebody else may choose, and what the core itself has counted.
//!
//! Enforces: that a [`Looked`] says what was looked at here, whatever the selection or the source
//! of tables did or said: each pair of slices, block, node and leaf is counted where it has been
//! verified, and each table where it was verified or taken for granted.
//!
//! Trusts: nothing. What follows from a part is for those who ask for it: no [`Looked`] is a
//! verdict.

use crate::certificate::Certificate;
use crate::numbering::PairSize;
use crate::table::{Table, TableView};
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use certificate_spec::manifest::Kind;
use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// How much work a whole check would be, and what it is about.
#[derive(Debug, Clone)]
pub struct WorkSize {
    /// The root of the certificate, or of the database where it is checked alone.
    pub root: Digest,
    /// The root of the database, if there is one.
    pub database_root: Option<Digest>,
    /// The pairs of slices of the database, in order.
    pub pairs: Vec<PairSize>,
    /// The questions of the claim; none of a database alone.
    pub questions: Vec<QuestionSize>,
}

/// The size of a question as the certificate states it.
#[derive(Debug, Clone)]
pub struct QuestionSize {
    /// Its number.
    pub question: u8,
    /// How many nodes it has.
    pub nodes: usize,
    /// The positions that each of its leaves says that it expands.
    pub leaves: Vec<u64>,
}

impl WorkSize {
    pub(crate) fn questions(certificate: &Certificate) -> Vec<QuestionSize> {
        let size = |proof: &crate::QuestionProof| QuestionSize {
            question: proof.question as u8,
            nodes: proof.nodes.len(),
            leaves: proof.leaves.iter().map(|leaf| leaf.positions).collect(),
        };
        certificate.proofs.iter().map(size).collect()
    }
}

/// What of the work is verified: nothing, unless it says otherwise.
pub trait Selection: Sync {
    /// Is told the work before any of it is asked for.
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
    fn has_positions(&self) -> bool {
        false
    }
    /// Whether node or leaf `i` of the `q`th question is verified. The start is the first node.
    fn has(&self, _kind: Kind, _q: usize, _i: usize) -> bool {
        false
    }
}

/// Where tables of values may come from besides the slice files: from nowhere, unless it says
/// otherwise.
pub trait TableSource: Sync {
    /// Is told of which database and level, and returns the digests of tables that count as
    /// verified or as taken for granted before.
    ///
    /// # Errors
    /// What it has is about something else.
    fn begin(&self, _about: &str) -> Result<TableDigests, String> {
        Ok(TableDigests::default())
    }
    /// Whether it wants to be told of each pair of slices as soon as that is verified.
    fn wants_each_pair(&self) -> bool {
        false
    }
    /// Fills in the table of the slice whose file has this digest, and returns the digest that the
    /// table is said to have. If there is none, what is in the table afterwards is worth nothing.
    fn read(&self, _slice_file: Digest, _table: &Table) -> Option<Digest> {
        None
    }
    /// Keeps a table for others.
    ///
    /// # Errors
    /// It cannot be kept; the check goes on without.
    fn write(&self, _slice_file: Digest, _table: TableView<'_>, _digest: Digest) -> io::Result<()> {
        Ok(())
    }
    /// Is told of the digests of all tables so far, after each batch of slices that were verified.
    ///
    /// # Errors
    /// They cannot be noted, and the check has to end.
    fn record(&self, _digests: &TableDigests) -> Result<(), String> {
        Ok(())
    }
}

/// Selects nothing, and has no tables.
pub struct Nothing;

impl Selection for Nothing {}
impl TableSource for Nothing {}

/// The digests of tables, by slice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableDigests {
    /// Of those that have been verified.
    pub verified: HashMap<SliceName, Digest>,
    /// Of those that have been taken for granted.
    pub assumed: HashMap<SliceName, Digest>,
}

/// How many of how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// So many were verified.
    pub looked_at: u64,
    /// So many there are.
    pub of: u64,
}

/// How much of a question was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// The number of the question.
    pub question: u8,
    /// Nodes, the start among them.
    pub nodes: Count,
    /// Leaves.
    pub leaves: Count,
}

/// What a check of a part has verified, counted by the core. Nothing was wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// What a verdict says of the certificate or database, up to the level and the database's root.
    pub subject: String,
    /// The numbers of the pairs of slices that were verified here, ascending.
    pub pairs: Vec<usize>,
    /// Pairs of slices that there are.
    pub all_pairs: usize,
    /// Pairs of blocks that were verified by themselves.
    pub blocks: Count,
    /// The questions of the claim.
    pub questions: Vec<LookedAt>,
    /// The positions that the leaves verified have expanded.
    pub positions: u64,
    /// The positions that all leaves state.
    pub all_positions: u64,
    /// The number of Assumed nodes.
    pub assumed: usize,
    /// The slices of the database.
    pub slices: Vec<SliceName>,
    /// The number of indices of all slices.
    pub indices: u64,
    /// The tables that were verified, here or as the source says, and those that were taken for
    /// granted.
    pub tables: TableDigests,
}

/// A selection and a source of tables, and counters.
pub(crate) struct Part<'a> {
    pub(crate) selection: &'a dyn Selection,
    pub(crate) source: &'a dyn TableSource,
    blocks: [AtomicU64; 2],
}

impl<'a> Part<'a> {
    pub(crate) fn new(selection: &'a dyn Selection, source: &'a dyn TableSource) -> Self {
        Part { selection, source, blocks: Default::default() }
    }

    /// Whether a pair of blocks is verified; counted either way.
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

/// Counts what of a question has been verified.
#[derive(Default)]
pub(crate) struct Counter {
    nodes: AtomicUsize,
    leaves: AtomicUsize,
    positions: AtomicU64,
}

impl Counter {
    pub(crate) fn add_node(&self) {
        self.nodes.fetch_add(1, Relaxed);
    }

    pub(crate) fn add_leaf(&self, positions: u64) {
        self.leaves.fetch_add(1, Relaxed);
        // No replay expands more positions than there is memory for.
        self.positions.fetch_add(positions, Relaxed);
    }

    pub(crate) fn positions(&self) -> u64 {
        self.positions.load(Relaxed)
    }

    pub(crate) fn looked_at(&self, size: &QuestionSize) -> LookedAt {
        let count =
            |n: &AtomicUsize, of: usize| Count { looked_at: n.load(Relaxed) as u64, of: of as u64 };
        LookedAt {
            question: size.question,
            nodes: count(&self.nodes, size.nodes + 1),
            leaves: count(&self.leaves, size.leaves.len()),
        }
    }
}
