//! Reads a certificate back: to join it to others, or to report on it.
//!
//! Files must be those of the MANIFEST, byte by byte, and nodes must have the form of `SPEC.md` §6.
//! Whether they prove anything is not verified here; `check` does that.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use certificate_spec::claim::{Claim, Question, Value};
use certificate_spec::cover::Cover;
use certificate_spec::leaves::{self, Leaf, LeafIn};
use certificate_spec::manifest::{self, Kind, Manifest, Object};
use certificate_spec::nodes::{self, Node, kind};
use certificate_spec::object::ObjectHead;
use certificate_spec::provenance::{Asked, Provenance};
use certificate_spec::{Digest, WireError, wire};
use thiserror::Error;

use crate::board::{Board, Game, Position, Side};

/// The reason why a certificate cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: {what}")]
    Wrong { path: PathBuf, what: String },
}

/// A certificate that does not prove what it claims.
#[derive(Debug, Error)]
#[error("{directory}: no proof at {fen}: {what}; let check tell more")]
pub struct BrokenProof {
    pub directory: PathBuf,
    pub fen: String,
    pub what: String,
}

/// A certificate that was read from a directory.
pub struct Stored {
    pub directory: PathBuf,
    pub claim: Claim,
    /// The game of the claim.
    pub game: Game,
    /// The start of the claim.
    pub start: Position,
    pub root: Digest,
    /// The bytes of CLAIM, MANIFEST and objects together.
    pub bytes: u64,
    /// The questions of the claim.
    pub proofs: Vec<StoredProof>,
}

/// The nodes and leaves of one question.
pub struct StoredProof {
    /// The question that is answered.
    pub question: Question,
    /// The nodes, in ascending order of their positions.
    pub nodes: Vec<StoredNode>,
    /// The leaves of the Leaf nodes, in order.
    pub leaves: Vec<Leaf<Vec<u8>>>,
    /// The provenance of the answer, if the certificate states it.
    pub provenance: Option<Provenance>,
}

#[derive(Debug, Clone, Copy)]
pub struct StoredNode {
    pub position: Position,
    /// The rank of the node; 0 where nothing is to be won.
    pub rank: u32,
    /// The reason why the node holds.
    pub basis: StoredBasis,
}

/// The reason why a node holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredBasis {
    /// The successor with this number; the claimant is to move.
    Or(u32),
    /// All successors; the opponent is to move.
    And,
    Leaf(usize),
    /// No proof: the node is assumed, with this score for the claimant in hundredths of a man.
    Assumed(i32),
}

impl StoredProof {
    /// The side that makes the claim.
    pub fn claimant(&self) -> Side {
        claimant(self.question)
    }

    pub fn node(&self, position: &Position) -> Option<&StoredNode> {
        let at = self.nodes.binary_search_by(|node| node.position.cmp(position)).ok()?;
        self.nodes.get(at)
    }

    /// Whether a branch of the leaf of `node` ends at `position` because the tree takes over there.
    pub fn closes(&self, node: &StoredNode, position: &Position) -> bool {
        let there = self.node(position);
        there.is_some_and(|there| !self.question.is_win() || there.rank < node.rank)
    }

    /// The number of positions that the leaves expand.
    pub fn positions(&self) -> u64 {
        self.leaves.iter().map(|leaf| leaf.positions).sum()
    }
}

/// The side that makes the claim of a question.
pub fn claimant(question: Question) -> Side {
    if question.claimant_is_white() { Side::White } else { Side::Black }
}

fn wrong(path: &Path, what: impl Into<String>) -> ReadError {
    ReadError::Wrong { path: path.into(), what: what.into() }
}

/// Reads MANIFEST. Its beginning is checked before the rest is read.
fn read_manifest(path: &Path) -> Result<Vec<u8>, ReadError> {
    let io = |source| ReadError::Io { path: path.into(), source };
    let mut file = fs::File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut bytes = Vec::new();
    (&mut file).take(manifest::START as u64).read_to_end(&mut bytes).map_err(io)?;
    Manifest::judge_start(&bytes, length).map_err(|e| wrong(path, e.to_string()))?;
    file.take(length.saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes).map_err(io)?;
    Ok(bytes)
}

