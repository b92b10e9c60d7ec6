//! What a certificate says of a position. No verdict rests on anything here.

use certificate_spec::claim::Question;
use certificate_spec::leaves::Leaf;
use certificate_spec::manifest::Kind;
use certificate_spec::nodes::kind;
use checker_core::{
    Board, Certificate, CheckedNode, Database, Finding, Options, Position, Stop, Tree, Value,
    replay, values_as_they_are,
};
use std::cell::OnceCell;
use std::collections::HashMap;

/// The bytes of memory that one position of a leaf takes.
const POSITION: u64 = 500;

/// A certificate that answers questions about positions. Its files have been compared with the
/// root; the values of its database are read without being verified.
pub(super) struct Explainer {
    pub(super) certificate: Certificate,
    pub(super) database: Option<Database>,
    /// For each question, the positions of its leaves, found when they are first needed.
    leaves: Vec<OnceCell<HashMap<Position, InLeaf>>>,
}

/// A position that a leaf expands: the number of the leaf, the move that the claimant chooses
/// there, and what is wrong with the leaf, if anything.
struct InLeaf {
    leaf: usize,
    chosen: Option<Position>,
    wrong: Option<Finding>,
}

/// What a position rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Basis {
    /// Its value in the database.
    Database(Value),
    /// Its value in the database, which is not what the question claims, and which nothing in the
    /// certificate rests on.
    Unclaimed(Value),
    /// A node: the words for its kind, and the object and offset of its record.
    Node(String, String),
    /// A leaf whose strategy contains the position: its object and offset.
    Leaf(String),
    /// The opponent has no move.
    NoMove,
    /// Nothing: the question says nothing about the position.
    Nothing,
}

/// A position, what it rests on, and where the question's strategy goes from there.
#[derive(Debug, Clone)]
pub(super) struct Explanation {
    /// What the position rests on.
    pub(super) basis: Basis,
    /// The move that the claimant chooses, or all moves of the opponent.
    pub(super) next: Vec<Position>,
    /// What is wrong with the position, if something is.
    pub(super) wrong: Option<Finding>,
}

/// Checks that the positions of all leaves fit into memory beside the tables, which take `tables`
/// bytes.
fn judge_memory(certificate: &Certificate, tables: u64, memory: u64) -> Result<(), Stop> {
    // A bit of a strategy answers for at most two positions, whatever the leaf states.
    let expanded = |leaf: &Leaf<Vec<u8>>| {
        leaf.positions.min((leaf.strategy.len() as u64).saturating_mul(16).saturating_add(1))
    };
    let leaves = certificate.proofs.iter().flat_map(|proof| &proof.leaves);
    let positions = leaves.map(expanded).fold(0, u64::saturating_add);
    let needed = positions.saturating_mul(POSITION).saturating_add(tables);
    if needed > memory {
        let text = format!("{positions} positions of leaves and the tables take {needed} bytes");
        return Err(Stop::Error(format!("memory: {text}, the bound is {memory}")));
    }
    Ok(())
}

impl Explainer {
    /// Reads the database that a certificate rests on.
    ///
    /// # Errors
    /// [`Stop`] if the files are not what they must be.
    pub(super) fn new(certificate: Certificate, options: &Options) -> Result<Explainer, Stop> {
        let (board, cover) = (certificate.game.board(), &certificate.claim.cover);
        let read = |root| values_as_they_are(options, board, cover, root);
        let database = certificate.claim.database.map(read).transpose()?;
        let tables = database.iter().flat_map(Database::tables);
        let tables: u64 = tables.map(|table| table.shape.indices.div_ceil(64) * 16).sum();
        judge_memory(&certificate, tables, options.memory)?;
        let leaves = certificate.proofs.iter().map(|_| OnceCell::new()).collect();
        Ok(Explainer { certificate, database, leaves })
    }

    /// The board.
    pub(super) fn board(&self) -> &Board {
        self.certificate.game.board()
    }

    /// Where the certificate starts.
    pub(super) fn start(&self) -> Position {
        self.certificate.start
    }

