//! A report on a certificate as text, TSV or JSON.
//!
//! The statistics of a question of a certificate: nodes by their distance from the start and by
//! their pieces, and the slices of the database that it rests on.
//!
//! The distance of a position is the least number of plies from the start along moves of the proof.
//! Nodes are visited in the order of their distances (Dijkstra), and the positions of each leaf
//! breadth first. Positions that several leaves expand count for each of them, as in the verdict of
//! `check`.

use crate::board::{Board, MoveError, Position};
use crate::certificate::{
    BrokenProof, ProofMoves, Stored, StoredBasis, StoredNode, StoredProof, leaf_strategy,
};
use crate::egdb::numbers::{counted, grouped, size};
use crate::egdb::{Slice, locate};
use crate::proof::if_assumed;
use crate::search::KeyMap;
use certificate_spec::claim::Question;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};

pub fn tsv(report: &CertificateReport<'_>) -> String {
    let lines = lines(report, |question, table, Row { key, count, positions }| {
        let positions = positions.map_or("-".into(), |n| n.to_string());
        format!("{question}\t{table}\t{key}\t{count}\t{positions}\n")
    });
    format!("question\ttable\tkey\tcount\tpositions\n{lines}")
}

/// The report as JSON, an object a line.
pub fn json(report: &CertificateReport<'_>) -> String {
    lines(report, |question, table, Row { key, count, positions }| {
        let positions = positions.map_or("null".into(), |n| n.to_string());
        format!(
            "{{\"question\":\"{question}\",\"table\":\"{table}\",\"key\":\"{key}\",\"count\":{count},\"positions\":{positions}}}\n"
        )
    })
}

fn lines(
    report: &CertificateReport<'_>,
    line: impl Fn(&str, &'static str, &Row) -> String,
) -> String {
    let mut out = String::new();
    for QuestionReport { question, tables } in &report.questions {
        for table in tables {
            table
                .rows
                .iter()
                .for_each(|row| out += &line(question.value().word(), table.name, row));
        }
    }
    out
}

/// The report as text, in aligned columns.
pub fn text(report: &CertificateReport<'_>) -> String {
    let stored = report.stored;
    let claim = &stored.claim;
    let Sums { nodes, leaves, positions } = report.sums();
    let claimed = format!("{} {} from {}", claim.value.word(), claim.game, claim.start);
    let mut out = format!(
        "{}\n{}, {}, {}, {}, root={}\n",
        if_assumed(stored.assumed(), &claimed),
        counted(nodes, "node"),
        counted(leaves, "leaf"),
        counted(positions, "position"),
        size(stored.bytes),
        stored.root
    );
    for proof in &stored.proofs {
        let Some(provenance) = &proof.provenance else { continue };
        let question = proof.question.value().word();
        out += &format!("\n{question}: how it was proved, as the certificate says\n");
        provenance.to_string().lines().for_each(|line| out += &format!("    {line}\n"));
    }
    for QuestionReport { question, tables } in &report.questions {
        for table in tables.iter().filter(|table| !table.rows.is_empty()) {
            let title = format!("{}: {}", question.value().word(), table.title);
            out += &format!("\n{title:<42}{:>14}{:>16}\n", table.counted, "positions");
            for row in &table.rows {
                let positions = row.positions.map_or("-".into(), grouped);
                let count = grouped(row.count);
                out += &format!("{:>42}{count:>14}{positions:>16}\n", row.key);
            }
        }
    }
    out
}

pub struct CertificateReport<'a> {
    /// The certificate that the report is about.
    pub stored: &'a Stored,
    /// The tables of each question.
    pub questions: Vec<QuestionReport>,
}

/// The tables of a question.
pub struct QuestionReport {
    pub question: Question,
    /// The four tables of the question.
    pub tables: [Table; 4],
}

/// A table of counts.
pub struct Table {
    /// The name of the table, for programs.
    pub name: &'static str,
    /// The heading of the keys, as text.
    pub title: &'static str,
    /// A word for the counted things, as text.
    pub counted: &'static str,
    pub rows: Vec<Row>,
}

pub struct Row {
    /// The key of the row, such as a number of plies.
    pub key: String,
    pub count: u64,
    /// The number of positions; none where the count is one of look-ups.
    pub positions: Option<u64>,
}

/// Sums over all questions.
pub(super) struct Sums {
    pub(super) nodes: u64,
    pub(super) leaves: u64,
    /// The number of positions that leaves expand.
    pub(super) positions: u64,
}

impl<'a> CertificateReport<'a> {
    /// Counts the nodes of a certificate. `replayed` gets the number of positions of each leaf.
    ///
    /// # Errors
    /// [`BrokenProof`] if the replay of a leaf fails.
    pub fn new(stored: &'a Stored, replayed: impl Fn(u64)) -> Result<Self, BrokenProof> {
        let mut questions = Vec::new();
        for proof in &stored.proofs {
            let tables = tables(&CertificateStats::new(stored, proof, &replayed)?);
            questions.push(QuestionReport { question: proof.question, tables });
        }
        Ok(CertificateReport { stored, questions })
    }

