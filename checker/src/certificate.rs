//! A certificate as it lies on disk: `SPEC.md` §3 – §6, as far as it can be judged without playing a
//! move.
//!
//! Enforces: that what `tree.rs` and `leaf.rs` go over is all that the certificate holds, in order
//! and without gap, and that it is what the root stands for. In particular the nodes of a question
//! are strictly ascending, so that looking one up by its position finds the only one there can be.

use crate::files::{Entry, Listing, compare_listing, list, read, read_hashed, require_directory};
use crate::rules::{Board, Game, Position, Side};
use crate::verdict::{Finding, Stop};
use crate::{fen, tree};
use certificate_spec::claim::{Claim, Question};
use certificate_spec::leaves::{self, Leaf};
use certificate_spec::manifest::{Kind, Manifest, OBJECT_HEADER, Object, ObjectHeader};
use certificate_spec::nodes::{self, Node, kind};
use certificate_spec::{Digest, WireError};
use rayon::prelude::*;
use std::path::Path;

/// CLAIM and MANIFEST.
pub(crate) struct Head {
    pub(crate) claim: Claim,
    pub(crate) game: Game,
    pub(crate) start: Position,
    pub(crate) root: Digest,
    objects: Vec<Object>,
}

/// A node whose fields have been judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedNode {
    pub(crate) position: Position,
    pub(crate) rank: u32,
    pub(crate) data: u32,
    pub(crate) kind: u8,
}

/// The nodes and leaves of one question, and in which objects they are.
pub(crate) struct Part<'a> {
    pub(crate) question: Question,
    pub(crate) nodes: Vec<CheckedNode>,
    pub(crate) leaves: Vec<Leaf<&'a [u8]>>,
    node_objects: Vec<Object>,
    leaf_objects: Vec<Object>,
}

/// Name and path of an object, made from its digest.
fn object_name(digest: Digest) -> String {
    format!("objects/{digest}")
}

/// Reads CLAIM and judges its text and its start.
pub(crate) fn read_claim(path: &Path) -> Result<(Vec<u8>, Claim, Game, Position), Stop> {
    require_directory(path)?;
    // Longer than any claim: what is wrong with a longer file shows in so many bytes.
    const LIMIT: u64 = 1 << 16;
    let (rule, file) = ("claim-syntax", "CLAIM");
    let bytes = read(&path.join(file), file, LIMIT)?;
    let claim = Claim::decode(&bytes).map_err(|e| Stop::wire(rule, file, e))?;
    let line =
        |n| bytes.split_inclusive(|&b| b == b'\n').take(n).map(<[u8]>::len).sum::<usize>() as u64;
    let refuted = |rule, n| Finding::new(rule, file).at(line(n));
    let Some(game) = Game::parse(&claim.game) else {
        return Err(refuted(rule, 2).expected("game, RxC or RxC/k").found(&claim.game).refuted());
    };
    let Some(start) = fen::parse(&claim.start) else {
        return Err(refuted(rule, 3).expected("canonical FEN").found(&claim.start).refuted());
    };
    let most = game.board().squares();
    if u32::from(claim.pieces) > most {
        let finding = refuted(rule, 5).expected(format!("at most {most} pieces"));
        return Err(finding.found(claim.pieces).refuted());
    }
    if !game.board().is_possible(&start) {
        let finding = refuted("claim-start", 3).position(&start);
        return Err(finding.expected(format!("possible on {}", game.board().name())).refuted());
    }
    Ok((bytes, claim, game, start))
}

/// Reads MANIFEST and compares it with CLAIM and with the directory.
pub(crate) fn read_head(
    path: &Path,
    text: &[u8],
    claim: Claim,
    game: Game,
    start: Position,
) -> Result<Head, Stop> {
    let (rule, file) = ("manifest-syntax", "MANIFEST");
    let bytes = read(&path.join(file), file, u64::MAX)?;
    let manifest = Manifest::decode(&bytes).map_err(|e| Stop::wire(rule, file, e))?;
    let needed = claim.value.questions();
    if let Some(i) = manifest.objects.iter().position(|o| !needed.contains(&o.question)) {
        let offset = (certificate_spec::manifest::HEADER
            + certificate_spec::manifest::RECORD * i
            + 1) as u64;
        let finding = Finding::new(rule, file).at(offset).expected("a question of the claim");
        return Err(finding.found(manifest.objects[i].question as u8).refuted());
    }
    let found = Digest::of(text);
    if (text.len() as u64, found) != (manifest.claim_length, manifest.claim_digest) {
        let words = |length: u64, digest| format!("{length} bytes, {digest}");
        let finding = Finding::new("claim-hash", "CLAIM");
        let finding = finding.expected(words(manifest.claim_length, manifest.claim_digest));
        return Err(finding.found(words(text.len() as u64, found)).refuted());
    }
    check_listing(path, &manifest.objects)?;
    let root = Digest::certificate_root(&bytes);
    Ok(Head { claim, game, start, root, objects: manifest.objects })
}

