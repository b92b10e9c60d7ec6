//! The common parts of pages, which are self-contained, and the descriptions of slices in them.

use crate::board::{Board, Position};
use crate::egdb::numbers::counted;
use crate::egdb::{Clause, Cover, Slice};

/// The style sheet of all pages: dark or light as the browser prefers, for any width. The colours
/// can be told apart with any colour vision, and no information is given by a colour alone.
const STYLE: &str = include_str!("page.css");

/// The beginning of a page.
pub(super) fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head><body>\n{SHAPES}"
    )
}

/// The end of a page, with the versions of program, format and rules.
pub(super) fn foot() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let format = certificate_spec::VERSION;
    let rules = certificate_spec::RULES;
    format!(
        "<p class=\"small\">Page by prove {version}; format {format}, rules <code>{rules}</code>.</p>\n\
         </body></html>\n"
    )
}

/// A text in which characters with a meaning in HTML are escaped.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// The width of a square, in units of the picture.
const SIZE: usize = 10;

/// The shapes that the pictures of a page share; they are needed once in the page.
const SHAPES: &str = "<svg width=\"0\" height=\"0\" class=\"shapes\" aria-hidden=\"true\"><defs>\
<circle id=\"man\" r=\"3.9\"/>\
<g id=\"king\"><circle r=\"3.9\"/><path d=\"M-2.1 1.7h4.2l.5-3.2-1.5 1.2L0-2.2-1.1-.3l-1.5-1.2z\"/></g>\
</defs></svg>\n";

/// The picture of a position, with Black's home row at the top and the numbers of the squares. Its
/// alternative text is the FEN.
fn board_picture(board: &Board, position: &Position) -> String {
    let rows = usize::from(board.rows());
    let columns = usize::from(board.columns());
    let width = columns * SIZE;
    let height = rows * SIZE;
    let fen = board.write_fen(position);
    let mut out = format!(
        "<svg class=\"board\" viewBox=\"-1 -1 {} {}\" role=\"img\" aria-label=\"board of {fen}\">\
         <rect class=\"light\" x=\"-1\" y=\"-1\" width=\"{0}\" height=\"{1}\"/>",
        width + 2,
        height + 2
    );
    let mut squares = String::new();
    let mut pieces = String::new();
    let mut square = 0;
    for row in 0..rows {
        for column in (0..columns).filter(|column| (row + column) % 2 == 1) {
            let x = column * SIZE;
            let y = row * SIZE;
            let bit = board.bit(square);
            square += 1;
            squares += &format!("M{x} {y}h{SIZE}v{SIZE}h-{SIZE}z");
            let side = match (position.black & bit != 0, position.white & bit != 0) {
                (true, _) => "black",
                (_, true) => "white",
                _ => {
                    let x = x + 1;
                    let y = y + 4;
                    pieces += &format!("<text x=\"{x}\" y=\"{y}\">{square}</text>");
                    continue;
                }
            };
            let kind = if position.kings & bit != 0 { "king" } else { "man" };
            let x = x + SIZE / 2;
            let y = y + SIZE / 2;
            pieces += &format!("<use href=\"#{kind}\" class=\"{side}\" x=\"{x}\" y=\"{y}\"/>");
        }
    }
    out += &format!("<path class=\"dark\" d=\"{squares}\"/>{pieces}</svg>");
    out
}

/// The picture of a position with its FEN and the side to move below.
pub(super) fn board_figure(board: &Board, position: &Position, caption: &str) -> String {
    let turn = position.turn;
    let picture = board_picture(board, position);
    let fen = board.write_fen(position);
    format!(
        "<figure>{picture}<figcaption>{turn:?} to move{caption}<br><code>{fen}</code></figcaption></figure>"
    )
}

/// The width of the picture; its height is below.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 230.0;
/// The first and last coordinate of the lines: across, and below it down.
const ACROSS: [f64; 2] = [46.0, 350.0];
const DOWN: [f64; 2] = [12.0, 190.0];
/// The most marks of the horizontal axis.
const MOST_MARKS: u64 = 8;
/// The most points of a line that get a dot each.
const MOST_DOTS: usize = 40;

/// A line.
pub(super) struct Series<'a> {
    /// The name of the count.
    pub(super) name: &'a str,
    /// The points: the place on the axis, and the count there.
    pub(super) points: Vec<(u64, u64)>,
}