    pub(super) fn sums(&self) -> Sums {
        let sum = |f: fn(&StoredProof) -> u64| self.stored.proofs.iter().map(f).sum();
        Sums {
            nodes: sum(|p| p.nodes.len() as u64),
            leaves: sum(|p| p.leaves.len() as u64),
            positions: sum(StoredProof::positions),
        }
    }
}

fn tables(stats: &CertificateStats) -> [Table; 4] {
    let sized = |(key, size): (String, &Size)| Row {
        key,
        count: size.nodes,
        positions: Some(size.positions),
    };
    // Nodes that cannot be reached come last.
    let mut plies: Vec<_> = stats.by_ply.iter().collect();
    plies.sort_by_key(|(ply, _)| ply.unwrap_or(u32::MAX));
    let plies = plies
        .into_iter()
        .map(|(ply, size)| (ply.map_or("not reached".into(), |ply| ply.to_string()), size));
    let pieces = stats.by_pieces.iter().map(|(pieces, size)| (pieces.to_string(), size));
    let leaves = stats.leaves.iter().map(|(&n, size)| {
        let first = 1u64 << n;
        let last = (1u64 << n) | ((1 << n) - 1);
        (if n == 0 { "1".into() } else { format!("{first}-{last}") }, size)
    });
    let mut slices: Vec<_> = stats.lookups.iter().collect();
    slices.sort_by_key(|(slice, _)| slice.name().order());
    let slices = slices.into_iter().map(|(slice, &count)| {
        let [a, b, c, d] = slice.name().0;
        Row { key: format!("{a},{b},{c},{d}"), count, positions: None }
    });
    [
        Table {
            name: "ply",
            title: "plies from the start",
            counted: "nodes",
            rows: plies.map(sized).collect(),
        },
        Table {
            name: "pieces",
            title: "pieces",
            counted: "nodes",
            rows: pieces.map(sized).collect(),
        },
        Table {
            name: "leaf",
            title: "positions of a leaf",
            counted: "leaves",
            rows: leaves.map(sized).collect(),
        },
        Table {
            name: "slice",
            title: "slice of the database",
            counted: "look-ups",
            rows: slices.collect(),
        },
    ]
}

/// A number of nodes or of leaves, and of the positions that leaves expand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// The number of nodes, or of leaves.
    pub nodes: u64,
    pub positions: u64,
}

/// The statistics of a question.
#[derive(Debug, Default)]
pub struct CertificateStats {
    /// Sizes by plies from the start; `None` for nodes that cannot be reached from there.
    pub by_ply: BTreeMap<Option<u32>, Size>,
    pub by_pieces: BTreeMap<u32, Size>,
    /// Leaves by the number of positions that they expand, from 2ⁿ to 2ⁿ⁺¹ − 1 for each n.
    pub leaves: BTreeMap<u32, Size>,
    /// The number of moves of the proof that lead to positions of each slice of the database.
    pub lookups: HashMap<Slice, u64>,
}

impl CertificateStats {
    /// Counts the nodes of a question. `replayed` gets the number of positions of each leaf.
    ///
    /// # Errors
    /// [`BrokenProof`] if the replay of a leaf fails. (The values of database positions are not
    /// looked up.)
    pub fn new(
        stored: &Stored,
        proof: &StoredProof,
        replayed: impl FnMut(u64),
    ) -> Result<Self, BrokenProof> {
        let mut counting = Counting {
            stored,
            proof,
            replayed,
            stats: CertificateStats::default(),
            queue: BinaryHeap::new(),
        };
        let mut done = vec![false; proof.nodes.len()];
        counting.meet(&stored.start, Some(0));
        while let Some(Reverse((ply, number))) = counting.queue.pop() {
            if !std::mem::replace(&mut done[number], true) {
                counting.node(&proof.nodes[number], Some(ply))?;
            }
        }
        for (node, _) in proof.nodes.iter().zip(&done).filter(|(_, done)| !**done) {
            counting.node(node, None)?;
        }
        Ok(counting.stats)
    }
}

struct Counting<'a, F> {
    stored: &'a Stored,
    proof: &'a StoredProof,
    replayed: F,
    stats: CertificateStats,
    /// Nodes to be counted, by their distance.
    queue: BinaryHeap<Reverse<(u32, usize)>>,
}

