//! What a check does with one node or leaf, step by step, with what is expected and found: for
//! authors of other checkers. The numbers of rules and steps are those of `SPEC.md` §6 and §7. No
//! verdict rests on anything here.

use super::explainer::Explainer;
use super::text::word;
use crate::notation::Moves;
use crate::stdout;
use certificate_spec::bits::{BitReader, width};
use certificate_spec::claim::Question;
use certificate_spec::leaves::Leaf;
use certificate_spec::manifest::Kind;
use certificate_spec::nodes::kind;
use checker_core::{CheckedNode, Finding, Position, Tree, replay, write_fen};
use std::collections::HashMap;
use std::io::Result;

/// What is shown: an item of a question.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item {
    /// The start.
    Start(usize),
    /// A node, by its number from 0 on.
    Node(usize, usize),
    /// A leaf.
    Leaf(usize, usize),
}

impl Explainer {
    /// The node or leaf that a text names.
    ///
    /// # Errors
    /// The text names none; the message says what there is.
    pub(super) fn find(&self, text: &str) -> std::result::Result<Item, String> {
        let proofs = self.certificate.proofs.iter().enumerate();
        let sizes = proofs.clone().map(|(_, proof)| {
            let word = proof.question.word();
            format!(
                "{word}:0 to {word}:{}, {word}:leaf:N with N below {}",
                proof.nodes.len(),
                proof.leaves.len()
            )
        });
        let there = sizes.collect::<Vec<_>>().join("; ");
        let none =
            || format!("--at {text:?}: expected one of {there}, or FILE:OFFSET of a node or leaf");
        let (first, last) = text.rsplit_once(':').ok_or_else(none)?;
        let number: usize = last.parse().map_err(|_| none())?;
        let mut items = proofs.flat_map(|(q, proof)| {
            let nodes = (0..proof.nodes.len()).map(move |i| Item::Node(q, i));
            let leaves = (0..proof.leaves.len()).map(move |i| Item::Leaf(q, i));
            [Item::Start(q)].into_iter().chain(nodes).chain(leaves)
        });
        let is_named = |item: &Item| {
            let word = |q: usize| self.question(q).word();
            match *item {
                Item::Start(q) => first == word(q) && number == 0,
                Item::Node(q, i) if first == word(q) => number == i + 1,
                Item::Leaf(q, i) if first.strip_suffix(":leaf") == Some(word(q)) => number == i,
                item => self
                    .place(item)
                    .is_some_and(|(file, offset)| first == file && number as u64 == offset),
            }
        };
        items.find(is_named).ok_or_else(none)
    }

    fn question(&self, q: usize) -> Question {
        self.certificate.proofs[q].question
    }

    /// The object and the offset of a node or leaf.
    fn place(&self, item: Item) -> Option<(String, u64)> {
        match item {
            Item::Start(_) => None,
            Item::Node(q, i) => self.certificate.place(Kind::Nodes, self.question(q), i),
            Item::Leaf(q, i) => self.certificate.place(Kind::Leaves, self.question(q), i),
        }
    }
}

/// Shows how an item is checked, and returns the exit status: 1 if something is wrong with it.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn show(explainer: &Explainer, item: Item) -> Result<u8> {
    let (Item::Start(q) | Item::Node(q, _) | Item::Leaf(q, _)) = item;
    let Some(tree) = explainer.tree(q) else { return Ok(1) };
    let mut steps = Steps { explainer, tree: &tree, out: String::new() };
    let word = explainer.question(q).word();
    let place = explainer.place(item);
    let place = place.map_or("CLAIM".into(), |(file, offset)| format!("{file}:{offset}"));
    let mut is_right = true;
    let mut wrong = None;
    match item {
        Item::Start(_) => {
            let start = explainer.start();
            steps.line(&format!("The start of {word}, {place}: {}", steps.described(&start)))?;
            steps.line("It must hold, with a rank above that of any node:")?;
            is_right = steps.holds(&start, u64::MAX)?;
        }
        Item::Node(_, i) => {
            let node = &tree.proof.nodes[i];
            steps.line(&format!("Node {} of {word}, {place}", i + 1))?;
            steps.node(node)?;
            wrong = tree.check_node(node).err();
        }
        Item::Leaf(_, i) => {
            steps.line(&format!("Leaf {i} of {word}, {place}"))?;
            if let Some(((n, node), leaf)) = tree.proof.leaf_nodes().zip(&tree.proof.leaves).nth(i)
            {
                steps.line(&format!("It is the leaf of node {}.", n + 1))?;
                steps.leaf(node, leaf)?;
                wrong = replay(&tree, node, leaf, |_, _| {}).err();
            }
        }
    }
    if let Some(Finding { rule, expected, found, position, .. }) = wrong {
        is_right = false;
        let at = position.map_or(String::new(), |p| format!(" at {}", write_fen(&p)));
        steps.line(&format!("WRONG [{rule}]{at}: expected {expected}, found {found}"))?;
    }
    steps.line(if is_right { "This is right." } else { "This is wrong." })?;
    stdout::write(&steps.out)?;
    Ok(u8::from(!is_right))
}

