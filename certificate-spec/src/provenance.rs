//! How a question was answered (`SPEC.md` §7.1): shown to people and read by `check reproduce`.
//! Nothing relies on it.

use crate::WireError;
use crate::cover::Cover;
use crate::object::ObjectHead;
use crate::reader::Reader;
use crate::wire;
use serde::{Deserialize, Serialize};
use std::fmt;

const MAGIC: &[u8; 8] = b"DPPROVEN";
/// The most bytes of an object: more than any proof has to say, and little to have in memory.
pub const MOST_BYTES: usize = 1 << 16;

/// How the nodes and leaves of a question were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Name and version of the program, one word each, with a blank between them.
    #[serde(deserialize_with = "wire::text")]
    pub program: String,
    /// On what the result depends besides the request.
    pub mode: Mode,
    /// What was asked for: enough to ask for it again.
    pub request: Request,
    /// What each threshold took, in order.
    pub iterations: Vec<Iteration>,
}

/// On what a certificate depends besides the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// On nothing: the same request gives the same bytes.
    Reproducible,
    /// On the timing of threads that search the same question.
    FreeRunning(Resources),
    /// On the timing of workers on several machines.
    Farm(Resources),
}

/// What a certificate that depends on timing was made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Threads of a process.
    pub threads: u32,
    /// Processes.
    pub workers: u32,
    /// Seconds that it took.
    pub seconds: u64,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The game, `RxC` or `RxC/k`.
    #[serde(deserialize_with = "wire::text")]
    pub game: String,
    /// FEN of the start.
    #[serde(deserialize_with = "wire::text")]
    pub start: String,
    /// Which claim.
    pub claim: Asked,
    /// The database that searches looked at.
    pub cover: Cover,
    /// The nodes that the search of a leaf may expand.
    pub leaf_nodes: u64,
    /// The bytes that the transposition table of such a search may grow to.
    pub leaf_table: u64,
    /// The nodes that all searches of a question together may expand, if there is a bound.
    pub max_nodes: Option<u64>,
    /// The thresholds, if there are any.
    pub thresholds: Option<Thresholds>,
    /// The moves of the seed line, in PDN; none without one.
    #[serde(deserialize_with = "wire::texts")]
    pub seed_line: Vec<String>,
}

/// What was to be shown of the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asked {
    /// Its value, whatever it is.
    Value,
    /// That Black does not lose.
    BlackNotLost,
    /// That White does not lose.
    WhiteNotLost,
}

/// Heuristic scores beyond a threshold counted as decided, in hundredths of a man.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thresholds {
    /// The first one.
    pub first: u32,
    /// What was added to it each time.
    pub increment: u32,
    /// The last one, if the proof was to end there.
    pub until: Option<u32>,
}

/// What a threshold took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// The threshold; none where scores decided nothing.
    pub threshold: Option<u32>,
    /// Nodes of the tree.
    pub nodes: u64,
    /// Leaves of the tree.
    pub leaves: u64,
    /// Searches so far.
    pub searches: u64,
    /// Nodes that they expanded.
    pub searched: u64,
    /// The longest line of the tree, in plies.
    pub depth: u64,
}

impl Provenance {
    /// The bytes of its object, which is the only one of its kind and question. The head's count is
    /// 1.
    pub fn encode(&self, head: &ObjectHead) -> Vec<u8> {
        let mut out = head.encode(MAGIC);
        wire::append(&mut out, self);
        out
    }

    /// Reads an object.
    ///
    /// # Errors
    /// [`WireError`] when the head is wrong, what follows is no provenance (as where a text in it
    /// is not printable ASCII), or something is left over.
    pub fn decode(bytes: &[u8]) -> Result<(ObjectHead, Self), WireError> {
        let mut r = Reader::new(bytes);
        let head = ObjectHead::read(&mut r, MAGIC)?;
        if bytes.len() > MOST_BYTES {
            let (want, found) = (format!("at most {MOST_BYTES} bytes"), bytes.len());
            return Err(WireError::syntax(r.offset(), want, found));
        }
        let provenance = r.postcard("a provenance, with texts of printable ASCII")?;
        r.end()?;
        Ok((head, provenance))
    }
}

/// Several lines, for people.
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
