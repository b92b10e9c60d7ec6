//! Encodes and writes certificates.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use super::directory::{EmitError, Target, create_unfinished, io_at, require_free, set_aside};
use super::read::{Stored, claimant};
use crate::board::{Board, Game, Position};
use crate::egdb::atomic::{self, sync_directory};
use crate::egdb::{Cover, Values};
use crate::proof::{
    Basis, ProofNode, ProofSettings, QuestionProof, ROUND, Request, Solution, Stop, Undecided,
};
use crate::search::{KeyMap, Replay, StrategyError};
use certificate_spec::Digest;
use certificate_spec::claim::{Claim, Question};
use certificate_spec::leaves::{self, Leaf};
use certificate_spec::manifest::{Kind, Manifest, Object};
use certificate_spec::nodes::{self, Node, WirePosition, kind};
use certificate_spec::object::ObjectHead;
use certificate_spec::provenance::{self, Mode, Provenance, Resources};

const NODES_PER_OBJECT: usize = 1 << 16;
const LEAVES_PER_OBJECT: usize = 1 << 12;

/// A certificate, ready to be written.
pub struct Certificate {
    claim: String,
    manifest: Vec<u8>,
    objects: Vec<(Digest, Vec<u8>)>,
    /// The provenance of a certificate that has Assumed nodes.
    assumes: Option<PartialProof>,
}

impl Certificate {
    /// Joins the sections of a claim. They must be those of its value, in order.
    pub fn new(claim: &Claim, sections: &[Section]) -> Self {
        let claim = claim.encode();
        let provenances = sections.iter().filter_map(|section| section.provenance.as_ref());
        let assumes =
            sections.iter().any(|s| s.assumed() > 0).then(|| PartialProof::of(provenances));
        let objects = Vec::new();
        let mut certificate = Certificate { claim, manifest: Vec::new(), objects, assumes };
        let mut objects = Vec::new();
        for section in sections {
            let mut first = 0;
            for nodes in section.nodes.chunks(NODES_PER_OBJECT) {
                let head = head(section, first, nodes.len());
                let bytes = nodes::encode(&head, nodes);
                objects.push(certificate.add(Kind::Nodes, head, bytes));
                first += nodes.len();
            }
        }
        for section in sections {
            let mut first = 0;
            for leaves in section.leaves.chunks(LEAVES_PER_OBJECT) {
                let head = head(section, first, leaves.len());
                let bytes = leaves::encode(&head, leaves);
                objects.push(certificate.add(Kind::Leaves, head, bytes));
                first += leaves.len();
            }
        }
        for section in sections {
            if let Some(provenance) = &section.provenance {
                let head = head(section, 0, 1);
                objects.push(certificate.add(Kind::Provenance, head, provenance.encode(&head)));
            }
        }
        let claim = certificate.claim.as_bytes();
        certificate.manifest =
            Manifest { claim_length: claim.len() as u64, claim_digest: Digest::of(claim), objects }
                .encode();
        certificate
    }

    fn add(&mut self, kind: Kind, head: ObjectHead, bytes: Vec<u8>) -> Object {
        let ObjectHead { question, first, count } = head;
        let length = bytes.len() as u64;
        let digest = Digest::of(&bytes);
        self.objects.push((digest, bytes));
        Object { kind, question, first, count, length, digest }
    }

    /// The certificate's root.
    pub fn root(&self) -> Digest {
        Digest::certificate_root(&self.manifest)
    }

    /// The bytes of all files together.
    pub fn bytes(&self) -> u64 {
        let objects: usize = self.objects.iter().map(|(_, bytes)| bytes.len()).sum();
        (self.claim.len() + self.manifest.len() + objects) as u64
    }

    /// Whether `directory` holds a certificate with exactly these files.
    fn is_at(&self, directory: &Path) -> bool {
        let holds = |name: &str, bytes: &[u8]| {
            fs::read(directory.join(name)).is_ok_and(|found| found == bytes)
        };
        holds("CLAIM", self.claim.as_bytes())
            && holds("MANIFEST", &self.manifest)
            && self.objects.iter().all(|(digest, bytes)| holds(&format!("objects/{digest}"), bytes))
    }

    /// Whether `directory` holds a certificate of this one's game and start that was emitted before
    /// its proof was finished, and that this one may replace: this one is finished, or is a later
    /// state of that proof.
    fn may_replace(&self, directory: &Path) -> bool {
        let (Ok(stored), Ok(claim)) =
            (Stored::read(directory), Claim::decode(self.claim.as_bytes()))
        else {
            return false;
        };
        let provenances = stored.proofs.iter().filter_map(|proof| proof.provenance.as_ref());
        (&claim.game, &claim.start) == (&stored.claim.game, &stored.claim.start)
            && stored.is_unfinished()
            && self
                .assumes
                .as_ref()
                .is_none_or(|this| this.continues(&PartialProof::of(provenances)))
    }

