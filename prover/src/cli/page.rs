//! The statistics of a database as one HTML page that needs nothing else.

use std::fmt::{self, Write};

use crate::egdb::Slice;
use crate::egdb::stats::Counts;

/// What the page says about a slice.
pub(super) struct Row {
    pub(super) slice: Slice,
    pub(super) counts: Counts,
    /// Bytes on disk.
    pub(super) bytes: u64,
    /// The longest distance to conversion, where it is known.
    pub(super) longest: Option<u32>,
    /// Seconds that building took, where they were noted.
    pub(super) seconds: Option<f64>,
}

/// The look of all pages.
pub(super) const STYLE: &str = "
:root { color-scheme: light dark; --win: #2e7d4f; --draw: #b9b9b0; --loss: #b5473c; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin: 2rem 0 .3rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .15rem .6rem; white-space: nowrap }
th { font-weight: 600; border-bottom: 1px solid #8888 } td:first-child, th:first-child { text-align: left }
td.bar { width: 34%; min-width: 9rem }
.bar div { display: flex; height: .8rem; border-radius: .2rem; overflow: hidden }
.bar i { display: block } .w { background: var(--win) } .d { background: var(--draw) } .l { background: var(--loss) }
.key i { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; margin: 0 .3rem 0 1rem }
tr.all td { font-weight: 600; border-top: 1px solid #8888 }
";

/// The page for a database of a board with this root.
pub(super) fn page(board: &str, root: &str, rows: &[Row]) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write_page(&mut out, board, root, rows);
    out
}

fn write_page(out: &mut String, board: &str, root: &str, rows: &[Row]) -> fmt::Result {
    let most = rows.iter().map(|row| row.slice.pieces()).max().unwrap_or(0);
    let sum: Counts = total(rows);
    let bytes: u64 = rows.iter().map(|row| row.bytes).sum();
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>{board}, up to {most} pieces</title><style>{STYLE}</style></head><body>\n\
         <h1>Endgame databases of {board}, up to {most} pieces</h1>\n\
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
        let of_n: Vec<&Row> = rows.iter().filter(|row| row.slice.pieces() == n).collect();
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
    fn of(rows: &[&Row]) -> Line {
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

fn total(rows: &[Row]) -> Counts {
    Line::of(&rows.iter().collect::<Vec<_>>()).counts
}

fn by_pieces(rows: &[Row], most: u8) -> Vec<(String, Line)> {
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

/// 1234567 as 1 234 567, with spaces that do not break.
pub(super) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}
