//! A writer of certificates that are right by the oracle, to be spoilt before they are written.

use super::*;
use certificate_spec::bits::{BitWriter, width};
use certificate_spec::leaves;
use certificate_spec::manifest::{Manifest, Object};
use certificate_spec::nodes;
use certificate_spec::object::ObjectHead;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

pub fn claimant(question: Question) -> Side {
    if question.claimant_is_white() { Side::White } else { Side::Black }
}

/// The nodes and leaves of a question, to be spoilt.
#[derive(Clone)]
pub struct Part {
    pub question: Question,
    pub nodes: Vec<Node>,
    pub leaves: Vec<Leaf<Vec<u8>>>,
}

/// A certificate, to be spoilt before it is written.
#[derive(Clone)]
pub struct Certificate {
    pub claim: Claim,
    pub parts: Vec<Part>,
    /// The most nodes or leaves in an object.
    pub chunk: usize,
}

/// A proof by the oracle, as a prover would make it.
pub struct Maker<'a> {
    pub board: &'a Board,
    pub oracle: &'a Oracle,
    pub pieces: u8,
    /// The distance from the start at which nodes become leaves.
    pub leaf_depth: u32,
}

impl Maker<'_> {
    fn in_database(&self, p: &Position) -> bool {
        p.has_both_sides() && p.pieces() <= u32::from(self.pieces)
    }

    /// The number of a good move for the claimant.
    fn choose(&self, question: Question, p: &Position) -> u32 {
        let moves = successors(self.board, p);
        let best = if question.is_win() {
            let wins = |y: &&Position| self.oracle.value(y) == Value::Loss;
            moves.iter().filter(wins).min_by_key(|y| self.oracle.distance(y)).unwrap()
        } else {
            // The last one, so that strategies repeat positions rather than run into the database.
            moves.iter().rfind(|y| self.oracle.value(y) != Value::Win).unwrap()
        };
        moves.iter().position(|y| y == best).unwrap().try_into().unwrap()
    }

    pub fn part(&self, question: Question, start: Position) -> Part {
        let mut nodes: BTreeMap<Position, Node> = BTreeMap::new();
        let mut todo = VecDeque::from([(start, 0)]);
        let mut leaf_positions = HashSet::new();
        while let Some((p, depth)) = todo.pop_front() {
            let moves = successors(self.board, &p);
            let ours = p.turn == claimant(question);
            if self.in_database(&p) || nodes.contains_key(&p) || (moves.is_empty() && !ours) {
                continue;
            }
            let rank = if question.is_win() { self.oracle.distance(&p) } else { 0 };
            let position = WirePosition {
                black: p.black,
                white: p.white,
                kings: p.kings,
                turn: u8::from(p.turn == Side::White),
            };
            let node = Node { position, rank, data: 0, kind: kind::AND, reserved: 0 };
            let node = if depth >= self.leaf_depth {
                leaf_positions.insert(p);
                Node { kind: kind::LEAF, ..node }
            } else if ours {
                let data = self.choose(question, &p);
                todo.push_back((moves[data as usize], depth + 1));
                Node { kind: kind::OR, data, ..node }
            } else {
                todo.extend(moves.into_iter().map(|y| (y, depth + 1)));
                node
            };
            nodes.insert(p, node);
        }
        let mut leaves = Vec::new();
        let ranks: HashMap<Position, u32> = nodes.iter().map(|(p, n)| (*p, n.rank)).collect();
        for (p, node) in &mut nodes {
            if leaf_positions.contains(p) {
                node.data = leaves.len().try_into().unwrap();
                leaves.push(self.leaf(question, *p, node.rank, &ranks));
            }
        }
        Part { question, nodes: nodes.into_values().collect(), leaves }
    }

    fn leaf(
        &self,
        question: Question,
        p: Position,
        rank: u32,
        ranks: &HashMap<Position, u32>,
    ) -> Leaf<Vec<u8>> {
        let mut bits = BitWriter::default();
        let mut seen = HashSet::new();
        self.expand(question, p, rank, ranks, &mut bits, &mut seen);
        Leaf { positions: seen.len() as u64, strategy: bits.finish() }
    }

    fn expand(
        &self,
        question: Question,
        p: Position,
        rank: u32,
        ranks: &HashMap<Position, u32>,
        bits: &mut BitWriter,
        seen: &mut HashSet<Position>,
    ) {
        seen.insert(p);
        let mut moves = successors(self.board, &p);
        if p.turn == claimant(question) {
            let choice = self.choose(question, &p);
            bits.push(choice, width(moves.len()));
            moves = vec![moves[choice as usize]];
        }
        for y in moves {
            let covered = ranks.get(&y).is_some_and(|r| !question.is_win() || *r < rank);
            if !self.in_database(&y) && !seen.contains(&y) && !covered {
                self.expand(question, y, rank, ranks, bits, seen);
            }
        }
    }

    pub fn certificate(
        &self,
        game: &str,
        value: Claimed,
        start: Position,
        database: Option<Digest>,
    ) -> Certificate {
        let claim = Claim {
            game: game.into(),
            start: checker_core::write_fen(&start),
            value,
            cover: Cover::up_to(self.pieces),
            database,
        };
        let parts = value.questions().iter().map(|&q| self.part(q, start)).collect();
        Certificate { claim, parts, chunk: 1000 }
    }
}