    /// Writes the certificate to `target`, where it appears atomically. If an equal certificate is
    /// there already, nothing is written.
    ///
    /// # Errors
    /// [`EmitError::Occupied`] or [`EmitError::Io`]; nothing is overwritten then.
    pub fn write(&self, target: Target) -> Result<(), EmitError> {
        let Target { directory } = target;
        if self.is_at(&directory) {
            return Ok(());
        }
        if !self.may_replace(&directory) {
            require_free(&directory)?;
        }
        let unfinished = create_unfinished(&directory)?;
        let write = |name: &str, bytes: &[u8]| {
            let path = unfinished.path().join(name);
            fs::File::create_new(&path)
                .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
                .map_err(io_at(&path))
        };
        let objects = unfinished.path().join("objects");
        fs::create_dir(&objects).map_err(io_at(&objects))?;
        for (digest, bytes) in &self.objects {
            write(&format!("objects/{digest}"), bytes)?;
        }
        write("CLAIM", self.claim.as_bytes())?;
        write("MANIFEST", &self.manifest)?;
        let sync = |path: &Path| sync_directory(path).map_err(io_at(path));
        sync(&objects)?;
        sync(unfinished.path())?;
        let aside = match self.may_replace(&directory) {
            true => Some(set_aside(&directory)?),
            false => None,
        };
        fs::rename(unfinished.path(), &directory).map_err(io_at(&directory))?;
        if let Some(aside) = aside {
            fs::remove_dir_all(&aside).map_err(io_at(&aside))?;
        }
        sync(atomic::parent(&directory))?;
        // The directory was renamed, so it must not be removed.
        let _ = unfinished.keep();
        Ok(())
    }
}

fn head(section: &Section, first: usize, count: usize) -> ObjectHead {
    ObjectHead { question: section.question, first: first as u64, count: count as u64 }
}

/// The nodes and leaves of one question.
#[derive(Debug)]
pub struct Section {
    question: Question,
    pub nodes: Vec<Node>,
    pub leaves: Vec<Leaf<Vec<u8>>>,
    /// The provenance of the answer, if it is stated.
    provenance: Option<Provenance>,
}

impl Section {
    /// Encodes a proof, and replays its strategies as the checker does: they end where the tree
    /// takes over.
    ///
    /// # Errors
    /// [`StrategyError`] if a strategy does not hold.
    pub fn new(
        board: &Board,
        database: &Values,
        proof: QuestionProof,
    ) -> Result<Self, StrategyError> {
        let QuestionProof { question, mut nodes, .. } = proof;
        let is_win = question.is_win();
        let replay = Replay::over(board, database, claimant(question), is_win);
        let ranks: KeyMap<u32> = nodes.iter().map(|n| (n.position.key(), n.rank)).collect();
        for ProofNode { position, rank, basis } in &mut nodes {
            if let Basis::Leaf(leaf) = basis {
                *leaf = replay.repack(leaf, position, |p| {
                    ranks.get(&p.key()).is_some_and(|there| !is_win || there < rank)
                })?;
            }
        }
        Ok(Section::of(question, board, nodes))
    }

    /// The section of a question from its nodes, in ascending order of their positions, with leaves
    /// that end where the tree takes over.
    pub(crate) fn of(question: Question, board: &Board, proof: Vec<ProofNode>) -> Self {
        let mut nodes = Vec::with_capacity(proof.len());
        let mut leaves = Vec::new();
        for ProofNode { position, rank, basis } in proof {
            let (kind, data) = match basis {
                Basis::Or(choice) => (kind::OR, choice),
                Basis::And => (kind::AND, 0),
                Basis::Leaf(leaf) => {
                    leaves.push(leaf);
                    (kind::LEAF, leaves.len() as u32 - 1)
                }
                Basis::Assumed(score) => (kind::ASSUMED, score.cast_unsigned()),
            };
            let position = wire(board, &position);
            nodes.push(Node { position, rank, data, kind, reserved: 0 });
        }
        Section { question, nodes, leaves, provenance: None }
    }

    /// Adds the provenance of the answer (`SPEC.md` §7.1).
    pub fn with_provenance(self, provenance: Provenance) -> Self {
        Section { provenance: Some(provenance), ..self }
    }

    pub fn assumed(&self) -> usize {
        self.nodes.iter().filter(|n| n.kind == kind::ASSUMED).count()
    }
}

fn wire(board: &Board, position: &Position) -> WirePosition {
    WirePosition {
        black: board.to_dense(position.black),
        white: board.to_dense(position.white),
        kings: board.to_dense(position.kings),
        turn: position.turn as u8,
    }
}

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