fn check_listing(path: &Path, objects: &[Object]) -> Result<(), Stop> {
    let objects_name = b"objects".to_vec();
    let mut found = Listing::new();
    list(path, "", &mut found)?;
    let has_objects = found.get(&objects_name) == Some(&Entry::Directory);
    if has_objects {
        list(&path.join("objects"), "objects/", &mut found)?;
    }
    let mut wanted =
        Listing::from([(b"CLAIM".to_vec(), Entry::File), (b"MANIFEST".to_vec(), Entry::File)]);
    if has_objects || !objects.is_empty() {
        wanted.insert(objects_name, Entry::Directory);
    }
    wanted.extend(objects.iter().map(|o| (object_name(o.digest).into_bytes(), Entry::File)));
    compare_listing("", &wanted, &found)
}

impl Head {
    /// Reads the bytes of all objects; what went wrong with one stays in its place.
    pub(crate) fn read_objects(&self, path: &Path) -> Vec<Result<Vec<u8>, Stop>> {
        let read = |object: &Object| {
            let name = object_name(object.digest);
            read_hashed(&path.join(&name), &name, "object-hash", (object.length, object.digest))
        };
        self.objects.par_iter().map(read).collect()
    }

    /// Judges the objects in order, and sorts their nodes and leaves by question.
    pub(crate) fn parts<'a>(
        &self,
        bytes: &'a [Result<Vec<u8>, Stop>],
    ) -> Result<Vec<Part<'a>>, Stop> {
        let part = |&question: &Question| Part {
            question,
            nodes: Vec::new(),
            leaves: Vec::new(),
            node_objects: Vec::new(),
            leaf_objects: Vec::new(),
        };
        let mut parts: Vec<Part<'a>> = self.claim.value.questions().iter().map(part).collect();
        for (object, bytes) in self.objects.iter().zip(bytes) {
            let bytes = bytes.as_ref().map_err(Stop::clone)?;
            // `read_head` has seen that there are no other questions.
            for part in parts.iter_mut().filter(|part| part.question == object.question) {
                match object.kind {
                    Kind::Nodes => part.add_nodes(self, object, bytes)?,
                    Kind::Leaves => part.add_leaves(object, bytes)?,
                }
            }
        }
        for part in &parts {
            part.check_leaf_numbers()?;
        }
        Ok(parts)
    }
}

/// Compares an object's header with the record that announces it.
fn check_header(object: &Object, decoded: Result<ObjectHeader, WireError>) -> Result<(), Stop> {
    let (rule, name) = ("object-syntax", object_name(object.digest));
    let header = decoded.map_err(|e| Stop::wire(rule, &name, e))?;
    let right =
        ObjectHeader { question: object.question, first: object.first, count: object.count };
    if header == right {
        return Ok(());
    }
    let words = |h: ObjectHeader| {
        format!("question {}, first {}, count {}", h.question as u8, h.first, h.count)
    };
    let finding = Finding::new(rule, name).at((OBJECT_HEADER - 20) as u64);
    Err(finding.expected(words(right)).found(words(header)).refuted())
}

impl<'a> Part<'a> {
    fn add_nodes(&mut self, head: &Head, object: &Object, bytes: &[u8]) -> Result<(), Stop> {
        let (header, records) = match nodes::decode(bytes) {
            Ok((header, records)) => (Ok(header), records),
            Err(error) => (Err(error), Vec::new()),
        };
        check_header(object, header)?;
        self.node_objects.push(*object);
        self.nodes.reserve(records.len());
        for (i, record) in records.iter().enumerate() {
            let refuted =
                |rule| Finding::new(rule, object_name(object.digest)).at(nodes::offset(i));
            let node = check_node(head, self.question, record, &refuted)?;
            if let Some(last) = self.nodes.last().filter(|last| last.position >= node.position) {
                let finding = refuted("node-order").position(&node.position);
                return Err(finding
                    .expected(format!("after {}", fen::write(&last.position)))
                    .refuted());
            }
            self.nodes.push(node);
        }
        Ok(())
    }

