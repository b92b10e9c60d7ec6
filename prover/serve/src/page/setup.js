// The editor of positions: pieces are put on the board, and a game begins from there.

import { $ } from "./panels.js";
import { SIDES, pieces } from "./words.js";

/** The FEN of pieces by square. */
function fenOf(turn, squares) {
  const list = (side) => [...squares].filter(([, piece]) => piece.side === side)
    .sort(([a], [b]) => a - b).map(([square, { king }]) => (king ? `K${square}` : `${square}`));
  return `${turn}:W${list("W")}:B${list("B")}`;
}

/** The piece that is chosen to be put down; undefined for none, which empties a square. */
function chosenPiece() {
  const { value } = document.querySelector("input[name=piece]:checked");
  return value ? { side: value[0], king: value[1] === "K" } : undefined;
}

/** Squares whose men would be kings: black men on the last row, white ones on the first. */
function wrongSquares(board, squares) {
  const far = { B: board.rows - 1, W: 0 };
  const isWrong = ([square, { side, king }]) => !king && board.places.get(square).row === far[side];
  return [...squares].filter(isWrong).map(([square]) => square);
}

/** What keeps the pieces from being a position; nothing if they are one. */
function lack(wrong, squares) {
  const missing = ["B", "W"].filter((side) => ![...squares.values()].some((piece) => piece.side === side));
  if (missing.length) return `There is no ${missing.map((side) => SIDES[side].toLowerCase()).join(" and no ")} piece yet`;
  return wrong.length ? `A man on ${wrong.join(", ")} would be a king: it stands on the other side's first row` : "";
}

const isSame = (a, b) => a && b && a.side === b.side && a.king === b.king;

/**
 * While its box is open, a click on a square puts the chosen piece there, or takes an equal one
 * away. `current` is the FEN that is shown, `start` that of the game; `begin` begins a game at a
 * FEN.
 */
export function setUpBox(board, { current, start, begin, leave }) {
  let squares = new Map();
  const show = () => {
    board.wrong = wrongSquares(board, squares);
    board.show(fenOf($("setup-turn").value, squares), [], null);
    $("setup-lack").textContent = lack(board.wrong, squares);
    $("setup-done").disabled = $("setup-lack").textContent !== "";
  };
  const take = (fen) => {
    const position = pieces(fen);
    squares = position.squares;
    $("setup-turn").value = position.turn;
    show();
  };
  const put = (square) => {
    const piece = chosenPiece();
    if (!piece || isSame(piece, squares.get(square))) squares.delete(square);
    else squares.set(square, piece);
    show();
  };
  $("setup-box").addEventListener("toggle", () => {
    board.edit = $("setup-box").open ? put : null;
    board.wrong = [];
    // Nothing is known of pieces that are still being put down.
    document.body.classList.toggle("editing", $("setup-box").open);
    if (!board.edit) return leave();
    take(current());
    // The pieces stand below the board: both are in view on a telephone.
    $("board").scrollIntoView({ block: "nearest" });
  });
  $("setup-turn").addEventListener("change", show);
  $("setup-clear").addEventListener("click", () => take("B:W:B"));
  $("setup-start").addEventListener("click", () => take(start()));
  $("setup-done").addEventListener("click", () => begin(fenOf($("setup-turn").value, squares)));
}