    /// The questions of the claim.
    pub(super) fn questions(&self) -> impl Iterator<Item = Question> {
        self.certificate.proofs.iter().map(|proof| proof.question)
    }

    /// The nodes and leaves of the `q`th question, with the values of the database.
    pub(super) fn tree(&self, q: usize) -> Option<Tree<'_>> {
        let proof = self.certificate.proofs.get(q)?;
        let database = self.database.as_ref();
        Some(Tree { board: self.board(), database, proof })
    }

    /// What the `q`th question says of a position.
    pub(super) fn explain(&self, q: usize, p: &Position) -> Option<Explanation> {
        let tree = self.tree(q)?;
        let proof = tree.proof;
        let mut all = Vec::new();
        self.board().successors(p, &mut all);
        if let Some((values, says)) = self.database.as_ref().zip(tree.database_says(p)) {
            let value = values.value(p)?;
            // Searching for it takes a pass over the whole certificate, so it is done only for a
            // wrong value.
            let wrong = says.err().filter(|_| self.rests_on(&tree, p));
            let basis = match (tree.database_says(p), &wrong) {
                (Some(Err(_)), None) => Basis::Unclaimed(value),
                _ => Basis::Database(value),
            };
            return Some(Explanation { basis, next: Vec::new(), wrong });
        }
        let place = |kind, i| {
            let place = self.certificate.place(kind, proof.question, i);
            let (name, offset) = place.unwrap_or_default();
            let item =
                if kind == Kind::Nodes { format!("node {}", i + 1) } else { format!("leaf {i}") };
            format!("{item}, {name} offset {offset}")
        };
        if let Ok(i) = proof.nodes.binary_search_by(|node| node.position.cmp(p)) {
            let node = proof.nodes.get(i)?;
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

    /// Whether the proof of the question needs the value of a position in the database: it is the
    /// start, a node asks for it, or a leaf comes to it.
    fn rests_on(&self, tree: &Tree<'_>, p: &Position) -> bool {
        let mut successors = Vec::new();
        let mut asks = |node: &CheckedNode| {
            tree.board.successors(&node.position, &mut successors);
            match node.kind {
                kind::OR => successors.get(node.data as usize) == Some(p),
                kind::LEAF | kind::ASSUMED => false,
                _ => successors.contains(p),
            }
        };
        let mut leaves = tree.proof.leaf_nodes().zip(&tree.proof.leaves);
        let mut comes_to = || {
            leaves.any(|((_, node), leaf)| {
                let wrong = replay(tree, node, leaf, |_, _| {}).err();
                wrong.is_some_and(|wrong| wrong.position == Some(*p))
            })
        };
        self.certificate.start == *p || tree.proof.nodes.iter().any(&mut asks) || comes_to()
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
            && let Some(leaf) = tree.proof.leaves.get(node.data as usize)
        {
            let mut is_first = true;
            let see = |_: &Position, choice| {
                if std::mem::take(&mut is_first) {
                    chosen = choice;
                }
            };
            wrong = replay(tree, node, leaf, see).err();
        }
        let next = match chosen {
            Some(chosen) => vec![chosen],
            None if node.kind == kind::ASSUMED || tree.claimant_moves(&node.position) => Vec::new(),
            None => all,
        };
        Explanation { basis: Basis::Node(words.into(), place), next, wrong }
    }
}

/// Replays all leaves of a question. A position that several leaves expand counts for the first.
fn replay_all(tree: &Tree<'_>) -> HashMap<Position, InLeaf> {
    let mut positions = HashMap::new();
    for (i, ((_, node), leaf)) in tree.proof.leaf_nodes().zip(&tree.proof.leaves).enumerate() {
        let mut here = Vec::new();
        let wrong = replay(tree, node, leaf, |p, chosen| here.push((*p, chosen))).err();
        for (p, chosen) in here {
            let wrong = wrong.clone();
            positions.entry(p).or_insert(InLeaf { leaf: i, chosen, wrong });
        }
    }
    positions
}
