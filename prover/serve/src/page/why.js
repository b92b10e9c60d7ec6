// Why a position holds: the answer of a proof to each move, and what lies below it.

import { get } from "./ask.js";
import { $, element } from "./panels.js";
import { SIDES, questionInWords } from "./words.js";

const some = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/** What is left to prove below a move: "12,000 positions of a leaf, then the database". */
function rest({ place, below }) {
  if (place.kind === "database") return "then the database";
  if (place.kind === "over") return "then there is no move left";
  const { nodes, positions, leaves, more } = below;
  const parts = [
    nodes && some(nodes, "node", "nodes"),
    positions && `${some(positions, "position", "positions")} of ${leaves === 1 ? "a leaf" : `${leaves} leaves`}`,
  ];
  return `${more ? "more than " : ""}${parts.filter(Boolean).join(" and ")}, then the database`;
}

/** Where a position is in the proof, with links to what the certificate has there. */
function placeInWords({ place }, { root, question }) {
  const link = (number, text) => {
    const address = `api/certificates/${root}/nodes/${number}?question=${question}`;
    return element("a", text, { href: address });
  };
  switch (place.kind) {
    case "node":
      return ["This position is ", link(place.number, `node ${place.number}`), " of the proof."];
    case "leaf":
      return ["This position is in ", link(place.node, `leaf ${place.number}`), " of the proof."];
    case "database":
      return ["The database has this position; the proof ends here."];
    case "over":
      return ["The game is over."];
    default:
      return ["This proof does not have this position. It has an answer to each move of the other side, " +
        "but only one move of its own side. Go back to follow it."];
  }
}

/** A step of the tree, as a button that makes its moves. */
function step(move, sides, play) {
  const [mover, other] = sides;
  const button = element("button", "", { type: "button" });
  button.append(element("span", `${mover} plays ${move.move}`, { class: "name" }));
  button.append(
    element("span", move.answer ? `${other} answers ${move.answer.move}` : "", { class: "answer" }),
    element("span", rest(move), { class: "from" }),
  );
  button.addEventListener("click", () => play([move, move.answer].filter(Boolean)));
  const item = element("li", "");
  item.append(button);
  return item;
}

/** The questions of all certificates: one line of the choice for each. */
export function showQuestions(certificates) {
  const options = certificates.flatMap(({ root, questions, assumed }) =>
    (assumed ? [] : questions).map(({ question }) => {
      const option = element("option", questionInWords(question), { value: `${root} ${question}` });
      return option;
    }));
  $("question").replaceChildren(...options);
  $("why-box").hidden = options.length === 0;
  const isDraw = certificates[0]?.value === "DRAW";
  $("why-claim").textContent = isDraw ? "A draw is proved twice: each side has a way never to lose, whatever the other plays." : "";
}

/** The proof of the chosen question at a position. `play` makes moves. */
export async function showWhy(fen, play, isCurrent) {
  if (!$("question").value) return;
  const [root, question] = $("question").value.split(" ");
  const answer = await get(`api/certificates/${root}/why`, { question, fen });
  if (!isCurrent()) return;
  const sides = fen[0] === "B" ? [SIDES.B, SIDES.W] : [SIDES.W, SIDES.B];
  $("why-place").replaceChildren(...placeInWords(answer, { root, question }));
  $("why").dataset.fen = answer.fen;
  $("why").replaceChildren(...answer.moves.map((move) => step(move, sides, play)));
}
