// What is shown beside and below the board: moves, the way to the database, proofs, slices.

import { get } from "./ask.js";
import { label, questionInWords, sources, valueInWords } from "./words.js";

export const $ = (id) => document.getElementById(id);

/** An element with text and attributes. */
export function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** The list of moves. `play` makes one, `point` shows it on the board. */
export function showMoves(answer, hasProof, play, point) {
  $("no-moves").hidden = answer.moves.length > 0;
  const focused = document.activeElement.closest("#moves button")?.dataset.move;
  $("moves").replaceChildren(...answer.moves.map((move) => {
    const { text, kind } = label(move, hasProof);
    const button = element("button", "", { type: "button", "data-move": move.move });
    const tag = element("span", "", { class: "tags" });
    tag.append(
      element("span", text, { class: `tag ${kind}` }),
      element("span", ` ${valueInWords(move, hasProof)}, `, { class: "aloud" }),
    );
    button.append(
      element("span", move.move, { class: "name" }),
      tag,
      element("span", sources(move), { class: "from" }),
    );
    button.addEventListener("click", () => play(move));
    for (const event of ["mouseenter", "focus"]) button.addEventListener(event, () => point(move.move));
    for (const event of ["mouseleave", "blur"]) button.addEventListener(event, () => point(null));
    const item = element("li", "");
    item.append(button);
    return item;
  }));
  if (focused) $("moves").querySelector(`[data-move="${focused}"]`)?.focus();
}

/** The moves so far, each a link to the position after it, with marks on mistakes. */
export function showGame(moves, firstTurn, at, { go, link, marks }) {
  const parts = moves.flatMap((move, i) => {
    const ply = i + (firstTurn === "W" ? 1 : 0);
    const number = ply % 2 === 0 ? `${ply / 2 + 1}. ` : i === 0 ? `${(ply + 1) / 2}. … ` : "";
    const place = element("a", move + (marks.get(i) ?? ""), { href: link(i + 1), ...(marks.has(i) && { class: "loss" }) });
    if (i + 1 === at) place.setAttribute("aria-current", "step");
    place.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(i + 1);
    });
    return [number, place, " "];
  });
  $("game").replaceChildren(...(parts.length ? parts : ["No move yet."]));
}

const ENDS = {
  "no-move": "and there is no move left.",
  database: "and the database has the position.",
  repetition: "and the position has come up before.",
  unknown: "and no more is known.",
  length: "…",
};

/** Best play from a position to one of the database, and on to the end if that decides the game. */
export async function showWay(board, fen, play) {
  const line = await get(`api/${board}/line`, { fen });
  let { moves, end } = line;
  const last = moves.at(-1)?.fen ?? fen;
  const there = end === "database" ? await get(`api/${board}/position`, { fen: last }) : null;
  if (there && there.value !== "draw") {
    const rest = await get(`api/${board}/line`, { fen: last });
    [moves, end] = [[...moves, ...rest.moves], rest.end];
  }
  const isDrawn = there?.value === "draw";
  const buttons = moves.flatMap((move, i) => {
    const button = element("button", move.move, { type: "button" });
    button.addEventListener("click", () => play(moves.slice(0, i + 1)));
    return [button, " "];
  });
  $("way").replaceChildren(...buttons, isDrawn ? "and the database says that this is a draw." : ENDS[end]);
}

export const CLAIMS = {
  DRAW: "a draw",
  "BLACK-WINS": "won for Black",
  "WHITE-WINS": "won for White",
  "BLACK-NOT-LOST": "not lost for Black",
  "WHITE-NOT-LOST": "not lost for White",
};

/** Who has checked a certificate, in a sentence. */
function checkedBy({ checked, checks, verified }) {
  if (verified?.state === "verified") {
    return `Verified here by ${verified.checker} in ${Math.max(verified.seconds, 0.1).toFixed(1)} s.`;
  }
  if (verified?.state === "running" && !checked) return "It is being verified here.";
  if (!checked) return "It has not been verified here.";
  const names = [...new Set(checks.filter((check) => !check.objection).flatMap((check) => check.signers))];
  return `Checked: ${names.join(", ")} signed that all of it was verified.`;
}

/** What comes before a claim that rests on so many assumed positions. */
function unlessProved(assumed) {
  if (!assumed) return "";
  return `NOT PROVED yet; if ${assumed} assumed ${assumed === 1 ? "position holds" : "positions hold"}: `;
}

