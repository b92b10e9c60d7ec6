//! The statistics of a certificate as one self-contained HTML page.

use super::html::{Series, board_figure, escape, foot, head, key, line_chart};
use super::html::{describe_cover, describe_slice, shell_word};
use super::lines::{CertificateReport, QuestionReport, Row, Sums, Table};
use super::lines::{FirstMoves, FirstMovesError};
use crate::certificate::{Stored, StoredProof};
use crate::egdb::Slice;
use crate::egdb::numbers::{counted, grouped, size};
use crate::proof::if_assumed;
use certificate_spec::claim::{Question, Value};

/// The page of a certificate.
///
/// # Errors
/// [`FirstMovesError`] if the certificate proves nothing.
pub fn certificate_page(report: &CertificateReport<'_>) -> Result<String, FirstMovesError> {
    let stored = report.stored;
    let mut out = head(&title(stored));
    out += &beginning(report);
    out += "<h2>The first moves of the proof</h2>\n<div class=\"side\">";
    for proof in &stored.proofs {
        out += &first_moves(stored, proof)?;
    }
    out += "</div>\n";
    out += &verification(stored);
    for QuestionReport { question, tables } in &report.questions {
        let shows = if stored.assumed() == 0 { "shows" } else { "would show" };
        out += &format!("<h2>What {shows} that {}</h2>\n", describe_question(*question));
        let tables = tables.iter().filter(|table| !table.rows.is_empty());
        tables.for_each(|table| out += &section(table));
    }
    out += "<h2>How it was made, as the certificate says</h2>\n";
    for proof in &stored.proofs {
        let Some(provenance) = &proof.provenance else { continue };
        let question = describe_question(proof.question);
        let lines = provenance.to_string();
        out += &format!(
            "<details><summary>that {question}</summary><pre>{}</pre></details>\n",
            escape(&lines)
        );
    }
    out += &foot();
    Ok(out)
}

fn value(stored: &Stored) -> &'static str {
    match stored.claim.value {
        Value::Draw => "a draw",
        Value::BlackNotLost => "not lost for Black",
        Value::WhiteNotLost => "not lost for White",
        Value::BlackWins => "a win for Black",
        Value::WhiteWins => "a win for White",
    }
}

fn title(stored: &Stored) -> String {
    let game = &stored.claim.game;
    match stored.assumed() {
        0 => format!("{game} is {}", value(stored)),
        _ => format!("{game} is not proved yet"),
    }
}

/// A sentence about what is proved, or would be if the assumptions hold.
fn sentence(stored: &Stored) -> String {
    let proved = match stored.claim.value {
        Value::Draw => "neither side can force a win: it is a draw",
        Value::BlackNotLost => "Black does not lose, whatever White plays",
        Value::WhiteNotLost => "White does not lose, whatever Black plays",
        Value::BlackWins => "Black wins, whatever White plays",
        Value::WhiteWins => "White wins, whatever Black plays",
    };
    let from = if stored.start == stored.game.start() { "the start" } else { "this position" };
    let game = &stored.claim.game;
    if_assumed(stored.assumed(), &format!("From {from} of {game} checkers, {proved}."))
}

fn describe_question(question: Question) -> &'static str {
    match question {
        Question::BlackNotLost => "Black does not lose",
        Question::WhiteNotLost => "White does not lose",
        Question::BlackWins => "Black wins",
        Question::WhiteWins => "White wins",
    }
}

fn beginning(report: &CertificateReport<'_>) -> String {
    let stored = report.stored;
    let Sums { nodes, leaves, positions } = report.sums();
    let database = match stored.claim.database {
        Some(_) => format!("the endgame database of {}", describe_cover(&stored.claim.cover)),
        None => "no database".into(),
    };
    format!(
        "<h1>{}</h1>\n<p class=\"lead\">{}</p>\n<div class=\"side\">{}<div>\
         <p>The certificate has {} of a proof tree, {} of them leaves, whose strategies go on through \
         {}. It takes {}, and rests on {database}.</p>\n\
         <p>This page only describes it. Whether it is right is for <code>check</code> to say, as below.</p>\
         </div></div>\n",
        title(stored),
        sentence(stored),
        board_figure(&stored.game.board, &stored.start, ""),
        counted(nodes, "position"),
        grouped(leaves),
        counted(positions, "position"),
        size(stored.bytes),
    )
}

