//! The encoders of CLAIM, MANIFEST, nodes and leaves, words for questions, and covers for a search.
//! No decoder uses this file, so nothing that is accepted depends on it.

use crate::claim::{Claim, Question, Value};
use crate::cover::{Clause, Cover};
use crate::leaves::{self, Leaf};
use crate::manifest::{self, Manifest};
use crate::nodes::{self, Node};
use crate::object::ObjectHead;
use crate::{RULES, VERSION, wire};

impl Question {
    /// The question with this number.
    pub fn from_u8(n: u8) -> Option<Self> {
        Self::ALL.get(usize::from(n)).copied()
    }

    /// The word for it, as `--claim` of the prover has it.
    pub fn word(self) -> &'static str {
        match self {
            Question::BlackNotLost => "black-not-lost",
            Question::WhiteNotLost => "white-not-lost",
            Question::BlackWins => "black-wins",
            Question::WhiteWins => "white-wins",
        }
    }

    /// The value whose only question this is.
    pub fn value(self) -> Value {
        match self {
            Question::BlackNotLost => Value::BlackNotLost,
            Question::WhiteNotLost => Value::WhiteNotLost,
            Question::BlackWins => Value::BlackWins,
            Question::WhiteWins => Value::WhiteWins,
        }
    }
}

impl Cover {
    /// The cover without positions, of a certificate without a database.
    pub fn none() -> Cover {
        Cover::default()
    }

    /// All positions with at most `pieces` pieces; none where `pieces` is less than 2.
    pub fn up_to(pieces: u8) -> Cover {
        Cover::of([Clause { pieces, side: pieces.saturating_sub(1) }])
    }

    /// The clauses, in canonical form.
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }
}

impl Claim {
    /// The text of CLAIM; a claim has only one.
    pub fn encode(&self) -> String {
        let Claim { game, start, value, cover, database } = self;
        let database = database.map_or("none".into(), |root| root.to_string());
        format!(
            "draughtproof certificate {VERSION}\nrules {RULES}\ngame {game}\nstart {start}\nvalue {}\npieces {cover}\ndatabase {database}\n",
            value.word(),
        )
    }
}

impl Manifest {
    /// The bytes of MANIFEST.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = wire::head(manifest::MAGIC);
        wire::append(&mut out, self);
        out
    }
}

/// The bytes of an object of nodes.
pub fn nodes(head: &ObjectHead, nodes: &[Node]) -> Vec<u8> {
    let mut out = head.encode(nodes::MAGIC);
    out.reserve(nodes::RECORD * nodes.len());
    for node in nodes {
        out.extend(node.position.black.to_le_bytes());
        out.extend(node.position.white.to_le_bytes());
        out.extend(node.position.kings.to_le_bytes());
        out.extend(node.rank.to_le_bytes());
        out.extend(node.data.to_le_bytes());
        out.extend([node.position.turn, node.kind]);
        out.extend(node.reserved.to_le_bytes());
    }
    out
}

/// The bytes of an object of leaves.
pub fn leaves<B: AsRef<[u8]>>(head: &ObjectHead, leaves: &[Leaf<B>]) -> Vec<u8> {
    let mut out = head.encode(leaves::MAGIC);
    for leaf in leaves {
        out.extend((leaf.strategy.as_ref().len() as u64).to_le_bytes());
        out.extend(leaf.positions.to_le_bytes());
    }
    for leaf in leaves {
        out.extend(leaf.strategy.as_ref());
    }
    out
}

/// Packs the choices of a strategy into bytes.
#[derive(Debug, Default, Clone)]
pub struct BitWriter {
    bytes: Vec<u8>,
    bits: usize,
}

impl BitWriter {
    /// Appends the lowest `width` bits of `value`.
    pub fn push(&mut self, value: u32, width: u32) {
        for i in 0..width {
            if self.bits.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> i & 1 == 1) << (self.bits % 8);
            }
            self.bits += 1;
        }
    }

    /// Returns the bytes; unused bits of the last byte are zero.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}