/** What a certificate claims, in a sentence. */
export function claim(certificate, isStart) {
  const { game, value, assumed } = certificate;
  const what = isStart ? game : `A position of ${game}`;
  return `${unlessProved(assumed)}${what} is ${CLAIMS[value]}, says a certificate. ${checkedBy(certificate)}`;
}

/** How proofs were made, as certificates say themselves. */
export function showProofs(certificates) {
  const number = (n) => n.toLocaleString("en");
  const some = (n, one, many) => `${number(n)} ${n === 1 ? one : many}`;
  $("proof").replaceChildren(...certificates.flatMap((certificate) => {
    const { root, questions, bytes, pieces } = certificate;
    const lines = questions.map((q) => {
      const made = q.made ? `, made by ${q.made.program} with ${some(q.made.searched, "node", "nodes")} searched` : "";
      return element("li", `${questionInWords(q.question)}: ${some(q.nodes, "node", "nodes")}, ${some(q.leaves, "leaf", "leaves")} ` +
        `with ${some(q.positions, "position", "positions")}${made}`);
    });
    const list = element("ul", "");
    list.append(...lines);
    const claimed = `${unlessProved(certificate.assumed)}${certificate.game}: ${CLAIMS[certificate.value]}`;
    const about = element("p", `${claimed}, in ${number(bytes)} bytes over ` +
      `${pieces === "0" ? "no database" : `a database of ${pieces} pieces`}. Verify it with `);
    about.append(element("code", "check"), ", which prints the root ", element("code", root), ".");
    return [about, list];
  }));
  if (!certificates.length) $("proof").textContent = "There is no certificate of this board.";
}

/** A slice in words: "2 men v 1 man + 1 king". */
function sliceInWords(slice) {
  const [men, kings, otherMen, otherKings] = slice.split(",").map(Number);
  const some = (n, one, many) => (n ? [`${n} ${n === 1 ? one : many}`] : []);
  const side = (m, k) => [...some(m, "man", "men"), ...some(k, "king", "kings")].join(" + ");
  return `${side(men, kings)} v ${side(otherMen, otherKings)}`;
}

/** A row of a table. */
function row(cells, kind = "td") {
  const made = element("tr", "");
  made.append(...cells.map((cell) => {
    const td = element(kind, "");
    td.append(cell);
    return td;
  }));
  return made;
}

/** The sums of a database by the number of pieces, and its slices. */
export async function showSlices(board, before = -1) {
  const totals = await get(`api/${board}/totals`);
  if (!totals.length) {
    $("slices").textContent = "There is no database of this board.";
    return;
  }
  const table = element("table", "");
  table.append(row(["pieces", "positions", "the side to move wins", "draws", "loses"], "th"));
  const number = (n) => n.toLocaleString("en");
  for (const { pieces, slices, counted, positions, win, draw, loss } of totals) {
    const values = counted === slices ? [win, draw, loss].map(number) : ["being counted", "", ""];
    table.append(row([String(pieces), number(positions), ...values]));
  }
  const count = totals.reduce((sum, { slices }) => sum + slices, 0);
  const box = element("details", "");
  box.append(element("summary", `Each of the ${count} slices`));
  box.addEventListener("toggle", async () => box.childElementCount === 1 && box.append(await tableOfSlices(board)));
  $("slices").replaceChildren(table, box);
  // Slices that were never counted are counted now, some with each answer.
  const all = totals.reduce((sum, { counted }) => sum + counted, 0);
  if (all < count && all > before && $("slices-box").open) {
    setTimeout(() => table.isConnected && !box.open && showSlices(board, all), 500);
  }
}

/** The slices of a board; each is counted when it is asked for. */
async function tableOfSlices(board) {
  const slices = await get(`api/${board}/slices`);
  const table = element("table", "");
  table.append(row(["Black v White, Black to move", "positions", "Black wins, draws, loses"], "th"));
  for (const { slice, positions } of slices) {
    const count = element("button", "Count", { type: "button", "aria-label": `Count ${sliceInWords(slice)}` });
    count.addEventListener("click", async () => {
      const { win, draw, loss } = await get(`api/${board}/slices/${slice}`);
      const counted = [win, draw, loss].map((n) => n?.toLocaleString("en"));
      count.replaceWith(win === null ? "too large to count here" : counted.join(" / "));
    });
    table.append(row([sliceInWords(slice), positions.toLocaleString("en"), count]));
  }
  return table;
}
