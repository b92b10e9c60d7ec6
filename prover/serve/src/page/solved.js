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

/** What is known of a position, with what was solved, and its moves in an order. */
function joined(answer, solved, places) {
  const found = new Map(solved.moves.map((move) => [move.move, move]));
  const moves = answer.moves.map((move) => {
    const { by, nodes, score, line } = found.get(move.move);
    return by === "known" ? move : { ...withBounds(move, found.get(move.move)), solved: { by, nodes, score, line } };
  });
  moves.sort((a, b) => places.indexOf(a.move) - places.indexOf(b.move));
  const whole = { ...withBounds(answer, solved), moves };
  const isNews = bounds(whole).join() !== bounds(answer).join();
  return isNews ? { ...whole, solved: { by: "solved" } } : whole;
}

/** An answer whose open moves are marked as being asked for. */
export const asked = (answer) => ({
  ...answer,
  moves: answer.moves.map((move) => (isExact(move) ? move : { ...move, solved: { by: "asked" } })),
});

/**
 * Asks until everything is solved that can be. `see` gets each answer, and says whether to go on.
 * Moves keep the places of the first answer, which are by estimates, until all is done.
 */
export async function solve(board, answer, see) {
  let places = null;
  for (let wait = FIRST; ; wait = Math.min(2 * wait, LONGEST)) {
    const solved = await get(`api/${board}/solved`, { fen: answer.fen });
    if (!places || solved.done) places = solved.moves.map((move) => move.move);
    if (!see(joined(answer, solved, places)) || solved.done) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
