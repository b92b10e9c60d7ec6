//! A certificate as it lies on disk: `SPEC.md` §3 – §6, as far as it can be judged without playing
//! a move.
//!
//! Enforces: that what `tree.rs` and `leaf.rs` go over is all that the certificate holds, in order
//! and without gap, and that it is what the root stands for. In particular the nodes of a question
//! are strictly ascending, so that looking one up by its position finds the only one there can be.

use super::files::{Entry, Listing, Seal, compare_listing, list, read, read_hashed, read_manifest};
use crate::options::Level;
use crate::rules::{Board, Game, Position, Side};
use crate::rules::{parse_fen, write_fen};
use crate::verdict::{Finding, Stop, format_and_rules};
use certificate_spec::Digest;
use certificate_spec::claim::{Claim, Question};
use certificate_spec::cover::Cover;
use certificate_spec::leaves::{self, Leaf, LeafIn};
use certificate_spec::manifest::{self, Kind, Manifest, Object};
use certificate_spec::nodes::{self, Node, kind};
use certificate_spec::object::{self, ObjectHead};
use certificate_spec::provenance::{self, Provenance};
use certificate_spec::wire::HEAD;
use std::path::Path;

/// A certificate that is right as far as that can be seen without playing a move.
pub struct Certificate {
    /// The contents of CLAIM.
    pub claim: Claim,
    /// The game that the claim is about.
    pub game: Game,
    /// The position that the claim is about.
    pub start: Position,
    /// The root: the digest of the certificate as a whole.
    pub root: Digest,
    /// The proofs of the questions of the claim, in order.
    pub proofs: Vec<QuestionProof>,
    manifest: Manifest,
}

/// The nodes and leaves of one question.
pub struct QuestionProof {
    /// The question that is proved.
    pub question: Question,
    /// The nodes, in ascending order of their positions.
    pub nodes: Vec<CheckedNode>,
    /// The leaves, in the order of the Leaf nodes.
    pub leaves: Vec<Leaf<Vec<u8>>>,
    /// The provenance that the certificate states; only shown, never trusted.
    pub provenance: Option<Provenance>,
}

/// A node whose fields have been judged.
#[derive(Debug, Clone, Copy)]
pub struct CheckedNode {
    /// The position, which is possible and not in the database.
    pub position: Position,
    /// The rank; 0 unless the question is a win.
    pub rank: u32,
    /// The number of the move chosen for Or, and of the leaf for Leaf.
    pub data: u32,
    /// The kind of node, one of [`kind`].
    pub kind: u8,
}

/// The side that makes the claim of a question.
pub(crate) fn claimant(question: Question) -> Side {
    if question.claimant_is_white() { Side::White } else { Side::Black }
}

/// The name of an object in verdicts, which is also its path; made from its digest.
fn object_name(object: &Object) -> String {
    format!("objects/{}", object.digest)
}

/// The head that an object must have.
fn head_of(&Object { question, first, count, .. }: &Object) -> ObjectHead {
    ObjectHead { question, first, count }
}

/// The most bytes of an object that are read: where its length cannot be right, those that tell
/// what is wrong.
fn most_bytes(object: &Object) -> u64 {
    let head = head_of(object).length() as u64;
    let may_be_right = match object.kind {
        Kind::Nodes => {
            let records = object.count.checked_mul(nodes::RECORD as u64);
            records.and_then(|records| records.checked_add(head)) == Some(object.length)
        }
        // A strategy may have any length.
        Kind::Leaves => true,
        Kind::Provenance => object.length <= provenance::MOST_BYTES as u64,
    };
    if may_be_right { object.length } else { object::START as u64 }
}

/// Judges CLAIM's text and its start.
fn read_claim(bytes: &[u8]) -> Result<(Claim, Game, Position), Stop> {
    let rule = "claim-syntax";
    let claim = Claim::decode(bytes).map_err(|e| Stop::wire(rule, "CLAIM", e))?;
    let at_line = |n, finding: Finding| {
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').take(n);
        finding.file("CLAIM").at(lines.map(<[u8]>::len).sum::<usize>() as u64)
    };
    let game = Game::parse(&claim.game)
        .ok_or_else(|| at_line(2, Finding::new(rule, "game, RxC or RxC/k", &claim.game)))?;
    let start = parse_fen(&claim.start)
        .ok_or_else(|| at_line(3, Finding::new(rule, "canonical FEN", &claim.start)))?;
    let most = game.board().squares();
    if u32::from(claim.cover.most_pieces()) > most {
        let finding = Finding::new(rule, format!("at most {most} pieces"), &claim.cover);
        return Err(at_line(5, finding).into());
    }
    if !game.board().is_possible(&start) {
        let expected = format!("possible on {}", game.board().name());
        let finding = Finding::new("claim-start", expected, "impossible").position(start);
        return Err(at_line(3, finding).into());
    }
    Ok((claim, game, start))
}