/// Draws lines over a common axis, which has a name. Two lines differ in their strokes, not by
/// colour alone. A count of 0 has no place on the scale and interrupts its line.
pub(super) fn line_chart(axis: &str, series: &[Series<'_>]) -> String {
    let points = || series.iter().flat_map(|s| &s.points);
    let last = points().map(|(x, _)| *x).max().unwrap_or(0).max(1);
    let most = points().map(|(_, y)| *y).max().unwrap_or(0).max(1);
    let decades = most.ilog10() + 1;
    let x = |at: u64| ACROSS[0] + (ACROSS[1] - ACROSS[0]) * at as f64 / last as f64;
    let y = |n: u64| DOWN[1] - (DOWN[1] - DOWN[0]) * (n as f64).log10() / f64::from(decades);
    let names: Vec<&str> = series.iter().map(|s| s.name).collect();
    let mut out = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{} by {axis}, \
         on a logarithmic scale\">",
        names.join(" and ")
    );
    for decade in 0..=decades {
        let (n, [left, right]) = (10u64.pow(decade), ACROSS);
        let at = y(n);
        out += &format!(
            "<path class=\"grid\" d=\"M{left} {at:.1}H{right}\"/>\
             <text class=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>",
            left - 5.0,
            at + 3.5,
            short(n)
        );
    }
    let step = step_of(last);
    for mark in (0..=last).step_by(usize::try_from(step).unwrap_or(1)) {
        let (at, [_, bottom]) = (x(mark), DOWN);
        out += &format!(
            "<path class=\"grid\" d=\"M{at:.1} {bottom}v4\"/>\
             <text class=\"middle\" x=\"{at:.1}\" y=\"{}\">{mark}</text>",
            bottom + 15.0
        );
    }
    let middle = (ACROSS[0] + ACROSS[1]) / 2.0;
    out += &format!("<text class=\"middle\" x=\"{middle}\" y=\"{}\">{axis}</text>", HEIGHT - 8.0);
    for (number, Series { points, .. }) in series.iter().enumerate() {
        let mut path = String::new();
        let mut dots = String::new();
        let mut is_broken = true;
        for &(at, n) in points {
            if n == 0 {
                is_broken = true;
                continue;
            }
            let stroke = if std::mem::take(&mut is_broken) { 'M' } else { 'L' };
            let at = x(at);
            let n = y(n);
            path += &format!("{stroke}{at:.1} {n:.1}");
            if points.len() <= MOST_DOTS {
                dots += &format!("<circle cx=\"{at:.1}\" cy=\"{n:.1}\" r=\"1.8\"/>");
            }
        }
        out += &format!("<g class=\"line line{number}\"><path d=\"{path}\"/>{dots}</g>");
    }
    out + "</svg>"
}

/// The legend of the lines, for the text beside a chart.
pub(super) fn key(series: &[Series<'_>]) -> String {
    let mut samples = Vec::new();
    for (number, s) in series.iter().enumerate() {
        samples.push(format!(
            "<span class=\"sample\"><svg viewBox=\"0 0 30 8\" aria-hidden=\"true\">\
             <g class=\"line line{number}\"><path d=\"M0 4H30\"/></g></svg> {}</span>",
            s.name
        ));
    }
    samples.join(" ")
}

/// A short form of a number, with a prefix: 1000 as 1 k.
fn short(n: u64) -> String {
    let units = [(1_000_000_000_000, "T"), (1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")];
    match units.into_iter().find(|(unit, _)| n >= *unit) {
        Some((unit, name)) => format!("{}\u{202f}{name}", n / unit),
        None => n.to_string(),
    }
}

/// The step between marks, 1, 2 or 5 times a power of ten, such that their number is bounded.
fn step_of(last: u64) -> u64 {
    let mut step = 1;
    for factor in [2, 5, 10].into_iter().cycle() {
        if last / step < MOST_MARKS {
            break;
        }
        let decade = 10u64.pow(step.ilog10());
        step = decade * factor;
    }
    step
}

/// Describes a slice, such as "2 men + 1 king v 3 men": the side to move first.
pub(super) fn describe_slice(slice: Slice) -> String {
    let [men, kings, enemy_men, enemy_kings] = slice.name().0;
    let side = |men: u8, kings: u8| {
        let pieces = [(men, "man"), (kings, "king")].into_iter().filter(|(n, _)| *n > 0);
        let pieces = pieces.map(|(n, noun)| counted(n, noun));
        pieces.collect::<Vec<_>>().join(" + ")
    };
    format!("{} v {}", side(men, kings), side(enemy_men, enemy_kings))
}

/// A word of a command line, quoted if a shell would interpret it.
pub(super) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+=,:@%/".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.into();
    }
    let word = if word.starts_with('-') { format!("./{word}") } else { word.into() };
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Describes a cover, such as "up to 7 pieces, or up to 8 with at most 4 a side".
pub(super) fn describe_cover(cover: &Cover) -> String {
    if cover.is_empty() {
        return "no positions".into();
    }
    let mut words = Vec::new();
    for (i, &Clause { pieces, side }) in cover.clauses().iter().enumerate() {
        let noun = if i == 0 { " pieces" } else { "" };
        let bound = match side + 1 < pieces {
            true => format!(" with at most {side} a side"),
            false => String::new(),
        };
        words.push(format!("up to {pieces}{noun}{bound}"));
    }
    words.join(", or ")
}

#[cfg(test)]
mod tests {
    use super::{describe_slice, shell_word};
    use crate::egdb::Slice;

    #[test]
    fn slices_are_described() {
        assert_eq!(describe_slice(Slice::new(2, 1, 3, 0)), "2 men + 1 king v 3 men");
        assert_eq!(describe_slice(Slice::new(0, 2, 1, 1)), "2 kings v 1 man + 1 king");
        for (word, quoted) in
            [("cert-7x7", "cert-7x7"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("-x", "'./-x'")]
        {
            assert_eq!(shell_word(word), quoted);
        }
    }
}

#[cfg(test)]
mod cover_tests {
    use super::describe_cover;

    #[test]
    fn covers_are_described() {
        for (cover, words) in [
            ("0", "no positions"),
            ("6", "up to 6 pieces"),
            ("7,8:4", "up to 7 pieces, or up to 8 with at most 4 a side"),
            ("10:5", "up to 10 pieces with at most 5 a side"),
        ] {
            assert_eq!(describe_cover(&cover.parse().expect("a cover")), words);
        }
    }
}