    fn add_leaves(&mut self, object: &Object, bytes: &'a [u8]) -> Result<(), Stop> {
        let (header, leaves) = match leaves::decode(bytes) {
            Ok((header, leaves)) => (Ok(header), leaves),
            Err(error) => (Err(error), Vec::new()),
        };
        check_header(object, header)?;
        // The directory may be shorter than `count` says only if decoding has failed.
        self.leaf_objects.push(*object);
        self.leaves.extend(leaves);
        Ok(())
    }

    /// The Leaf nodes, in order, with their numbers among all nodes.
    pub(crate) fn leaf_nodes(&self) -> impl Iterator<Item = (usize, &CheckedNode)> {
        self.nodes.iter().enumerate().filter(|(_, node)| node.kind == kind::LEAF)
    }

    fn check_leaf_numbers(&self) -> Result<(), Stop> {
        let mut count = 0;
        for (i, node) in self.leaf_nodes() {
            if u64::from(node.data) != count {
                let finding = self.node_finding("leaf-number", i).position(&node.position);
                return Err(finding.expected(count).found(node.data).refuted());
            }
            count += 1;
        }
        if count == self.leaves.len() as u64 {
            return Ok(());
        }
        let finding = Finding::new("leaf-number", "MANIFEST");
        let question = self.question as u8;
        let finding = finding.expected(format!("{count} leaves of question {question}"));
        Err(finding.found(self.leaves.len()).refuted())
    }

    /// A finding at node `i`.
    pub(crate) fn node_finding(&self, rule: &'static str, i: usize) -> Finding {
        located(rule, &self.node_objects, i, nodes::offset)
    }

    /// A finding at leaf `i`.
    pub(crate) fn leaf_finding(&self, rule: &'static str, i: usize) -> Finding {
        located(rule, &self.leaf_objects, i, leaves::offset)
    }
}

fn located(rule: &'static str, objects: &[Object], i: usize, offset: fn(usize) -> u64) -> Finding {
    let after = objects.partition_point(|object| object.first <= i as u64);
    match objects.get(after.wrapping_sub(1)) {
        Some(object) => {
            let within = usize::try_from(i as u64 - object.first).unwrap_or(i);
            Finding::new(rule, object_name(object.digest)).at(offset(within))
        }
        None => Finding::new(rule, "MANIFEST"),
    }
}

/// Judges the fields of a node, in the order of `SPEC.md` §9.
fn check_node(
    head: &Head,
    question: Question,
    node: &Node,
    refuted: &dyn Fn(&'static str) -> Finding,
) -> Result<CheckedNode, Stop> {
    let syntax = |expected: &str, found: u32| {
        Err(refuted("node-syntax").expected(expected).found(found).refuted())
    };
    if !(kind::OR..=kind::ASSUMED).contains(&node.kind) {
        return syntax("kind 1 to 4", node.kind.into());
    }
    let turn = match node.position.turn {
        0 => Side::Black,
        1 => Side::White,
        other => return syntax("turn 0 or 1", other.into()),
    };
    if node.reserved != 0 {
        return syntax("reserved 0", node.reserved.into());
    }
    if !question.is_win() && node.rank != 0 {
        return syntax("rank 0", node.rank);
    }
    if node.kind == kind::AND && node.data != 0 {
        return syntax("data 0", node.data);
    }
    let position = Position {
        black: node.position.black,
        white: node.position.white,
        kings: node.position.kings,
        turn,
    };
    let board: &Board = head.game.board();
    let in_database =
        position.has_both_sides() && position.pieces() <= u32::from(head.claim.pieces);
    if !board.is_possible(&position) || in_database {
        let expected = if in_database { "not in the database" } else { "possible" };
        return Err(refuted("node-position").position(&position).expected(expected).refuted());
    }
    let right_turn = match node.kind {
        kind::OR => turn == tree::claimant(question),
        kind::AND => turn != tree::claimant(question),
        _ => true,
    };
    if !right_turn {
        let expected = if node.kind == kind::OR { "claimant to move" } else { "opponent to move" };
        return Err(refuted("node-turn").position(&position).expected(expected).refuted());
    }
    Ok(CheckedNode { position, rank: node.rank, data: node.data, kind: node.kind })
}
