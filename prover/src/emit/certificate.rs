//! Encoding and writing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use certificate_spec::Digest;
use certificate_spec::bits::{BitWriter, width};
use certificate_spec::claim::{Claim, Question};
use certificate_spec::leaves::{self, Leaf};
use certificate_spec::manifest::{Kind, Manifest, Object, ObjectHeader};
use certificate_spec::nodes::{self, Node, WirePosition, kind};
use thiserror::Error;

use super::prune::{Kept, Proof, prune};
use crate::board::{Board, Position, Side};
use crate::egdb::write_whole;
use crate::proof::Tree;
use crate::search::{KeyMap, StrategyError};

/// Nodes of an object.
const NODES_PER_OBJECT: usize = 1 << 16;
/// Leaves of an object.
const LEAVES_PER_OBJECT: usize = 1 << 12;

/// What can go wrong with a certificate.
#[derive(Debug, Error)]
pub enum EmitError {
    /// The tree does not prove its root: a mistake of the prover.
    #[error("the proof tree does not hold")]
    Tree,
    /// A strategy does not stand up to its replay: a mistake of the prover.
    #[error("a leaf strategy does not hold: {0}")]
    Strategy(#[from] StrategyError),
    /// The system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is something there already, and it is not this certificate.
    #[error(
        "{path}: expected nothing, an empty directory or this very certificate, found something else; \
         name another directory or remove this one"
    )]
    Occupied {
        /// The directory.
        path: PathBuf,
    },
}

/// The nodes and leaves of one question.
pub struct Section {
    question: Question,
    nodes: Vec<Node>,
    leaves: Vec<Leaf<Vec<u8>>>,
}

impl Section {
    /// Encodes what a decided tree proves. Every strategy is replayed as the checker will do it.
    ///
    /// # Errors
    /// [`EmitError`] if the tree or a strategy does not hold.
    pub fn new(tree: &Tree<'_>) -> Result<Self, EmitError> {
        let (kept, won) = prune(tree).ok_or(EmitError::Tree)?;
        let question = match (won, tree.attacker()) {
            (true, Side::Black) => Question::BlackWins,
            (true, Side::White) => Question::WhiteWins,
            (false, Side::White) => Question::BlackNotLost,
            (false, Side::Black) => Question::WhiteNotLost,
        };
        let ranks: KeyMap<u32> = kept.iter().map(|k| (k.position.key(), k.rank)).collect();
        let mut section =
            Section { question, nodes: Vec::with_capacity(kept.len()), leaves: Vec::new() };
        for node in &kept {
            let (kind, data) = match node.proof {
                Proof::Or(choice) => (kind::OR, choice),
                Proof::And => (kind::AND, 0),
                Proof::Leaf(_) => (kind::LEAF, section.leaves.len() as u32),
            };
            section.leaves.extend(encode_leaf(tree, node, &ranks)?);
            let position = wire(tree.board(), &node.position);
            section.nodes.push(Node { position, rank: node.rank, data, kind, reserved: 0 });
        }
        Ok(section)
    }

    /// A question whose start needs no node: the database or the rules decide it.
    pub fn empty(question: Question) -> Self {
        Section { question, nodes: Vec::new(), leaves: Vec::new() }
    }

    /// The question that is answered.
    pub fn question(&self) -> Question {
        self.question
    }

    /// Numbers of nodes and of leaves.
    pub fn size(&self) -> (usize, usize) {
        (self.nodes.len(), self.leaves.len())
    }
}

fn encode_leaf(
    tree: &Tree<'_>,
    node: &Kept<'_>,
    ranks: &KeyMap<u32>,
) -> Result<Option<Leaf<Vec<u8>>>, EmitError> {
    let Proof::Leaf(strategy) = node.proof else {
        return Ok(None);
    };
    let mut bits = BitWriter::default();
    let closes = |p: &Position| {
        ranks.get(&p.key()).is_some_and(|&rank| !strategy.is_win || rank < node.rank)
    };
    let choice = |at: usize, of: usize| bits.push(at as u32, width(of));
    let positions =
        strategy.replay(tree.board(), tree.database(), &node.position, closes, choice)?;
    Ok(Some(Leaf { positions, strategy: bits.finish() }))
}

fn wire(board: &Board, position: &Position) -> WirePosition {
    WirePosition {
        black: board.to_dense(position.black),
        white: board.to_dense(position.white),
        kings: board.to_dense(position.kings),
        turn: position.turn as u8,
    }
}

/// A certificate, ready to be written.
pub struct Certificate {
    claim: String,
    manifest: Vec<u8>,
    objects: Vec<(Digest, Vec<u8>)>,
}