fn first_moves(stored: &Stored, proof: &StoredProof) -> Result<String, FirstMovesError> {
    let FirstMoves { first, replies } = FirstMoves::new(stored, proof)?;
    let claimant = proof.claimant();
    let opponent = claimant.opponent();
    let mut out = format!("<div><h3>{}</h3>\n", describe_question(proof.question));
    if let Some(first) = first {
        out += &format!("<p>{claimant:?} begins with <b>{first}</b>.</p>\n");
    }
    if replies.is_empty() {
        out += "<p>What follows is in the database.</p>\n";
    } else {
        out += &format!(
            "<table class=\"moves\"><tr><th>{opponent:?} plays</th><th>{claimant:?} answers</th></tr>\n"
        );
        for [reply, answer] in replies {
            out += &format!("<tr><td>{reply}</td><td>{answer}</td></tr>\n");
        }
        out += "</table>\n";
    }
    Ok(out + "</div>\n")
}

fn verification(stored: &Stored) -> String {
    // The page shows the name of the folder only, since the path on this machine is private.
    let folder = stored.directory.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder = shell_word(&folder.unwrap_or_else(|| "cert".into()));
    let game = &stored.claim.game;
    let root = stored.root;
    let word = stored.claim.value.word();
    let verdict = if stored.assumed() == 0 { "VERIFIED" } else { "CONDITIONAL" };
    let database = match stored.claim.database {
        None => String::new(),
        Some(root) => format!(
            "<p>The database is looked for in <code>egdb</code>, or where <code class=\"word\">--db DIR</code> says. Whoever does not \
             have it makes the same with</p>\n<pre>prove db --game {} --pieces {}</pre>\n\
             <p class=\"small\">Its root is <code>{root}</code>.</p>\n",
            stored.game.board.name(),
            stored.claim.cover
        ),
    };
    format!(
        "<h2>How to verify it</h2>\n<pre>check {}</pre>\n<p>It is verified if that ends with status {} and a line that \
         begins with</p>\n<pre>s {verdict} {word} {game}</pre>\n<p>and has <code>root={root}</code>.</p>\n{database}",
        escape(&folder),
        if stored.assumed() == 0 { 0 } else { 2 },
    )
}

fn section(table: &Table) -> String {
    let Table { name, title, counted, rows } = table;
    let mut out = format!("<h3>By {title}</h3>\n");
    if *name == "ply" {
        out += &chart(table);
        return out
            + &format!("<details><summary>the numbers</summary>{}</details>\n", rows_of(table));
    }
    if rows.len() > 24 {
        let summary = format!("{} rows of {counted}", rows.len());
        return out
            + &format!("<details><summary>{summary}</summary>{}</details>\n", rows_of(table));
    }
    out + &rows_of(table)
}

/// A chart by plies. Positions that cannot be reached have no ply and are left out.
fn chart(table: &Table) -> String {
    let at = |row: &Row| row.key.parse().ok();
    let points = |count: &dyn Fn(&Row) -> u64| -> Vec<(u64, u64)> {
        table.rows.iter().filter_map(|row| Some((at(row)?, count(row)))).collect()
    };
    let series = [
        Series { name: table.counted, points: points(&|row| row.count) },
        Series {
            name: "positions that leaves expand",
            points: points(&|row| row.positions.unwrap_or(0)),
        },
    ];
    format!(
        "<p class=\"small\">{} The scale is logarithmic.</p>\n{}\n",
        key(&series),
        line_chart(table.title, &series)
    )
}

fn rows_of(table: &Table) -> String {
    let Table { title, counted, rows, .. } = table;
    let has_positions = rows.iter().any(|row| row.positions.is_some());
    let second = if has_positions { "<th>positions</th>" } else { "" };
    let mut out = format!("<table><tr><th>{title}</th><th>{counted}</th>{second}</tr>\n");
    let row_of = |class: &str, key: &str, count: u64, positions: Option<u64>| {
        let second = positions.map_or(String::new(), |n| format!("<td>{}</td>", grouped(n)));
        format!("<tr{class}><td>{key}</td><td>{}</td>{second}</tr>\n", grouped(count))
    };
    for Row { key, count, positions } in rows {
        let key = slice_of(key).map_or_else(|| key.clone(), describe_slice);
        out += &row_of("", &key, *count, *positions);
    }
    let positions = rows.iter().filter_map(|row| row.positions).sum();
    let all = rows.iter().map(|row| row.count).sum();
    out += &row_of(" class=\"all\"", "all", all, has_positions.then_some(positions));
    out + "</table>\n"
}

/// The slice that a row of the last table is about.
fn slice_of(key: &str) -> Option<Slice> {
    // On Windows a library has another conversion to Vec<u8>, so the type stands with `parse`.
    let numbers = key.split(',').map(|n| n.parse::<u8>().ok()).collect::<Option<Vec<_>>>()?;
    let [men, kings, enemy_men, enemy_kings] = numbers[..] else { return None };
    Some(Slice::new(men, kings, enemy_men, enemy_kings))
}
