//! The tables of a report on a certificate.

use certificate_spec::claim::Question;

use super::certificate_stats::{CertificateStats, Size};
use crate::certificate::{BrokenProof, Stored, StoredProof};

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

/// A row of a table.
pub struct Row {
    /// The key of the row, such as a number of plies.
    pub key: String,
    /// The count of the row.
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
