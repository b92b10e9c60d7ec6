//! A report on a certificate as text, TSV or JSON.

use super::certificate_stats::{CertificateStats, Size};
use crate::certificate::{BrokenProof, Stored, StoredProof};
use crate::egdb::numbers::{counted, grouped, size};
use crate::proof::if_assumed;
use certificate_spec::claim::Question;

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
