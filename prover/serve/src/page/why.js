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

/** Where a position is in the proof. */
function placeInWords({ place }) {
  switch (place.kind) {
    case "node":
      return `This position is node ${place.number} of the proof.`;
    case "leaf":
      return `This position is in leaf ${place.number} of the proof.`;
    case "database":
      return "The database has this position; the proof ends here.";
    case "over":
      return "The game is over.";
    default:
      return "This proof does not have this position. It has an answer to each move of the other side, " +
        "but only one move of its own side. Go back to follow it.";
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
}

/** The questions whose proofs have a position, as the answer about it says. */
function questionsThatApply({ from }) {
  const inProof = [from.lower, from.upper].filter(({ certificate }) => certificate);
  return [...new Set(inProof.map(({ certificate, question }) => `${certificate} ${question}`))];
}

/**
 * The proof at a position that an answer is about. At another position than before the question
 * changes to one whose proof has it. `play` makes moves.
 */
export async function showWhy(known, play, isCurrent) {
  const { fen } = known;
  $("why-box").hidden = !$("question").value || !known.moves.length;
  if ($("why-box").hidden) $("why").dataset.fen = fen;
  if ($("why-box").hidden || !$("why-box").open) return;
  const apply = questionsThatApply(known);
  const isElsewhere = $("why").dataset.fen !== fen;
  if (isElsewhere && apply.length && !apply.includes($("question").value)) $("question").value = apply[0];
  $("why-claim").textContent = apply.length > 1 && known.value === "draw" ?
    "The draw is proved twice: each side has a way never to lose, whatever the other plays." : "";
  const [root, question] = $("question").value.split(" ");
  const answer = await get(`api/certificates/${root}/why`, { question, fen });
  if (!isCurrent()) return;
  const sides = fen[0] === "B" ? [SIDES.B, SIDES.W] : [SIDES.W, SIDES.B];
  $("why-place").textContent = placeInWords(answer);
  $("why").dataset.fen = answer.fen;
  $("why").replaceChildren(...answer.moves.map((move) => step(move, sides, play)));
}