/// What remains to be done of a leaf.
enum Task {
    Visit(Position),
    Expand(Position),
    Complete(Position),
}

/// The steps, as they are written.
struct Steps<'a> {
    explainer: &'a Explainer,
    tree: &'a Tree<'a>,
    /// What has not been printed yet.
    out: String,
}

impl Steps<'_> {
    fn line(&mut self, text: &str) -> Result<()> {
        self.out += text;
        self.out.push('\n');
        // A leaf may have millions of positions.
        if self.out.len() > 1 << 16 {
            stdout::write(&std::mem::take(&mut self.out))?;
        }
        Ok(())
    }

    fn described(&self, p: &Position) -> String {
        let side = if self.tree.claimant_moves(p) { "the claimant" } else { "the opponent" };
        format!("{}, {side} to move", write_fen(p))
    }

    fn successors(&self, p: &Position) -> Vec<Position> {
        let mut all = Vec::new();
        self.explainer.board().successors(p, &mut all);
        all
    }

    /// Shows the database's value of a position that it covers, and says whether that suits.
    fn database_suits(&mut self, p: &Position) -> Result<Option<bool>> {
        let Some(database) = &self.explainer.database else { return Ok(None) };
        let (Some((slice, index)), Some(value)) = (database.index(p), database.value(p)) else {
            return Ok(None);
        };
        let expected = match (self.tree.proof.question.is_win(), self.tree.claimant_moves(p)) {
            (false, true) => "no loss",
            (false, false) => "no win",
            (true, true) => "win",
            (true, false) => "loss",
        };
        let captures = self.successors(p).first().is_some_and(|y| y.pieces() < p.pieces());
        let from = if captures { ", which follows from its captures" } else { "" };
        let slice = slice.file_name();
        self.line(&format!(
            "    rule 1, it is in the database: expected {expected} for the side to move, found {} \
             (slice {slice}, index {index}{from})",
            word(value)
        ))?;
        Ok(self.tree.database_says(p).map(|says| says.is_ok()))
    }

    /// The node with this position, by its number as shards have it.
    fn node_of(&self, p: &Position) -> Option<(usize, &CheckedNode)> {
        let nodes = &self.tree.proof.nodes;
        let i = nodes.binary_search_by(|node| node.position.cmp(p)).ok()?;
        Some((i + 1, &nodes[i]))
    }

    /// Shows by which rule of `SPEC.md` §6 a successor of a node with this rank holds, if it does.
    fn holds(&mut self, y: &Position, rank: u64) -> Result<bool> {
        if let Some(suits) = self.database_suits(y)? {
            return Ok(suits);
        }
        if let Some((i, node)) = self.node_of(y) {
            let found = node.rank;
            let is_win = self.tree.proof.question.is_win();
            let ranks = format!(": expected a rank below {rank}, found {found}");
            let ranks = if is_win { ranks } else { String::new() };
            self.line(&format!("    rule 2, it is node {i}{ranks}"))?;
            return Ok(!is_win || u64::from(found) < rank);
        }
        let is_stuck = !self.tree.claimant_moves(y) && self.successors(y).is_empty();
        self.line(if is_stuck {
            "    rule 3, the opponent has no move"
        } else {
            "    rule 4, no other rule applies: it does not hold"
        })?;
        Ok(is_stuck)
    }

    fn node(&mut self, node: &CheckedNode) -> Result<()> {
        let &CheckedNode { position, rank, data, kind } = node;
        self.line(&self.described(&position))?;
        let name = match kind {
            kind::OR => "Or",
            kind::AND => "And",
            kind::LEAF => "Leaf",
            _ => "Assumed",
        };
        self.line(&format!("kind {kind} ({name}), data {data}, rank {rank}"))?;
        let all = self.successors(&position);
        let moves = Moves::of(self.explainer.board(), &position);
        self.line("Its successors, in their order:")?;
        for (i, y) in all.iter().enumerate() {
            self.line(&format!("  {i}: {} to {}", moves.name(y), write_fen(y)))?;
        }
        let chosen = usize::try_from(data).ok();
        match kind {
            kind::OR => {
                self.line(&format!("Of these the successor with the number {data} must hold:"))?;
            }
            kind::AND => self.line("Each of these must hold:")?,
            kind::LEAF => return self.line(&format!("Its strategy is leaf {data}.")),
            _ => return self.line("Nothing is checked, and the verdict is CONDITIONAL."),
        }
        for (i, y) in all.iter().enumerate() {
            if kind == kind::AND || chosen == Some(i) {
                self.line(&format!("  {i}: {}", self.described(y)))?;
                self.holds(y, rank.into())?;
            }
        }
        Ok(())
    }

    /// Shows the replay of a leaf, up to where it goes wrong.
    fn leaf(&mut self, node: &CheckedNode, leaf: &Leaf<Vec<u8>>) -> Result<()> {
        let (bytes, positions) = (leaf.strategy.len(), leaf.positions);
        self.line(&format!("Its strategy has {bytes} bytes; positions to expand: {positions}"))?;
        let board = self.explainer.board();
        let is_win = self.tree.proof.question.is_win();
        let mut bits = BitReader::new(&leaf.strategy);
        let mut seen: HashMap<Position, bool> = HashMap::new();
        let mut tasks = vec![Task::Expand(node.position)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(y) => {
                    self.line(&format!("  visit {}", write_fen(&y)))?;
                    if let Some(suits) = self.database_suits(&y)? {
                        if !suits {
                            return Ok(());
                        }
                    } else if let Some(&completed) = seen.get(&y) {
                        let state = if completed { "completed" } else { "open" };
                        self.line(&format!("    rule 2, it was expanded before, and is {state}"))?;
                        if is_win && !completed {
                            return Ok(());
                        }
                    } else if let Some((i, other)) = self.node_of(&y)
                        && (!is_win || other.rank < node.rank)
                    {
                        self.line(&format!("    rule 3, it is node {i}"))?;
                    } else {
                        tasks.push(Task::Expand(y));
                    }
                }
                Task::Expand(p) if seen.len() as u64 == positions => {
                    return self.line(&format!("  {} would be one too many", write_fen(&p)));
                }
                Task::Expand(p) => {
                    seen.insert(p, false);
                    let all = self.successors(&p);
                    let (number, of) = (seen.len(), all.len());
                    let text = format!("  expand {number}: {}", self.described(&p));
                    tasks.push(Task::Complete(p));
                    if !self.tree.claimant_moves(&p) {
                        self.line(&format!("{text}: {of} successors are visited"))?;
                        tasks.extend(all.into_iter().rev().map(Task::Visit));
                        continue;
                    }
                    let width = width(of);
                    let choice = if of == 0 { None } else { bits.take(width) };
                    let found = choice.map_or("none".into(), |choice| choice.to_string());
                    let expected = format!("expected a number below {of} (bits: {width})");
                    let chosen = choice.and_then(|choice| all.get(choice as usize).copied());
                    let name = chosen.map(|y| Moves::of(board, &p).name(&y)).unwrap_or_default();
                    self.line(&format!("{text}: {expected}, found {found} {name}"))?;
                    let Some(y) = chosen else { return Ok(()) };
                    tasks.push(Task::Visit(y));
                }
                Task::Complete(p) => {
                    seen.insert(p, true);
                }
            }
        }
        self.line(&format!("  the end: expected {positions} positions, found {}", seen.len()))
    }
}
