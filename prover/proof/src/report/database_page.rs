//! The statistics of a database as one self-contained HTML page.

use super::html::{board_figure, foot, head};
use super::html::{describe_cover, describe_slice};
use crate::board::{Board, Position};
use crate::egdb::numbers::{counted, grouped, percent, size, time};
use crate::egdb::stats::Counts;
use crate::egdb::{Slice, Value};
use certificate_spec::database::DatabaseManifest;

pub struct SliceRow {
    pub slice: Slice,
    pub counts: Counts,
    /// The size of its file, in bytes.
    pub bytes: u64,
    /// The longest distance to conversion, in plies, if it is known.
    pub longest: Option<u32>,
    /// A position with that distance and its value, if one was looked for and exists.
    pub example: Option<(Position, Value)>,
    /// The seconds that its build took, if they were noted.
    pub seconds: Option<f64>,
}

pub fn database_page(board: &Board, manifest: &DatabaseManifest, rows: &[SliceRow]) -> String {
    let game = board.name();
    let covered = describe_cover(&manifest.cover);
    let all = Sum::of(rows.iter());
    let mut out = head(&format!("{game}, {covered}"));
    let win = all.counts.win;
    let draw = all.counts.draw();
    let loss = all.counts.loss;
    let share = |n| percent(n, all.counts.positions);
    out += &format!(
        "<h1>Endgames of {game}, {covered}</h1>\n\
         <p class=\"lead\">Of the {} positions of {game} checkers with {covered}, the side to move wins {}, draws {} and \
         loses {}.</p>\n\
         <p>This database has the value of each, in {}: {} positions a byte. All positions with both sides on the \
         board count, those with a capture, too.</p>\n{}\
         <h2>How to verify it</h2>\n<pre>check --game {game} --pieces {}</pre>\n\
         <p>It is verified if that ends with status 0 and a line that begins with</p>\n\
         <pre>s VERIFIED DATABASE {game} pieces={}</pre>\n<p>and has <code>root={}</code>. The database is looked for in \
         <code>egdb</code>, or where <code class=\"word\">--db DIR</code> says.</p>\n",
        grouped(all.counts.positions),
        share(win),
        share(draw),
        share(loss),
        size(all.bytes),
        per_byte(&all),
        bar(&all.counts),
        manifest.cover,
        manifest.cover,
        manifest.root(),
    );
    out += &depths_not_stored(rows);
    let most = rows.iter().map(|row| row.slice.pieces()).max().unwrap_or(0);
    out += "<h2>By the number of pieces</h2>\n<div class=\"slices\">";
    for n in 2..=most {
        let of_n = || rows.iter().filter(|row| row.slice.pieces() == n);
        out += &card(board, &counted(n, "piece"), &Sum::of(of_n()), longest_of(of_n()));
    }
    out += "</div>\n";
    for n in 2..=most {
        let open = if n == 2 { " open" } else { "" };
        out += &format!(
            "<details{open}><summary><h2>{n} pieces, the side to move first</h2></summary>\n\
             <div class=\"slices\">"
        );
        for row in rows.iter().filter(|row| row.slice.pieces() == n) {
            let sum = Sum::of(std::iter::once(row));
            out += &card(board, &describe_slice(row.slice), &sum, Some(row));
        }
        out += "</div></details>\n";
    }
    out += "<p class=\"small\">A longest win or loss is the one with the most plies to the next capture, crowning or move \
            of a man that keeps the value, when the winner hurries and the loser delays. W: the side to move wins; D: \
            draw; L: it loses. Slices with Black to move; those with White to move are the same, turned.</p>\n";
    out + &foot()
}

/// A paragraph about the slices without depths; empty if all have them.
fn depths_not_stored(rows: &[SliceRow]) -> String {
    let without = rows.iter().filter(|row| row.longest.is_none()).count();
    let which = match without {
        0 => return String::new(),
        n if n == rows.len() => String::new(),
        n => format!(" for {n} of the {} slices", rows.len()),
    };
    format!(
        "<p>How long wins take is not stored{which}; <code>prove db --depth</code> stores it.</p>\n"
    )
}

/// Sums over slices.
struct Sum {
    counts: Counts,
    bytes: u64,
    seconds: Option<f64>,
}

impl Sum {
    fn of<'a>(rows: impl Iterator<Item = &'a SliceRow>) -> Sum {
        let mut sum = Sum { counts: Counts::default(), bytes: 0, seconds: Some(0.0) };
        for row in rows {
            sum.counts.add(row.counts);
            sum.bytes += row.bytes;
            sum.seconds = sum.seconds.zip(row.seconds).map(|(all, one)| all + one);
        }
        sum
    }
}

/// The slice with the longest win or loss, if the longest of each slice is known.
fn longest_of<'a>(rows: impl Iterator<Item = &'a SliceRow> + Clone) -> Option<&'a SliceRow> {
    let is_known = rows.clone().all(|row| row.longest.is_some());
    rows.filter(|_| is_known).max_by_key(|row| row.longest)
}

fn card(board: &Board, title: &str, sum: &Sum, longest: Option<&SliceRow>) -> String {
    let Counts { positions, win, loss } = sum.counts;
    let share = |n| percent(n, positions);
    let mut out = format!("<div><h3>{title}</h3>{}", bar(&sum.counts));
    out += &format!(
        "<p>W {}, D {}, L {} of {}; {}, {} positions a byte{}.</p>",
        share(win),
        share(sum.counts.draw()),
        share(loss),
        counted(positions, "position"),
        size(sum.bytes),
        per_byte(sum),
        sum.seconds
            .filter(|s| *s >= 1.0)
            .map_or(String::new(), |s| format!(", built in {}", time(s))),
    );
    let plies = |n: u32| counted(n, "ply");
    let known = longest.and_then(|row| Some((row.longest?, row)));
    out += &match known {
        None => String::new(),
        Some((longest, SliceRow { example: None, .. })) => {
            format!("<p>Longest win or loss: {}.</p>", plies(longest))
        }
        Some((longest, SliceRow { example: Some((position, value)), .. })) => {
            let ends = if *value == Value::Win { "wins" } else { "loses" };
            let caption = format!(": {ends}; {}", plies(longest));
            format!(
                "<details><summary>Longest win or loss: {}</summary>{}</details>",
                plies(longest),
                board_figure(board, position, &caption)
            )
        }
    };
    out + "</div>\n"
}

/// A bar of wins, draws and losses, which fills the width; each part has its letter if there is
/// room for it.
fn bar(counts: &Counts) -> String {
    let part = |class: &str, letter: &str, n: u64| {
        let share = 100.0 * n as f64 / counts.positions.max(1) as f64;
        let letter = if share >= 6.0 { letter } else { "" };
        format!("<i class=\"{class}\" style=\"width:{share:.3}%\">{letter}</i>")
    };
    let win = counts.win;
    let draw = counts.draw();
    let loss = counts.loss;
    format!(
        "<div class=\"bar\" aria-hidden=\"true\" title=\"{} / {} / {}\">{}{}{}</div>\n",
        grouped(win),
        grouped(draw),
        grouped(loss),
        part("w", "W", win),
        part("d", "D", draw),
        part("l", "L", loss)
    )
}

fn per_byte(sum: &Sum) -> String {
    format!("{:.1}", sum.counts.positions as f64 / sum.bytes.max(1) as f64)
}