/// Reads a file that must have this length and digest.
fn read_sealed(path: &Path, length: u64, digest: Digest) -> Result<Vec<u8>, ReadError> {
    let bytes = fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    let found = (bytes.len() as u64, Digest::of(&bytes));
    if found == (length, digest) {
        return Ok(bytes);
    }
    let (found_length, found) = found;
    Err(wrong(
        path,
        format!(
            "expected {length} bytes, {digest}, as MANIFEST says, found {found_length} bytes, {found}"
        ),
    ))
}

impl Stored {
    /// Whether a position is in the database of the claim.
    pub fn admits(&self, position: &Position) -> bool {
        let [black, white] = [position.black, position.white].map(u64::count_ones);
        self.claim.cover.admits(black, white)
    }

    /// The error of a proof that does not hold at a position.
    pub(crate) fn broken(&self, position: &Position, what: impl Into<String>) -> BrokenProof {
        let fen = self.game.board.write_fen(position);
        BrokenProof { directory: self.directory.clone(), fen, what: what.into() }
    }

    pub fn assumed(&self) -> usize {
        let nodes = self.proofs.iter().flat_map(|proof| &proof.nodes);
        nodes.filter(|node| matches!(node.basis, StoredBasis::Assumed(_))).count()
    }

    /// Whether it was emitted before its proof was finished: it has Assumed nodes, or it is only a
    /// bound where the value was requested.
    pub(super) fn is_unfinished(&self) -> bool {
        let mut provenances = self.proofs.iter().filter_map(|proof| proof.provenance.as_ref());
        let is_half = matches!(self.claim.value, Value::BlackNotLost | Value::WhiteNotLost)
            && provenances.any(|provenance| provenance.request.claim == Asked::Value);
        is_half || self.assumed() > 0
    }

    /// Reads the certificate in a directory.
    ///
    /// # Errors
    /// [`ReadError`] if a file cannot be read, is not what the MANIFEST says or does not
    /// have the form of the specification.
    pub fn read(directory: &Path) -> Result<Self, ReadError> {
        let path = directory.join("MANIFEST");
        let manifest = read_manifest(&path)?;
        let root = Digest::certificate_root(&manifest);
        let mut bytes = manifest.len() as u64;
        let manifest = Manifest::decode(&manifest).map_err(|e| wrong(&path, e.to_string()))?;
        let file = directory.join("CLAIM");
        let text = read_sealed(&file, manifest.claim_length, manifest.claim_digest)?;
        bytes += manifest.claim_length;
        let claim = Claim::decode(&text).map_err(|e| wrong(&file, e.to_string()))?;
        let game: Game = claim.game.parse().map_err(|e| wrong(&file, format!("{e}")))?;
        let start = game.board.read_fen(&claim.start).map_err(|e| wrong(&file, e.to_string()))?;
        if game.to_string() != claim.game || game.board.write_fen(&start) != claim.start {
            let (game, fen) = (game.to_string(), game.board.write_fen(&start));
            let what = format!("expected game {game} and start {fen}, spelt so, found another way");
            return Err(wrong(&file, what));
        }
        let most = claim.cover.most_pieces();
        let squares = game.board.squares();
        if most > squares {
            return Err(wrong(&file, format!("expected at most {squares} pieces, found {most}")));
        }
        let questions = claim.value.questions();
        let empty = |&question| StoredProof {
            question,
            nodes: Vec::new(),
            leaves: Vec::new(),
            provenance: None,
        };
        let mut proofs: Vec<StoredProof> = questions.iter().map(empty).collect();
        for object in &manifest.objects {
            let Some(proof) = proofs.iter_mut().find(|proof| proof.question == object.question)
            else {
                let found = format!("{:?}", object.question);
                return Err(wrong(
                    &path,
                    format!("expected a question of the claim, found {found}"),
                ));
            };
            let file = directory.join("objects").join(object.digest.to_string());
            let content = read_sealed(&file, object.length, object.digest)?;
            bytes += object.length;
            proof.add(&game.board, &claim.cover, object, &file, &content)?;
        }
        for proof in &proofs {
            let leaves =
                proof.nodes.iter().filter(|n| matches!(n.basis, StoredBasis::Leaf(_))).count();
            if leaves != proof.leaves.len() {
                let found = proof.leaves.len();
                let what = format!("expected {leaves} leaves, one a Leaf node, found {found}");
                return Err(wrong(&path, what));
            }
        }
        Ok(Stored { directory: directory.into(), claim, game, start, root, bytes, proofs })
    }
}

