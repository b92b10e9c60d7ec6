// A game as the server judges it: its mistakes, and a graph of the score.

import { $, element } from "./panels.js";

const SVG = "http://www.w3.org/2000/svg";
/** The score at the upper edge of the graph, in hundredths of a man. */
const MOST = 300;
const WIDTH = 300;
const HEIGHT = 60;

function drawn(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** The graph of the scores, Black's side up. A click goes to the position there. */
function graph(scores, mistakes, at, go) {
  const x = (ply) => (scores.length < 2 ? 0 : (ply * WIDTH) / (scores.length - 1));
  const y = (score) => HEIGHT / 2 - (score * (HEIGHT / 2 - 3)) / MOST;
  const label = `Score after each move, from Black's side, between −3 and +3 men; mistakes: ${mistakes.length}`;
  const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  svg.append(
    drawn("line", { class: "zero", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
    drawn("line", { class: "now", x1: x(at), x2: x(at), y1: 0, y2: HEIGHT }),
    drawn("polyline", { class: "score", points: scores.map((score, ply) => `${x(ply)},${y(score)}`).join(" ") }),
    ...mistakes.map(({ ply }) => drawn("line", { class: "bad", x1: x(ply + 1), x2: x(ply + 1), y1: y(scores[ply]), y2: y(scores[ply + 1]) })),
  );
  svg.addEventListener("click", ({ clientX }) => {
    const { left, width } = svg.getBoundingClientRect();
    go(Math.round(((clientX - left) / width) * (scores.length - 1)));
  });
  return svg;
}

export const mark = (mistake) => (mistake.is_proved ? "??" : "?");

/** Shows an analysis at a position of the game; nothing for null. `go` goes to a position. */
export function showAnalysis(analysis, at, go) {
  $("analysis").hidden = !analysis;
  if (!analysis) return;
  const { scores, mistakes, says } = analysis;
  $("graph").replaceChildren(graph(scores, mistakes, at, go));
  $("says").textContent = says[at] ? `This position: ${says[at]}.` : "";
  const list = mistakes.map((mistake) => {
    const { ply, number, played, better, before, after } = mistake;
    const button = element("button", `${number} ${played}${mark(mistake)} ${after}; before: ${before}; better ${better}`, { type: "button" });
    button.addEventListener("click", () => go(ply));
    const item = element("li", "");
    item.append(button);
    return item;
  });
  $("mistakes").replaceChildren(...(list.length ? list : [element("li", "No mistake was found.")]));
}
