//! A chart of lines on a logarithmic scale: SVG within a page.

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