impl Certificate {
    /// The objects, in order, with their bytes.
    pub fn objects(&self) -> Vec<(Object, Vec<u8>)> {
        let mut all = Vec::new();
        let mut add =
            |kind,
             question,
             count: usize,
             encode: &dyn Fn(&ObjectHead, std::ops::Range<usize>) -> Vec<u8>| {
                for first in (0..count).step_by(self.chunk) {
                    let range = first..count.min(first + self.chunk);
                    let head =
                        ObjectHead { question, first: first as u64, count: range.len() as u64 };
                    let bytes = encode(&head, range);
                    let object = Object {
                        kind,
                        question,
                        first: head.first,
                        count: head.count,
                        length: bytes.len() as u64,
                        digest: Digest::of(&bytes),
                    };
                    all.push((object, bytes));
                }
            };
        for part in &self.parts {
            add(Kind::Nodes, part.question, part.nodes.len(), &|h, r| {
                nodes::encode(h, &part.nodes[r])
            });
        }
        for part in &self.parts {
            add(Kind::Leaves, part.question, part.leaves.len(), &|h, r| {
                leaves::encode(h, &part.leaves[r])
            });
        }
        all
    }

    pub fn write(&self, path: &Path) {
        write_raw(path, self.claim.encode().as_bytes(), &self.objects());
    }
}

/// Writes a certificate whatever its claim and objects are.
pub fn write_raw(path: &Path, claim: &[u8], objects: &[(Object, Vec<u8>)]) {
    let manifest = Manifest {
        claim_length: claim.len() as u64,
        claim_digest: Digest::of(claim),
        objects: objects.iter().map(|o| o.0).collect(),
    };
    fs::create_dir_all(path.join("objects")).unwrap();
    fs::write(path.join("CLAIM"), claim).unwrap();
    fs::write(path.join("MANIFEST"), manifest.encode()).unwrap();
    for (object, bytes) in objects {
        fs::write(path.join("objects").join(object.digest.to_string()), bytes).unwrap();
    }
}

/// The certificate that the game 4x4 is a draw, without a database.
pub fn draw_4x4(oracle: &Oracle, leaf_depth: u32) -> Certificate {
    let game = Game::parse("4x4").unwrap();
    let maker = Maker { board: game.board(), oracle, pieces: 0, leaf_depth };
    maker.certificate("4x4", Claimed::Draw, game.initial(), None)
}

/// Writes the certificate to an empty place and checks it.
pub fn verdict(certificate: &Certificate) -> String {
    let place = Place::new();
    certificate.write(&place.cert());
    place.check()
}
