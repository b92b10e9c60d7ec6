// Values that the server solves on the way, and how they join what was known.

import { get } from "./ask.js";
import { bounds } from "./words.js";

/** Milliseconds between two questions what was solved, the first and the longest. */
const FIRST = 150;
const LONGEST = 1000;

const isExact = (answer) => bounds(answer)[0] === bounds(answer)[1];

/** Whether a move of a position has no value yet. */
export const isOpen = (answer) => answer.moves.some((move) => !isExact(move));

/** An answer with other bounds. */
function withBounds(answer, { value, lower, upper }) {
  const { value: _, lower: __, upper: ___, ...rest } = answer;
  return value === undefined ? { ...rest, lower, upper } : { ...rest, value };
}

/** What is known of a position, with what was solved. Moves keep their places until all is done. */
export function joined(answer, solved) {
  const found = new Map(solved.moves.map((move) => [move.move, move]));
  const moves = answer.moves.map((move) => {
    const { by, nodes, score } = found.get(move.move);
    return by === "known" ? move : { ...withBounds(move, found.get(move.move)), solved: { by, nodes, score } };
  });
  if (solved.done) {
    const places = solved.moves.map((move) => move.move);
    moves.sort((a, b) => places.indexOf(a.move) - places.indexOf(b.move));
  }
  const whole = { ...withBounds(answer, solved), moves };
  const isNews = bounds(whole).join() !== bounds(answer).join();
  return isNews ? { ...whole, solved: { by: "solved" } } : whole;
}

/** Asks until everything is solved that can be. `see` gets each answer, and says whether to go on. */
export async function solve(board, answer, see) {
  for (let wait = FIRST; ; wait = Math.min(2 * wait, LONGEST)) {
    const solved = await get(`api/${board}/solved`, { fen: answer.fen });
    if (!see(joined(answer, solved)) || solved.done) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