/// Checks that a folder has CLAIM or the MANIFEST of a certificate. A folder that has neither was
/// named by mistake, and there is nothing to refute.
fn check_is_certificate(path: &Path, listing: &Listing) -> Result<(), Stop> {
    let start = read(&path.join("MANIFEST"), "MANIFEST", manifest::MAGIC.len() as u64);
    if listing.contains_key(&b"CLAIM"[..]) || start.is_ok_and(|start| start == manifest::MAGIC) {
        return Ok(());
    }
    let text = format!("the folder {} is no certificate: it has no CLAIM", path.display());
    Err(Stop::Error(text))
}

fn check_listing(path: &Path, mut found: Listing, objects: &[Object]) -> Result<(), Stop> {
    let directory = b"objects".to_vec();
    let has_objects = found.get(&directory) == Some(&Entry::Directory);
    if has_objects {
        found.extend(list(&path.join("objects"), "objects/")?);
    }
    let names =
        ["CLAIM".into(), "MANIFEST".into()].into_iter().chain(objects.iter().map(object_name));
    let mut wanted: Listing = names.map(|name| (name.into_bytes(), Entry::File)).collect();
    if has_objects || !objects.is_empty() {
        wanted.insert(directory, Entry::Directory);
    }
    compare_listing("", &wanted, &found)
}

impl Certificate {
    /// Reads a certificate. At the level consistent, claims of winning that need a database are
    /// declined.
    ///
    /// # Errors
    /// What is wrong with the certificate, as far as that can be seen without playing a move.
    pub fn read(path: &Path, level: Level) -> Result<Certificate, Stop> {
        let listing = list(path, "")?;
        check_is_certificate(path, &listing)?;
        // This is longer than any claim: an error in a longer file shows within these bytes.
        let text = read(&path.join("CLAIM"), "CLAIM", 1 << 16)?;
        let (claim, game, start) = read_claim(&text)?;
        let wins = claim.value.questions().iter().any(|question| question.is_win());
        if wins && !claim.cover.is_empty() && level == Level::Consistent {
            let finding = Finding::new("level", Level::Exact.word(), level.word());
            return Err(finding.file("CLAIM").declined());
        }
        let (rule, file) = ("manifest-syntax", "MANIFEST");
        let bytes = read_manifest(&path.join(file), file, rule, Manifest::judge_start)?;
        let manifest = Manifest::decode(&bytes).map_err(|e| Stop::wire(rule, file, e))?;
        let root = Digest::certificate_root(&bytes);
        let mut certificate =
            Certificate { claim, game, start, root, proofs: Vec::new(), manifest };
        let read = certificate.read_objects(path, listing, &text);
        read.map_err(|stop| stop.about(Some(root), None))?;
        Ok(certificate)
    }

    /// Reads what the manifest lists, with CLAIM's text and the folder's listing.
    fn read_objects(&mut self, path: &Path, listing: Listing, text: &[u8]) -> Result<(), Stop> {
        let Certificate { claim, manifest, .. } = &*self;
        let questions = claim.value.questions();
        let mut of = manifest.objects.iter().map(|object| object.question);
        if let Some(i) = of.position(|question| !questions.contains(&question)) {
            let question = manifest.objects[i].question as u8;
            let finding = Finding::new("manifest-syntax", "a question of the claim", question);
            return Err(finding.file("MANIFEST").at(manifest.offset(i)).into());
        }
        let stated = Seal { length: manifest.claim_length, digest: manifest.claim_digest };
        let found = Seal { length: text.len() as u64, digest: Digest::of(text) };
        if stated != found {
            return Err(Finding::new("claim-hash", stated, found).file("CLAIM").into());
        }
        check_listing(path, listing, &manifest.objects)?;

        for &question in questions {
            let (nodes, leaves, provenance) = Default::default();
            self.proofs.push(QuestionProof { question, nodes, leaves, provenance });
        }
        for object in &self.manifest.objects {
            // There are no objects of other questions, as has been seen above.
            for proof in self.proofs.iter_mut().filter(|p| p.question == object.question) {
                proof.add(path, object, self.game.board(), &self.claim.cover)?;
            }
        }
        self.proofs.iter().try_for_each(|proof| self.check_leaf_numbers(proof))
    }

    /// The fields that verdicts begin with: value, game, start and root.
    pub fn verdict_fields(&self) -> String {
        let initial = self.start == self.game.initial();
        let start = if initial { "initial".into() } else { write_fen(&self.start) };
        let (value, game, root) = (self.claim.value.word(), self.game.name(), self.root);
        format!("{value} {game} start={start} root={root} {}", format_and_rules())
    }

    /// The number of Assumed nodes.
    pub fn assumed(&self) -> usize {
        let nodes = self.proofs.iter().flat_map(|proof| &proof.nodes);
        nodes.filter(|node| node.kind == kind::ASSUMED).count()
    }