impl Certificate {
    /// Puts the sections of a claim together. They must be those of its value, in order.
    pub fn new(claim: &Claim, sections: &[Section]) -> Self {
        let claim = claim.encode();
        let mut certificate = Certificate { claim, manifest: Vec::new(), objects: Vec::new() };
        let mut objects = Vec::new();
        for section in sections {
            let mut first = 0;
            for nodes in section.nodes.chunks(NODES_PER_OBJECT) {
                let header = header(section, first, nodes.len());
                let bytes = nodes::encode(&header, nodes);
                objects.push(certificate.add(Kind::Nodes, header, bytes));
                first += nodes.len();
            }
        }
        for section in sections {
            let mut first = 0;
            for leaves in section.leaves.chunks(LEAVES_PER_OBJECT) {
                let header = header(section, first, leaves.len());
                let bytes = leaves::encode(&header, leaves);
                objects.push(certificate.add(Kind::Leaves, header, bytes));
                first += leaves.len();
            }
        }
        let claim = certificate.claim.as_bytes();
        let (claim_length, claim_digest) = (claim.len() as u64, Digest::of(claim));
        certificate.manifest = Manifest { claim_length, claim_digest, objects }.encode();
        certificate
    }

    fn add(&mut self, kind: Kind, header: ObjectHeader, bytes: Vec<u8>) -> Object {
        let ObjectHeader { question, first, count } = header;
        let (length, digest) = (bytes.len() as u64, Digest::of(&bytes));
        self.objects.push((digest, bytes));
        Object { kind, question, first, count, length, digest }
    }

    /// The certificate's root.
    pub fn root(&self) -> Digest {
        Digest::certificate_root(&self.manifest)
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        let objects: usize = self.objects.iter().map(|(_, bytes)| bytes.len()).sum();
        (self.claim.len() + self.manifest.len() + objects) as u64
    }

    /// Whether `directory` holds exactly these files, as far as the certificate goes.
    fn is_at(&self, directory: &Path) -> bool {
        let holds = |name: &str, bytes: &[u8]| {
            fs::read(directory.join(name)).is_ok_and(|found| found == bytes)
        };
        holds("CLAIM", self.claim.as_bytes())
            && holds("MANIFEST", &self.manifest)
            && self.objects.iter().all(|(digest, bytes)| holds(&format!("objects/{digest}"), bytes))
    }

    /// Fails if `directory` can't take this certificate; better before the work than after it.
    ///
    /// # Errors
    /// [`EmitError::Io`] if its parent is not a directory that can be written to.
    pub fn probe_directory(directory: &Path) -> Result<(), EmitError> {
        let parent = parent_of(directory);
        fs::create_dir_all(parent)
            .and_then(|()| tempfile::tempfile_in(parent))
            .map_err(|source| EmitError::Io { path: parent.into(), source })?;
        Ok(())
    }

    /// Writes the certificate to `directory`, which must not exist, be empty, or hold this very
    /// certificate already (then nothing is written). It appears there all at once: it is written
    /// beside it and renamed.
    ///
    /// # Errors
    /// [`EmitError::Occupied`] or [`EmitError::Io`]; nothing is overwritten then.
    pub fn write(&self, directory: &Path) -> Result<(), EmitError> {
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |source| EmitError::Io { path, source }
        };
        if self.is_at(directory) {
            return Ok(());
        }
        match fs::read_dir(directory).map(|mut entries| entries.next().is_some()) {
            Ok(true) => {
                return Err(EmitError::Occupied { path: directory.into() });
            }
            Ok(false) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(io(directory)(e)),
        }
        let parent = parent_of(directory);
        fs::create_dir_all(parent).map_err(io(parent))?;
        let unfinished = tempfile::Builder::new().prefix(".unfinished-").tempdir_in(parent);
        let unfinished = unfinished.map_err(io(parent))?;
        let objects = unfinished.path().join("objects");
        fs::create_dir(&objects).map_err(io(&objects))?;
        for (digest, bytes) in &self.objects {
            let path = objects.join(digest.to_string());
            write_whole(&path, std::iter::once(bytes)).map_err(io(&path))?;
        }
        for (name, bytes) in [("CLAIM", self.claim.as_bytes()), ("MANIFEST", &self.manifest)] {
            let path = unfinished.path().join(name);
            write_whole(&path, std::iter::once(bytes)).map_err(io(&path))?;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(unfinished.path(), mode).map_err(io(unfinished.path()))?;
        }
        fs::rename(unfinished.path(), directory).map_err(io(directory))?;
        // It is no longer there to be removed.
        let _ = unfinished.keep();
        fs::File::open(parent).and_then(|d| d.sync_all()).map_err(io(parent))
    }
}

fn header(section: &Section, first: usize, count: usize) -> ObjectHeader {
    ObjectHeader { question: section.question, first: first as u64, count: count as u64 }
}

fn parent_of(directory: &Path) -> &Path {
    match directory.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
