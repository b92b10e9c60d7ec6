//! The statistics of a database as one HTML page that needs nothing else.

use std::fmt::{self, Write};

use certificate_spec::database::DatabaseManifest;

use super::cover::words_of_cover;
use super::html::{STYLE, thousands};
use crate::egdb::Slice;
use crate::egdb::stats::Counts;

/// What the page says about a slice.
pub struct SliceRow {
    /// The slice.
    pub slice: Slice,
    /// Its positions by their values.
    pub counts: Counts,
    /// Bytes on disk.
    pub bytes: u64,
    /// The longest distance to conversion, where it is known.
    pub longest: Option<u32>,
    /// Seconds that building took, where they were noted.
    pub seconds: Option<f64>,
}

/// The page for a database of a board.
pub fn database_page(board: &str, manifest: &DatabaseManifest, rows: &[SliceRow]) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write_page(&mut out, board, manifest, rows);
    out
}

fn write_page(
    out: &mut String,
    board: &str,
    manifest: &DatabaseManifest,
    rows: &[SliceRow],
) -> fmt::Result {
    let (covered, root) = (words_of_cover(&manifest.cover), manifest.root());
    let most = rows.iter().map(|row| row.slice.pieces()).max().unwrap_or(0);
    let sum: Counts = total(rows);
    let bytes: u64 = rows.iter().map(|row| row.bytes).sum();
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>{board}, {covered}</title><style>{STYLE}</style></head><body>\n\
         <h1>Endgame databases of {board}, {covered}</h1>\n\
         <p>{} positions in {} bytes, {} a byte. Root <code>{root}</code>.</p>\n\
         <p class=\"key\">For the side to move:<i class=\"w\"></i>win<i class=\"d\"></i>draw\
         <i class=\"l\"></i>loss. A slice is men and kings of the side to move, men and kings of the \
         opponent; positions with a capture count, too. <em>Longest</em> is the largest number of plies to \
         the next capture, crowning or man move that keeps the value.</p>\n",
        thousands(sum.positions),
        thousands(bytes),
        per_byte(sum.positions, bytes),
    )?;
    section(out, "All", &by_pieces(rows, most))?;
    for n in 2..=most {
        let of_n: Vec<&SliceRow> = rows.iter().filter(|row| row.slice.pieces() == n).collect();
        let mut lines: Vec<(String, Line)> = of_n
            .iter()
            .map(|row| {
                let [a, b, c, d] = row.slice.name().0;
                (format!("{a},{b},{c},{d}"), Line::of(&[*row]))
            })
            .collect();
        lines.push(("all".into(), Line::of(&of_n)));
        section(out, &format!("{n} pieces"), &lines)?;
    }
    out.push_str("</body></html>\n");
    Ok(())
}

/// What a line of a table says.
struct Line {
    counts: Counts,
    bytes: u64,
    longest: Option<u32>,
    seconds: Option<f64>,
}

impl Line {
    fn of(rows: &[&SliceRow]) -> Line {
        let mut counts = Counts::default();
        rows.iter().for_each(|row| counts.add(row.counts));
        Line {
            counts,
            bytes: rows.iter().map(|row| row.bytes).sum(),
            longest: rows.iter().filter_map(|row| row.longest).max(),
            seconds: rows.iter().map(|row| row.seconds).sum(),
        }
    }
}

fn total(rows: &[SliceRow]) -> Counts {
    Line::of(&rows.iter().collect::<Vec<_>>()).counts
}

fn by_pieces(rows: &[SliceRow], most: u8) -> Vec<(String, Line)> {
    let of = |n: u8| rows.iter().filter(|row| row.slice.pieces() == n).collect::<Vec<_>>();
    (2..=most).map(|n| (format!("{n} pieces"), Line::of(&of(n)))).collect()
}

fn section(out: &mut String, title: &str, lines: &[(String, Line)]) -> fmt::Result {
    write!(
        out,
        "<h2>{title}</h2>\n<table><tr><th></th><th>positions</th><th></th><th>win</th><th>draw</th>\
         <th>loss</th><th>longest</th><th>bytes</th><th>a byte</th><th>seconds</th></tr>\n"
    )?;
    for (name, line) in lines {
        let Counts { positions, win, loss } = line.counts;
        let share = |n: u64| 100.0 * n as f64 / positions.max(1) as f64;
        let (w, d, l) = (share(win), share(line.counts.draw()), share(loss));
        let class = if name == "all" { " class=\"all\"" } else { "" };
        let known = |text: Option<String>| text.unwrap_or_else(|| "–".into());
        writeln!(
            out,
            "<tr{class}><td>{name}</td><td>{}</td><td class=\"bar\"><div title=\"{win} / {} / {loss}\">\
             <i class=\"w\" style=\"width:{w:.2}%\"></i><i class=\"d\" style=\"width:{d:.2}%\"></i>\
             <i class=\"l\" style=\"width:{l:.2}%\"></i></div></td><td>{w:.1} %</td><td>{d:.1} %</td>\
             <td>{l:.1} %</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            thousands(positions),
            line.counts.draw(),
            known(line.longest.map(|n| n.to_string())),
            thousands(line.bytes),
            per_byte(positions, line.bytes),
            known(line.seconds.map(|s| format!("{s:.1}"))),
        )?;
    }
    out.push_str("</table>\n");
    Ok(())
}

fn per_byte(positions: u64, bytes: u64) -> String {
    format!("{:.1}", positions as f64 / bytes.max(1) as f64)
}