impl<F: FnMut(u64)> Counting<'_, F> {
    fn board(&self) -> &Board {
        &self.stored.game.board
    }

    /// Counts a move of the proof to `position`, which is `ply` plies from the start if that is
    /// known.
    fn meet(&mut self, position: &Position, ply: Option<u32>) {
        if self.stored.admits(position) {
            let (slice, _) = locate(self.board(), position);
            *self.stats.lookups.entry(slice).or_default() += 1;
        } else if let (Some(ply), Ok(at)) =
            (ply, self.proof.nodes.binary_search_by_key(position, |n| n.position))
        {
            self.queue.push(Reverse((ply, at)));
        }
    }

    fn count(&mut self, position: &Position, ply: Option<u32>, size: Size) {
        let sums = [
            self.stats.by_ply.entry(ply).or_default(),
            self.stats.by_pieces.entry(position.pieces()).or_default(),
        ];
        for sum in sums {
            sum.nodes += size.nodes;
            sum.positions += size.positions;
        }
    }

    fn node(&mut self, node: &StoredNode, ply: Option<u32>) -> Result<(), BrokenProof> {
        self.count(&node.position, ply, Size { nodes: 1, positions: 0 });
        let mut successors = Vec::new();
        self.board().successors(&node.position, &mut successors);
        let below = ply.map(|ply| ply + 1);
        match node.basis {
            StoredBasis::Or(choice) => {
                if let Some(chosen) = successors.get(choice as usize) {
                    self.meet(chosen, below);
                }
            }
            StoredBasis::And => successors.iter().for_each(|s| self.meet(s, below)),
            StoredBasis::Leaf(number) => self.leaf(node, number, ply)?,
            StoredBasis::Assumed(_) => {}
        }
        Ok(())
    }

    fn leaf(
        &mut self,
        node: &StoredNode,
        number: usize,
        ply: Option<u32>,
    ) -> Result<(), BrokenProof> {
        let proof = self.proof;
        let claimant = self.proof.claimant();
        let Some(leaf) = proof.leaves.get(number) else { return Ok(()) };
        let strategy = leaf_strategy(self.stored, proof, node, number)?;
        let class = self.stats.leaves.entry(leaf.positions.ilog2()).or_default();
        class.nodes += 1;
        class.positions += leaf.positions;

        let mut seen: KeyMap<()> = KeyMap::default();
        seen.insert(node.position.key(), ());
        let mut queue = VecDeque::from([(node.position, ply)]);
        let mut successors = Vec::new();
        while let Some((position, ply)) = queue.pop_front() {
            self.count(&position, ply, Size { nodes: 0, positions: 1 });
            let below = ply.map(|ply| ply + 1);
            self.board().successors(&position, &mut successors);
            if position.turn == claimant {
                successors.clear();
                successors.extend(strategy.choice(&position));
            }
            for successor in &successors {
                let is_seen = seen.contains_key(&successor.key());
                if self.stored.admits(successor) || !is_seen && proof.closes(node, successor) {
                    self.meet(successor, below);
                } else if !is_seen {
                    seen.insert(successor.key(), ());
                    queue.push_back((*successor, below));
                }
            }
        }
        (self.replayed)(leaf.positions);
        Ok(())
    }
}

/// The first moves of a question, by name.
pub struct FirstMoves {
    /// The claimant's first move, where it moves first.
    pub first: Option<String>,
    /// Each move of the other side, and the claimant's answer.
    pub replies: Vec<[String; 2]>,
}

/// The reason why first moves cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum FirstMovesError {
    #[error(transparent)]
    Broken(#[from] BrokenProof),
    #[error(transparent)]
    Move(#[from] MoveError),
}

impl FirstMoves {
    /// The first moves of a question.
    pub fn new(stored: &Stored, proof: &StoredProof) -> Result<Self, FirstMovesError> {
        let board = &stored.game.board;
        let mut moves = ProofMoves::new(stored);
        let start = stored.start;
        let claimant = proof.claimant();
        let mut first = None;
        let mut from = start;
        if start.turn == claimant {
            let Some((_, after)) = moves.choice(&start)? else {
                return Ok(FirstMoves { first: None, replies: Vec::new() });
            };
            first = Some(board.write_move(&start, &after)?);
            from = after;
        }
        let mut replies = Vec::new();
        if !stored.admits(&from) {
            let mut successors = Vec::new();
            board.successors(&from, &mut successors);
            for after in successors {
                let reply = board.write_move(&from, &after)?;
                replies.push([reply, answer(stored, board, &mut moves, &after)?]);
            }
        }
        Ok(FirstMoves { first, replies })
    }
}

fn answer(
    stored: &Stored,
    board: &Board,
    moves: &mut ProofMoves<'_>,
    position: &Position,
) -> Result<String, FirstMovesError> {
    if stored.admits(position) {
        return Ok("in the database".into());
    }
    if !board.can_move(position) {
        return Ok(format!("{:?} has no move", position.turn));
    }
    Ok(match moves.choice(position)? {
        Some((_, after)) => board.write_move(position, &after)?,
        None => "not in the proof".into(),
    })
}
