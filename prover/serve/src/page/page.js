// The page: a game on one board, what is known of its positions, and who moves next.

import { get, post } from "./ask.js";
import { Board } from "./board.js";
import { $, claim, element, showGame, showMoves, showProofs, showSlices, showWay } from "./panels.js";
import { SIDES, positionInWords, sources, verdict } from "./words.js";

const REPETITIONS = 3;
/** Milliseconds between two questions whether a certificate has been verified. */
const VERIFYING = 500;

/** The game under way: where it begins, its moves, the position after each, and which is shown. */
const game = { site: null, all: [], certificates: [], name: "", start: "", moves: [], fens: [], at: 0 };
/** What is known of the position that is shown. */
let answer = null;
/** Grows with everything that is begun: what is answered later than it was asked for is dropped. */
let turn = 0;

const board = new Board($("board"), choose, say);

function say(text, isError = false) {
  $("status").textContent = text;
  $("status").classList.toggle("error", isError);
}

/** Does something that the server may refuse, and says so then. */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    say(error.message, true);
  }
}

const fenAt = (at) => (at ? game.fens[at - 1] : game.start);
const hasProof = () => game.certificates.length > 0;

/** Whether the game is a draw because a position has come up three times. */
function isRepeated() {
  const fen = fenAt(game.at);
  const seen = [game.start, ...game.fens.slice(0, game.at)].filter((other) => other === fen);
  return seen.length >= REPETITIONS;
}

/** Shows the position that is current, and lets the other side move if it is its turn. */
async function show() {
  const asked = ++turn;
  const fen = fenAt(game.at);
  $("board").dataset.state = "waiting";
  const known = await get(`api/${game.site.board}/position`, { fen });
  if (asked !== turn) return;
  answer = known;
  const isOver = !answer.moves.length || isRepeated();
  const isMine = $("side").value === "both" || $("side").value === fen[0];
  const names = isOver || !isMine ? [] : answer.moves.map((move) => move.move);
  board.show(fen, names, game.at ? game.moves[game.at - 1] : null);
  showKnown();
  if (isOver) {
    $("board").dataset.state = "over";
    return say(result());
  }
  if (!isMine && game.at === game.moves.length) {
    say(`${SIDES[fen[0]]} to move: the server answers`);
    return reply(asked);
  }
  say(`${SIDES[fen[0]]} to move`);
  $("board").dataset.state = "yours";
  if (!performance.getEntriesByName("usable").length) performance.mark("usable");
}

function result() {
  if (answer.moves.length) return "A draw: the position has come up three times";
  return verdict(answer, hasProof());
}

function showKnown() {
  const fen = fenAt(game.at);
  $("verdict").textContent = verdict(answer, hasProof());
  const from = sources(answer);
  $("because").textContent = from ? `Known from: ${from}` : "";
  $("in-words").textContent = positionInWords(fen);
  $("board").setAttribute("aria-label", `Board. ${positionInWords(fen)}`);
  showMoves(answer, hasProof(), (move) => attempt(() => play(move)), (name) => board.point(name));
  showGame(game.moves, game.start[0], game.at, (at) => attempt(() => go(at)));
  $("fen").value = fen;
  $("first").disabled = $("back").disabled = game.at === 0;
  $("last").disabled = $("forth").disabled = game.at === game.moves.length;
  if ($("way-box").open) attempt(() => showWay(game.site.board, fen));
}

/** The other side's move. */
async function reply(asked) {
  const { site, name, start, moves } = game;
  const found = await post(`api/${site.board}/reply`, { game: name, start, moves });
  if (asked !== turn || !found.move) return;
  push(found);
  await show();
  if ($("board").dataset.state === "yours") {
    say(`${SIDES[found.fen[0] === "B" ? "W" : "B"]} plays ${found.move} (${found.says}). Your move`);
  }
}

function push(move) {
  game.moves.splice(game.at, Infinity, move.move);
  game.fens.splice(game.at, Infinity, move.fen);
  game.at += 1;
}

