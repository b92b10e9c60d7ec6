//! The picture of a board: SVG within a page.

use crate::board::{Board, Position, Side};

/// The width of a square, in units of the picture.
const SIZE: usize = 10;

/// The shapes that the pictures of a page share; they are needed once in the page.
pub(super) const SHAPES: &str = "<svg width=\"0\" height=\"0\" class=\"shapes\" aria-hidden=\"true\"><defs>\
<circle id=\"man\" r=\"3.9\"/>\
<g id=\"king\"><circle r=\"3.9\"/><path d=\"M-2.1 1.7h4.2l.5-3.2-1.5 1.2L0-2.2-1.1-.3l-1.5-1.2z\"/></g>\
</defs></svg>\n";

/// The picture of a position, with Black's home row at the top and the numbers of the squares. Its
/// alternative text is the FEN.
pub(super) fn board_picture(board: &Board, position: &Position) -> String {
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
    let turn = name(position.turn);
    let picture = board_picture(board, position);
    let fen = board.write_fen(position);
    format!(
        "<figure>{picture}<figcaption>{turn} to move{caption}<br><code>{fen}</code></figcaption></figure>"
    )
}

/// The name of a side, as text.
pub(super) fn name(side: Side) -> &'static str {
    match side {
        Side::Black => "Black",
        Side::White => "White",
    }
}
