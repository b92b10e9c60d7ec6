//! The tables of a report on a certificate.

use certificate_spec::claim::Question;

use super::certificate_stats::{CertificateStats, Size};
use crate::certificate::{BrokenProof, Stored, StoredProof};

/// A report on a certificate.
pub struct CertificateReport<'a> {
    /// The certificate.
    pub stored: &'a Stored,
    /// The tables of each question.
    pub questions: Vec<QuestionReport>,
}

/// What a question of a certificate consists of.
pub struct QuestionReport {
    /// The question.
    pub question: Question,
    /// Its tables.
    pub tables: [Table; 4],
}

/// Something counted in one way.
pub struct Table {
    /// For programs.
    pub name: &'static str,
    /// What a row is about, for people.
    pub title: &'static str,
    /// What the count counts, for people.
    pub counted: &'static str,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
pub struct Row {
    /// What it is about.
    pub key: String,
    /// The count.
    pub count: u64,
    /// A number of positions, where the count is not one of look-ups.
    pub positions: Option<u64>,
}

/// Sums over all questions.
pub(super) struct Sums {
    pub(super) nodes: u64,
    pub(super) leaves: u64,
    /// Positions that leaves expand.
    pub(super) positions: u64,
}

impl<'a> CertificateReport<'a> {
    /// Goes over a certificate. `replayed` gets the number of positions of each leaf.
    ///
    /// # Errors
    /// [`BrokenProof`] if a leaf does not stand up to its replay.
    pub fn new(stored: &'a Stored, replayed: impl Fn(u64)) -> Result<Self, BrokenProof> {
        let report = |proof: &StoredProof| {
            let tables = tables(&CertificateStats::new(stored, proof, &replayed)?);
            Ok(QuestionReport { question: proof.question, tables })
        };
        let questions = stored.proofs.iter().map(report).collect::<Result<_, _>>()?;
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
    // What cannot be reached comes last.
    let mut plies: Vec<_> = stats.by_ply.iter().collect();
    plies.sort_by_key(|(ply, _)| ply.unwrap_or(u32::MAX));
    let plies = plies
        .into_iter()
        .map(|(ply, size)| (ply.map_or("not reached".into(), |ply| ply.to_string()), size));
    let pieces = stats.by_pieces.iter().map(|(pieces, size)| (pieces.to_string(), size));
    let leaves = stats.leaves.iter().map(|(&n, size)| {
        let (first, last) = (1u64 << n, (1u64 << n) | ((1 << n) - 1));
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
