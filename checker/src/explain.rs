//! Why a position holds, for people. No verdict rests on anything here.

use crate::certificate::{Certificate, CheckedNode};
use crate::database::{Database, Value};
use crate::directory::{self, Extent};
use crate::progress::Progress;
use crate::rules::{Board, Position};
use crate::tree::Tree;
use crate::verdict::{Finding, Stop};
use crate::{Options, leaf};
use certificate_spec::claim::Question;
use certificate_spec::manifest::Kind;
use certificate_spec::nodes::kind;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::Path;

/// A certificate that can be asked about positions. Its files are those that the root stands for; values of the
/// database are taken from them as they are.
pub struct Explainer {
    certificate: Certificate,
    database: Option<Database>,
    /// For each question where the positions of its leaves are, once somebody asks.
    leaves: Vec<OnceCell<HashMap<Position, InLeaf>>>,
}

/// A position that a leaf expands: the leaf, the move chosen, and whether the leaf is wrong.
struct InLeaf {
    leaf: usize,
    chosen: Option<Position>,
    wrong: Option<Finding>,
}

/// What a position rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// Its value in the database.
    Database(Value),
    /// A node; the words for its kind, and the object and offset of its record.
    Node(String, String),
    /// A leaf in whose strategy it is; its object and offset.
    Leaf(String),
    /// The opponent has no move.
    NoMove,
    /// Nothing: the question says nothing of it.
    Nothing,
}

/// A position, what it rests on, and where the question's strategy goes from there.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// What it rests on.
    pub basis: Basis,
    /// The move chosen by the claimant, or all of the opponent's.
    pub next: Vec<Position>,
    /// What is wrong with it, if something is.
    pub wrong: Option<Finding>,
}

impl Explainer {
    /// Reads a certificate, and the database that it rests on.
    ///
    /// # Errors
    /// [`Stop`] if the files are not what they must be.
    pub fn new(path: &Path, options: &Options) -> Result<Explainer, Stop> {
        let certificate = Certificate::read(path, options.level)?;
        let (board, pieces) = (certificate.game.board(), certificate.claim.pieces);
        let progress = Progress::new(options.quiet);
        let read = |root| {
            let extent = Extent::Pairs(0..0);
            directory::check(options, board, pieces, (Some(root), true), &extent, &progress)
        };
        let database = certificate.claim.database.map(read).transpose()?;
        let leaves = certificate.parts.iter().map(|_| OnceCell::new()).collect();
        let database = database.map(|database| database.values);
        Ok(Explainer { certificate, database, leaves })
    }

    /// The board.
    pub fn board(&self) -> &Board {
        self.certificate.game.board()
    }

    /// The questions of the claim.
    pub fn questions(&self) -> impl Iterator<Item = Question> {
        self.certificate.parts.iter().map(|part| part.question)
    }

    /// What the `q`th question says of a position.
    pub fn explain(&self, q: usize, p: &Position) -> Option<Explanation> {
        let part = self.certificate.parts.get(q)?;
        let tree = Tree { board: self.board(), database: self.database.as_ref(), part };
        let mut all = Vec::new();
        self.board().successors(p, &mut all);
        if let Some((values, says)) = self.database.as_ref().zip(tree.database_says(p)) {
            let basis = Basis::Database(values.value(p)?);
            return Some(Explanation { basis, next: Vec::new(), wrong: says.err() });
        }
        let place = |kind, i| self.certificate.file_and_offset(kind, part.question, i);
        if let Ok(i) = part.nodes.binary_search_by(|node| node.position.cmp(p)) {
            let node = part.nodes.get(i)?;
            return Some(self.explain_node(&tree, node, all, place(Kind::Nodes, i)));
        }
        if all.is_empty() && !tree.claimant_moves(p) {
            return Some(Explanation { basis: Basis::NoMove, next: all, wrong: None });
        }
        let positions = self.leaves.get(q)?.get_or_init(|| replay_all(&tree));
        if let Some(InLeaf { leaf, chosen, wrong }) = positions.get(p) {
            let next = chosen.map_or(all, |chosen| vec![chosen]);
            let basis = Basis::Leaf(place(Kind::Leaves, *leaf));
            return Some(Explanation { basis, next, wrong: wrong.clone() });
        }
        Some(Explanation { basis: Basis::Nothing, next: Vec::new(), wrong: None })
    }

    fn explain_node(
        &self,
        tree: &Tree<'_>,
        node: &CheckedNode,
        all: Vec<Position>,
        place: String,
    ) -> Explanation {
        let words = match node.kind {
            kind::OR => "Or: the claimant chooses a move",
            kind::AND => "And: every move of the opponent is answered",
            kind::LEAF => "Leaf: a strategy follows",
            _ => "Assumed: nothing is proved",
        };
        let mut chosen = all.get(node.data as usize).copied().filter(|_| node.kind == kind::OR);
        let mut wrong = tree.check_node(node).err();
        if node.kind == kind::LEAF
            && let Some(leaf) = tree.part.leaves.get(node.data as usize)
        {
            let mut is_first = true;
            let see = |_: &Position, choice| {
                if std::mem::take(&mut is_first) {
                    chosen = choice;
                }
            };
            wrong = leaf::replay(tree, node, leaf, see).err();
        }
        let next = match chosen {
            Some(chosen) => vec![chosen],
            None if node.kind == kind::ASSUMED || tree.claimant_moves(&node.position) => Vec::new(),
            None => all,
        };
        Explanation { basis: Basis::Node(words.into(), place), next, wrong }
    }
}

/// Replays all leaves of a question. A position that several expand is in the first.
fn replay_all(tree: &Tree<'_>) -> HashMap<Position, InLeaf> {
    let mut positions = HashMap::new();
    for (i, ((_, node), leaf)) in tree.part.leaf_nodes().zip(&tree.part.leaves).enumerate() {
        let mut here = Vec::new();
        let wrong = leaf::replay(tree, node, leaf, |p, chosen| here.push((*p, chosen))).err();
        for (p, chosen) in here {
            let wrong = wrong.clone();
            positions.entry(p).or_insert(InLeaf { leaf: i, chosen, wrong });
        }
    }
    positions
}
