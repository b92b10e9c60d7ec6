//! A report on a certificate as text, TSV or JSON.

use super::tables::{CertificateReport, QuestionReport, Row, Sums};
use crate::egdb::numbers::{counted, grouped, size};
use crate::proof::if_assumed;

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