impl StoredProof {
    fn add(
        &mut self,
        board: &Board,
        cover: &Cover,
        object: &Object,
        file: &Path,
        bytes: &[u8],
    ) -> Result<(), ReadError> {
        let syntax = |e: WireError| wrong(file, e.to_string());
        let &Object { question, first, count, .. } = object;
        let agrees = |head: ObjectHead| {
            let right = ObjectHead { question, first, count };
            let what = || format!("offset {}: expected {right}, found {head}", wire::HEAD);
            if head == right { Ok(()) } else { Err(wrong(file, what())) }
        };
        match object.kind {
            Kind::Leaves => {
                let (head, leaves) = leaves::decode(bytes).map_err(syntax)?;
                agrees(head)?;
                self.leaves.extend(leaves.iter().map(LeafIn::to_vec));
            }
            Kind::Provenance => {
                let (head, provenance) = Provenance::decode(bytes).map_err(syntax)?;
                agrees(head)?;
                self.provenance = Some(provenance);
            }
            Kind::Nodes => {
                let (head, records) = nodes::decode(bytes).map_err(syntax)?;
                agrees(head)?;
                let mut leaves =
                    self.nodes.iter().filter(|n| matches!(n.basis, StoredBasis::Leaf(_))).count();
                for (i, record) in records.iter().enumerate() {
                    let node = self.judge(board, cover, record, &mut leaves).map_err(|want| {
                        let offset = nodes::offset(&head, i);
                        wrong(file, format!("offset {offset}: expected {want}, found {record:?}"))
                    })?;
                    self.nodes.push(node);
                }
            }
        }
        Ok(())
    }

    /// Decodes the node after those that are there already, or returns what was expected of it.
    /// `leaves` counts the Leaf nodes.
    fn judge(
        &self,
        board: &Board,
        cover: &Cover,
        record: &Node,
        leaves: &mut usize,
    ) -> Result<StoredNode, &'static str> {
        let &Node { position: on_wire, rank, data, kind, reserved } = record;
        let turn = match on_wire.turn {
            0 => Side::Black,
            1 => Side::White,
            _ => return Err("turn 0 or 1"),
        };
        let position = board.position(on_wire.black, on_wire.white, on_wire.kings, turn);
        let position = position.ok_or("a possible position")?;
        let claimant_moves = turn == self.claimant();
        let basis = match kind {
            kind::OR if claimant_moves => StoredBasis::Or(data),
            kind::AND if !claimant_moves && data == 0 => StoredBasis::And,
            kind::LEAF if data as usize == *leaves => {
                *leaves += 1;
                StoredBasis::Leaf(data as usize)
            }
            kind::ASSUMED => StoredBasis::Assumed(data.cast_signed()),
            _ => return Err("an Or, And, Leaf or Assumed node with its side to move and data"),
        };
        if cover.admits(position.black.count_ones(), position.white.count_ones()) {
            return Err("a position that is not the database's");
        }
        if reserved != 0 || rank != 0 && !self.question.is_win() {
            return Err("reserved bytes of zero, and rank 0 where nothing is won");
        }
        if self.nodes.last().is_some_and(|last| last.position >= position) {
            return Err("a position after that of the node before");
        }
        Ok(StoredNode { position, rank, basis })
    }
}
