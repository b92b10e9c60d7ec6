// Positions and values in words.

export const SIDES = { B: "Black", W: "White" };

/** The pieces of a canonical FEN: for each square its side and whether it is a king. */
export function pieces(fen) {
  const [turn, ...lists] = fen.split(":");
  const squares = new Map();
  for (const list of lists) {
    for (const item of list.slice(1).split(",").filter(Boolean)) {
      const king = item.startsWith("K");
      squares.set(Number(king ? item.slice(1) : item), { side: list[0], king });
    }
  }
  return { turn, squares };
}

export function pieceInWords(piece) {
  return piece ? `${SIDES[piece.side].toLowerCase()} ${piece.king ? "king" : "man"}` : "empty";
}

function listInWords(squares, side, king, one, many) {
  const of = [...squares].filter(([, p]) => p.side === side && p.king === king).map(([n]) => n);
  of.sort((a, b) => a - b);
  return of.length ? [`${of.length === 1 ? one : many} on ${of.join(", ")}`] : [];
}

/** "Black to move. White has men on 13, 14 and a king on 18. …" */
export function positionInWords(fen) {
  const { turn, squares } = pieces(fen);
  const side = (name) => {
    const parts = [
      ...listInWords(squares, name, false, "a man", "men"),
      ...listInWords(squares, name, true, "a king", "kings"),
    ];
    return `${SIDES[name]} has ${parts.join(" and ") || "no pieces"}.`;
  };
  return `${SIDES[turn]} to move. ${side("W")} ${side("B")}`;
}

/** The bounds of a position or move. */
export const bounds = (answer) => [answer.value ?? answer.lower, answer.value ?? answer.upper];

/** Whether the server may still find more about a move. */
export const isUnderWay = (solved) => ["asked", "waiting", "searching"].includes(solved?.by);

/** A value as a short label, with its kind for the colour. `hasProof`: whether one is served. */
export function label(answer, hasProof) {
  const [lower, upper] = bounds(answer);
  if (lower === upper) return { text: { win: "W", draw: "D", loss: "L" }[lower], kind: lower };
  if (lower === "draw") return { text: "D or W", kind: "open" };
  if (upper === "draw") return { text: "L or D", kind: "open" };
  if (answer.solved?.score != null) return { text: `≈ ${scoreInWords(answer.solved.score)}`, kind: "open" };
  if (isUnderWay(answer.solved)) return { text: "…", kind: "open" };
  return { text: hasProof ? "not in proof" : "not known", kind: "open" };
}

/** The value of a move, to be read aloud. */
export function valueInWords(answer, hasProof) {
  const [lower, upper] = bounds(answer);
  if (lower === upper) return { win: "wins", draw: "draws", loss: "loses" }[lower];
  if (lower === "draw") return "draws or wins";
  if (upper === "draw") return "loses or draws";
  return hasProof ? "not in the proof" : "not known";
}

/** What is known of a position, as a sentence. */
export function verdict(answer, hasProof) {
  const [lower, upper] = bounds(answer);
  const turn = answer.fen[0];
  const mover = SIDES[turn];
  const other = SIDES[turn === "B" ? "W" : "B"];
  if (!answer.moves.length) return `${mover} has no move: ${other} has won`;
  if (lower === upper) {
    const plies = answer.plies ? ` in ${answer.plies} ${answer.plies === 1 ? "ply" : "plies"}` : "";
    return { win: `${mover} wins${plies}`, draw: "A draw", loss: `${other} wins${plies}` }[lower];
  }
  if (lower === "draw") return `${mover} does not lose`;
  if (upper === "draw") return `${other} does not lose`;
  return hasProof ? "Not in the proof" : "Not known";
}

/** A question of a certificate, as it would be answered. */
export function questionInWords(question) {
  const [side, ...says] = question.split("-");
  return `${SIDES[side[0].toUpperCase()]} ${says[0] === "wins" ? "wins" : "does not lose"}`;
}

function sourceInWords(source) {
  const places = {
    database: "database",
    capture: "database, after the captures",
    rules: "rules",
    solved: "solved here",
    moves: "values of the moves",
    node: `node ${source.number}`,
    leaf: `leaf ${source.number}`,
  };
  return places[source.kind];
}

/** A score in men, for the side that makes the move. */
function scoreInWords(score) {
  if (Math.abs(score) > 10_000) return score > 0 ? "a win" : "a loss";
  return `${score < 0 ? "−" : "+"}${(Math.abs(score) / 100).toFixed(2)}`;
}

/** What the server has solved of a value, or estimates. */
function solvedInWords({ by, nodes, score, line }) {
  const spent = nodes ? ` with ${nodes.toLocaleString("en")} nodes` : "";
  // Lines break between moves only.
  const then = line?.length ? `, then ${line.join(" ").replaceAll("-", "\u2011")}` : "";
  const guess = score == null ? "" : `estimate${then}`;
  const state = {
    asked: "", solved: `solved here${spent}`, searching: "being solved here", waiting: "waiting to be solved here",
    guess: nodes ? `not decided here${spent}` : "",
  }[by];
  return [guess, state].filter(Boolean).join("; ");
}

/** The engine's estimate of a position that nothing decides, as a sentence; nothing if there is none. */
export function estimate(answer) {
  const scores = answer.moves.map((move) => move.solved?.score).filter((score) => score != null);
  if (!scores.length || bounds(answer)[0] !== "loss" || bounds(answer)[1] !== "win") return "";
  return `The engine's estimate is ${scoreInWords(Math.max(...scores))} men for ${SIDES[answer.fen[0]]}. It proves nothing.`;
}

/** Where a value comes from; nothing if there is none. */
export function sources(answer) {
  const both = [answer.from.lower, answer.from.upper];
  const isProof = ({ kind }) => kind === "node" || kind === "leaf";
  const list = (some) => [...new Set(some.map(sourceInWords).filter(Boolean))].join(", ");
  const proof = list(both.filter(isProof));
  const names = [proof && `proof, ${proof}`, list(both.filter((s) => !isProof(s)))].filter(Boolean).join("; ");
  const depth = answer.depth > 0 ? `, next capture, crowning or move of a man in ${answer.depth}` : "";
  return [names + depth, answer.solved && solvedInWords(answer.solved)].filter(Boolean).join("; ");
}