async function play(move) {
  if (isRepeated()) return say(result());
  push(move);
  await show();
}

/** A move on the board, or several between which only the list can choose. */
function choose(names) {
  if (names.length > 1) return say(`Several captures end there: choose one of ${names.join(", ")} in the list`);
  return attempt(() => play(answer.moves.find((move) => move.move === names[0])));
}

async function go(at) {
  game.at = Math.max(0, Math.min(at, game.moves.length));
  await show();
}

/** Begins a game, with moves that were made before, the last of them shown. */
async function begin({ name, start, moves = [], fens = [] }) {
  Object.assign(game, { name, start, moves, fens, at: moves.length });
  await show();
}

/** The game of the first certificate of the board, or of the board. */
function usual() {
  const first = game.certificates[0];
  return first ? { name: first.game, start: first.start } : { name: game.site.game, start: game.site.start };
}

/** Shows what the first certificate of the board claims, and asks again while it is verified. */
function showClaim() {
  const { site } = game;
  game.certificates = game.all.filter(({ root }) => site.certificates.includes(root));
  const first = game.certificates[0];
  const ofStart = first && first.game === site.game && first.start === site.start;
  $("claim").textContent = first ? claim(first, ofStart) : "No certificate of this board is served.";
  if (first?.verified?.state !== "running") return;
  setTimeout(() => attempt(async () => {
    game.all = await get("api/certificates");
    if (game.site === site) showClaim();
  }), VERIFYING);
}

async function setBoard(site) {
  game.site = site;
  board.resize(site.rows, site.columns);
  showClaim();
  showProofs(game.certificates);
  $("slices").replaceChildren();
  if ($("slices-box").open) attempt(() => showSlices(site.board));
  await begin(usual());
}

function listen(boards) {
  const on = (id, event, work) => $(id).addEventListener(event, () => attempt(work));
  on("boards", "change", () => setBoard(boards[$("boards").selectedIndex]));
  on("first", "click", () => go(0));
  on("back", "click", () => go(game.at - 1));
  on("forth", "click", () => go(game.at + 1));
  on("last", "click", () => go(game.moves.length));
  on("new", "click", () => begin(usual()));
  on("turn", "click", () => board.turn());
  on("side", "change", () => {
    if (($("side").value === "B") !== board.turned && $("side").value !== "both") board.turn();
    return show();
  });
  on("set-fen", "click", async () => {
    const { fen } = await get(`api/${game.site.board}/position`, { fen: $("fen").value });
    await begin({ name: game.site.game, start: fen });
  });
  on("set-pdn", "click", async () => {
    const read = await post(`api/${game.site.board}/pdn`, { pdn: $("pdn").value });
    await begin({ ...read, name: read.game });
    if (read.fault) say(`The rest is left out: ${read.fault}`, true);
  });
  on("get-pdn", "click", async () => {
    const { site, name, start, moves } = game;
    $("pdn").value = (await post(`api/${site.board}/game`, { game: name, start, moves })).pdn;
  });
  on("way-box", "toggle", () => $("way-box").open && showWay(game.site.board, fenAt(game.at)));
  on("slices-box", "toggle", () => $("slices-box").open && showSlices(game.site.board));
  document.addEventListener("keydown", (event) => {
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey) return;
    const keys = { ArrowLeft: "back", ArrowRight: "forth", Home: "first", End: "last", t: "turn" };
    if (event.key in keys) $(keys[event.key]).click();
  });
}

attempt(async () => {
  const [boards, certificates] = await Promise.all([get("api/boards"), get("api/certificates")]);
  $("boards").replaceChildren(...boards.map(({ board: name }) => element("option", name)));
  // The board of the first certificate is shown first.
  const first = Math.max(0, boards.findIndex((site) => site.certificates.includes(certificates[0]?.root)));
  $("boards").selectedIndex = first;
  game.all = certificates;
  listen(boards);
  await setBoard(boards[first]);
});
