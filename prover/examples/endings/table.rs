//! Prints tables as text.

use super::Format;

/// Prints rows of cells, the first of which are the headings.
pub fn print(format: Format, lines: &[Vec<String>]) {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        lines.iter().filter_map(|line| line.get(column)).map(String::len).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        match format {
            Format::Tsv => println!("{}", line.join("\t")),
            Format::Text => {
                let cells =
                    line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
                println!("{}", cells.collect::<Vec<_>>().join("  "));
            }
        }
    }
}