    /// Checks that the Leaf nodes have the numbers 0, 1, 2 and so on, and that there are as many
    /// leaves.
    fn check_leaf_numbers(&self, proof: &QuestionProof) -> Result<(), Stop> {
        let mut numbers = proof.leaf_nodes().zip(0..);
        if let Some(((i, node), n)) = numbers.find(|((_, node), n)| node.data != *n) {
            let finding = Finding::new("leaf-number", n, node.data).position(node.position);
            return Err(self.refuted(finding, Kind::Nodes, proof.question, i));
        }
        let count = proof.leaf_nodes().count();
        if count != proof.leaves.len() {
            let expected = format!("{count} leaves of question {}", proof.question as u8);
            let finding = Finding::new("leaf-number", expected, proof.leaves.len());
            return Err(finding.file("MANIFEST").into());
        }
        Ok(())
    }

    /// Refutes at node or leaf `i` of a question, which is in the last object that begins with it
    /// or before it.
    pub(crate) fn refuted(&self, wrong: Finding, kind: Kind, question: Question, i: usize) -> Stop {
        let holds = |object: &&Object| {
            object.kind == kind && object.question == question && object.first <= i as u64
        };
        let Some(object) = self.manifest.objects.iter().rfind(holds) else {
            return wrong.file("MANIFEST").into();
        };
        // `first` is at most `i`, so it is a `usize`.
        let (head, i) = (head_of(object), i - usize::try_from(object.first).unwrap_or(i));
        let is_node = kind == Kind::Nodes;
        let offset = if is_node { nodes::offset(&head, i) } else { leaves::offset(&head, i) };
        wrong.file(object_name(object)).at(offset).into()
    }
}

impl QuestionProof {
    /// Reads an object and adds its nodes or leaves, after those of the objects before it.
    fn add(
        &mut self,
        path: &Path,
        object: &Object,
        board: &Board,
        cover: &Cover,
    ) -> Result<(), Stop> {
        let name = object_name(object);
        let seal = Seal { length: object.length, digest: object.digest };
        let most = most_bytes(object);
        let bytes = read_hashed(&path.join(&name), &name, "object-hash", seal, most)?;
        let wire = |error| Stop::wire("object-syntax", &name, error);
        let agrees = |head: ObjectHead| {
            let right = head_of(object);
            let wrong = || Finding::new("object-syntax", right, head);
            if head == right { Ok(()) } else { Err(wrong().file(&*name).at(HEAD as u64)) }
        };
        match object.kind {
            Kind::Nodes => {
                agrees(nodes::judge_start(&bytes, object.length).map_err(wire)?)?;
                let (head, records) = nodes::decode(&bytes).map_err(wire)?;
                self.nodes.reserve(records.len());
                for (i, record) in records.iter().enumerate() {
                    let node = self.check_node(record, board, cover);
                    let place = |finding: Finding| finding.file(&*name).at(nodes::offset(&head, i));
                    self.nodes.push(node.map_err(place)?);
                }
            }
            Kind::Leaves => {
                let (head, leaves) = leaves::decode(&bytes).map_err(wire)?;
                agrees(head)?;
                self.leaves.extend(leaves.iter().map(LeafIn::to_vec));
            }
            Kind::Provenance => {
                Provenance::judge_start(&bytes, object.length).map_err(wire)?;
                let (head, provenance) = Provenance::decode(&bytes).map_err(wire)?;
                agrees(head)?;
                self.provenance = Some(provenance);
            }
        }
        Ok(())
    }

    /// Judges the node after those already read, in the order of `SPEC.md` §9.
    fn check_node(
        &self,
        node: &Node,
        board: &Board,
        cover: &Cover,
    ) -> Result<CheckedNode, Finding> {
        let &Node { rank, data, kind, reserved, position: wire } = node;
        let turn = if wire.turn == 1 { Side::White } else { Side::Black };
        let position = Position { black: wire.black, white: wire.white, kings: wire.kings, turn };
        let in_database = cover.admits(position.black.count_ones(), position.white.count_ones());
        let claimant_moves = turn == claimant(self.question);
        let ascends = self.nodes.last().is_none_or(|last| last.position < position);
        let rules = [
            ("node-syntax", "kind 1 to 4", (kind::OR..=kind::ASSUMED).contains(&kind)),
            ("node-syntax", "turn 0 or 1", wire.turn <= 1),
            ("node-syntax", "reserved 0", reserved == 0),
            ("node-syntax", "rank 0", rank == 0 || self.question.is_win()),
            ("node-syntax", "data 0", data == 0 || kind != kind::AND),
            ("node-position", "possible", board.is_possible(&position)),
            ("node-position", "not in the database", !in_database),
            ("node-turn", "claimant to move", claimant_moves || kind != kind::OR),
            ("node-turn", "opponent to move", !claimant_moves || kind != kind::AND),
            ("node-order", "a position after that of the node before", ascends),
        ];
        match rules.into_iter().find(|&(_, _, is_so)| !is_so) {
            None => Ok(CheckedNode { position, rank, data, kind }),
            Some((rule, expected, _)) => Err(Finding::new(rule, expected, node).position(position)),
        }
    }

    /// The Leaf nodes, in order, with their numbers among all nodes.
    pub fn leaf_nodes(&self) -> impl Iterator<Item = (usize, &CheckedNode)> {
        self.nodes.iter().enumerate().filter(|(_, node)| node.kind == kind::LEAF)
    }
}
