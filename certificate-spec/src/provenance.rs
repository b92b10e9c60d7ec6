//! The provenance of a question's proof (`SPEC.md` §7.1): shown to people and read by
//! `check reproduce`. Nothing relies on it.

use crate::WireError;
use crate::cover::Cover;
use crate::object::ObjectHead;
use crate::reader::Reader;
use crate::wire;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

const MAGIC: &[u8; 8] = b"DPPROVEN";
/// The most bytes of an object: more than any proof needs, and little to hold in memory.
pub const MOST_BYTES: usize = 1 << 16;

/// The provenance of a question's nodes and leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Name and version of the program, one word each, with a blank between them.
    #[serde(deserialize_with = "wire::text")]
    pub program: String,
    /// The inputs of the result besides the request.
    pub mode: Mode,
    /// The request: enough to make it again.
    pub request: Request,
    /// The effort of each threshold, in order.
    pub iterations: Vec<Iteration>,
}

/// The inputs of a certificate besides the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Nothing else: the same request gives the same bytes.
    Reproducible,
    /// The timing of threads that search the same question.
    FreeRunning(Resources),
    /// The timing of workers on several machines.
    Farm(Resources),
}

/// The resources with which a certificate that depends on timing was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// The number of threads of each process.
    pub threads: u32,
    /// The number of processes.
    pub workers: u32,
    /// The wall time in seconds.
    pub seconds: u64,
}

/// The request that was made of the prover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The game, `RxC` or `RxC/k`.
    #[serde(deserialize_with = "wire::text")]
    pub game: String,
    /// The FEN of the start.
    #[serde(deserialize_with = "wire::text")]
    pub start: String,
    /// The claim that was asked for.
    pub claim: Asked,
    /// The cover of the database that searches used.
    pub cover: Cover,
    /// The most nodes that the search of one leaf may expand.
    pub leaf_nodes: u64,
    /// The most bytes that the transposition table of such a search may take.
    pub leaf_table: u64,
    /// The most nodes that all searches of a question together may expand; `None` for no bound.
    pub max_nodes: Option<u64>,
    /// The thresholds, if heuristic scores were used.
    pub thresholds: Option<Thresholds>,
    /// The moves of the seed line, in PDN; empty without one.
    #[serde(deserialize_with = "texts")]
    pub seed_line: Vec<String>,
}

/// The claim about the start that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asked {
    /// The value, whatever it is.
    Value,
    /// The claim that Black does not lose.
    BlackNotLost,
    /// The claim that White does not lose.
    WhiteNotLost,
}

/// Thresholds in hundredths of a man: heuristic scores beyond a threshold count as decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thresholds {
    /// The first threshold.
    pub first: u32,
    /// The difference between a threshold and the next.
    pub increment: u32,
    /// The last threshold, if the proof was to end there.
    pub until: Option<u32>,
}

/// The effort of a proof at one threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// The threshold; `None` where scores decided nothing.
    pub threshold: Option<u32>,
    /// The number of nodes of the proof tree.
    pub nodes: u64,
    /// The number of leaves of the proof tree.
    pub leaves: u64,
    /// The number of searches so far.
    pub searches: u64,
    /// The number of nodes that the searches have expanded.
    pub searched: u64,
    /// The longest line of the tree, in plies.
    pub depth: u64,
}

impl Provenance {
    /// The bytes of the object, which is the only one of its kind and question. The count in `head`
    /// is 1.
    pub fn encode(&self, head: &ObjectHead) -> Vec<u8> {
        let mut out = head.encode(MAGIC);
        wire::append(&mut out, self);
        out
    }

    /// Reads the head of an object of `length` bytes from its first bytes
    /// ([`crate::object::START`] of them, or all), and judges whether that length is possible.
    ///
    /// # Errors
    /// As for [`Provenance::decode`].
    pub fn judge_start(bytes: &[u8], length: u64) -> Result<ObjectHead, WireError> {
        let mut r = Reader::new(bytes);
        let head = ObjectHead::read(&mut r, MAGIC)?;
        if length > MOST_BYTES as u64 {
            let want = format!("at most {MOST_BYTES} bytes");
            return Err(WireError::syntax(r.offset(), want, length));
        }
        Ok(head)
    }

    /// Reads the object of a provenance.
    ///
    /// # Errors
    /// [`WireError`] if the head is wrong, what follows is not a provenance (for example where a
    /// text in it is not printable ASCII), or bytes are left over.
    pub fn decode(bytes: &[u8]) -> Result<(ObjectHead, Self), WireError> {
        let head = Self::judge_start(bytes, bytes.len() as u64)?;
        let mut r = Reader::new(bytes);
        r.take(head.length())?;
        let provenance = r.postcard("a provenance, with texts of printable ASCII")?;
        r.end()?;
        Ok((head, provenance))
    }
}

/// Several lines for people.
impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Provenance { program, mode, request, iterations } = self;
        writeln!(f, "made by {program}, {mode}")?;
        write!(f, "{request}")?;
        iterations.iter().try_for_each(|iteration| write!(f, "\n{iteration}"))
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, resources) = match self {
            Mode::Reproducible => return f.write_str("reproducible"),
            Mode::FreeRunning(resources) => ("free-running", resources),
            Mode::Farm(resources) => ("on a farm", resources),
        };
        let Resources { threads, workers, seconds } = resources;
        write!(f, "{name}: {threads} threads, {workers} workers, {seconds} s")
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { game, start, claim, cover, leaf_nodes, leaf_table, .. } = self;
        let claim = match claim {
            Asked::Value => "value",
            Asked::BlackNotLost => "black-not-lost",
            Asked::WhiteNotLost => "white-not-lost",
        };
        write!(f, "game={game} start={start} claim={claim} pieces={cover}")?;
        write!(f, " leaf-nodes={leaf_nodes} leaf-table={leaf_table}")?;
        if let Some(nodes) = self.max_nodes {
            write!(f, " max-nodes={nodes}")?;
        }
        if let Some(Thresholds { first, increment, until }) = self.thresholds {
            write!(f, " threshold={first} increment={increment}")?;
            until.map_or(Ok(()), |until| write!(f, " until-threshold={until}"))?;
        }
        if !self.seed_line.is_empty() {
            write!(f, " seed-line={}", self.seed_line.join(" "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Iteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Iteration { threshold, nodes, leaves, searches, searched, depth } = self;
        let threshold = threshold.map_or("none".into(), |t| t.to_string());
        write!(f, "iteration threshold={threshold} nodes={nodes} leaves={leaves}")?;
        write!(f, " searches={searches} searched={searched} depth={depth}")
    }
}

/// Reads a list of texts.
fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Vec::deserialize(from)?.into_iter().map(wire::printable).collect()
}
