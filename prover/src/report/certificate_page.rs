//! What a certificate consists of, as one HTML page that needs nothing else.

use std::fmt::{self, Write};

use certificate_spec::claim::Question;

use super::cover::words_of_cover;
use super::html::{STYLE, escape, thousands};
use super::tables::{CertificateReport, QuestionReport, Row, Sums, Table};
use crate::proof::if_assumed;

/// Two bars a row, one above the other.
const BARS: &str = "td.bar { width: 55% } .bar div { height: .45rem; margin: .1rem 0 }";

/// The page of a certificate.
pub fn certificate_page(report: &CertificateReport<'_>) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write_page(&mut out, report);
    out
}

fn write_page(out: &mut String, report: &CertificateReport<'_>) -> fmt::Result {
    let stored = report.stored;
    let claim = &stored.claim;
    let Sums { nodes, leaves, positions } = report.sums();
    let value = format!("{} {}", claim.value.word(), claim.game);
    let assumed = if_assumed(stored.assumed());
    let database = match claim.database {
        Some(root) => {
            format!("the database of {}, <code>{root}</code>", words_of_cover(&claim.cover))
        }
        None => "no database".into(),
    };
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>{value}{assumed}</title><style>{STYLE}{BARS}</style></head><body>\n\
         <h1>{value} from <code>{}</code>{assumed}</h1>\n\
         <p>{} nodes, {} leaves that expand {} positions, {} bytes in <code>{}</code>. \
         Root <code>{}</code>. It rests on {database}.</p>\n\
         <p class=\"key\">This page describes the certificate; only <code>check</code> verifies it. Bars are \
         logarithmic:<i class=\"w\"></i>nodes, leaves or look-ups<i class=\"d\"></i>positions that leaves \
         expand, for each leaf anew.</p>\n",
        escape(&claim.start),
        thousands(nodes),
        thousands(leaves),
        thousands(positions),
        thousands(stored.bytes),
        escape(&stored.directory.display().to_string()),
        stored.root,
    )?;
    for proof in &stored.proofs {
        let Some(provenance) = &proof.provenance else { continue };
        let lines = escape(&provenance.to_string());
        let title = "how it was proved, as the certificate says";
        write!(out, "<h2>{:?}: {title}</h2>\n<pre>{lines}</pre>\n", proof.question)?;
    }
    for QuestionReport { question, tables } in &report.questions {
        for table in tables.iter().filter(|table| !table.rows.is_empty()) {
            section(out, *question, table)?;
        }
    }
    out.push_str("</body></html>\n");
    Ok(())
}

fn section(out: &mut String, question: Question, table: &Table) -> fmt::Result {
    let Table { title, counted, rows, .. } = table;
    let has_positions = rows.iter().any(|row| row.positions.is_some());
    let second = if has_positions { "<th>positions</th>" } else { "" };
    write!(
        out,
        "<h2>{question:?}: by {title}</h2>\n<table><tr><th>{title}</th><th></th><th>{counted}</th>{second}</tr>\n"
    )?;
    let most = rows.iter().map(|r| r.count.max(r.positions.unwrap_or(0))).max().unwrap_or(0);
    let width = |n: u64| 100.0 * (n as f64).ln_1p() / (most.max(1) as f64).ln_1p();
    for Row { key, count, positions } in rows {
        write!(
            out,
            "<tr><td>{}</td><td class=\"bar\"><div><i class=\"w\" style=\"width:{:.2}%\"></i></div>",
            escape(key),
            width(*count)
        )?;
        if let Some(n) = positions {
            write!(out, "<div><i class=\"d\" style=\"width:{:.2}%\"></i></div>", width(*n))?;
        }
        write!(out, "</td><td>{}</td>", thousands(*count))?;
        if let Some(n) = positions {
            write!(out, "<td>{}</td>", thousands(*n))?;
        }
        out.push_str("</tr>\n");
    }
    let counts = thousands(rows.iter().map(|row| row.count).sum());
    write!(out, "<tr class=\"all\"><td>all</td><td></td><td>{counts}</td>")?;
    if has_positions {
        write!(out, "<td>{}</td>", thousands(rows.iter().filter_map(|row| row.positions).sum()))?;
    }
    out.push_str("</tr>\n</table>\n");
    Ok(())
}
