// The page: a game on one board, what is known of its positions, and who moves next.

import { get, post } from "./ask.js";
import { addressOf, copy, fromAddress, save } from "./address.js";
import { mark, showAnalysis } from "./analysis.js";
import { Board } from "./board.js";
import { Openings } from "./openings.js";
import { $, claim, element, showGame, showMoves, showProofs, showSlices, showWay } from "./panels.js";
import { setUpBox } from "./setup.js";
import { asked as marked, isOpen, solve } from "./solved.js";
import { showQuestions, showWhy } from "./why.js";
import { SIDES, estimate, positionInWords, sources, verdict } from "./words.js";

const REPETITIONS = 3;
/** Milliseconds between two questions whether a certificate has been verified. */
const VERIFYING = 500;

/** The game under way: where it begins, its moves, the position after each, and which is shown. */
const game = { site: null, all: [], certificates: [], name: "", start: "", moves: [], fens: [], at: 0, pdn: null, analysis: null };
/** What is known of the position that is shown. */
let answer = null;
/** Grows with everything that is begun: what is answered later than it was asked for is dropped. */
let turn = 0;

const openings = new Openings();
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
  const isOver = !known.moves.length || isRepeated();
  answer = isOver ? known : marked(known);
  const isMine = $("side").value === "both" || $("side").value === fen[0];
  const names = isOver || !isMine ? [] : answer.moves.map((move) => move.move);
  board.show(fen, names, game.at ? game.moves[game.at - 1] : null);
  history.replaceState(null, "", link(game.at));
  showKnown();
  attempt(showOpening);
  if (!isOver && isOpen(known)) attempt(() => solveOpen(known, asked));
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

/** Shows what the server solves of the moves that have no value. */
async function solveOpen(known, asked) {
  await solve(game.site.board, known, (solved) => {
    if (asked !== turn) return false;
    const isNews = JSON.stringify(solved) !== JSON.stringify(answer);
    answer = solved;
    if (isNews) showValues();
    return true;
  });
}

function result() {
  if (answer.moves.length) return "A draw: the position has come up three times";
  return verdict(answer, hasProof());
}

function showValues() {
  $("verdict").textContent = verdict(answer, hasProof());
  const from = sources(answer);
  $("because").textContent = from ? `Known from: ${from}` : estimate(answer);
  showMoves(answer, hasProof(), (move) => attempt(() => play(move)), (name) => board.point(name));
}

function showKnown() {
  const fen = fenAt(game.at);
  showValues();
  $("in-words").textContent = positionInWords(fen);
  $("board").setAttribute("aria-label", `Board. ${positionInWords(fen)}`);
  const goTo = (at) => attempt(() => go(at));
  const marks = new Map(game.analysis?.mistakes.map((mistake) => [mistake.ply, mark(mistake)]));
  showGame(game.moves, game.start[0], game.at, { go: goTo, link, marks });
  showAnalysis(game.analysis, game.at, goTo);
  $("fen").value = fen;
  $("first").disabled = $("back").disabled = game.at === 0;
  $("last").disabled = $("forth").disabled = game.at === game.moves.length;
  showWayAndWhy();
}

/** The address of the game after some of its moves. */
const link = (at) => addressOf({ board: game.site.board, ...game, at }, usual());

/** Names the opening of the moves up to the position that is shown. */
async function showOpening() {
  const asked = turn;
  $("opening").textContent = "";
  const text = await openings.name(game.site.board, [game.start, ...game.fens.slice(0, game.at)]);
  if (asked === turn) $("opening").textContent = text;
}

/** Shows what is open of the line to the end and of the tree. */
function showWayAndWhy() {
  const fen = fenAt(game.at);
  const asked = turn;
  const walk = (moves) => attempt(() => playAll(moves));
  if ($("way-box").open) attempt(() => showWay(game.site.board, fen, walk));
  attempt(() => showWhy(answer, walk, () => asked === turn));
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
  game.pdn = game.analysis = null;
}

async function playAll(moves) {
  if (isRepeated()) return say(result());
  moves.forEach(push);
  await show();
}

const play = (move) => playAll([move]);

/** A move on the board, or several between which only the list can choose. */
function choose(names) {
  if (names.length > 1) return say(`Several captures end there: choose one of ${names.join(", ")} in the list`);
  return attempt(() => play(answer.moves.find((move) => move.move === names[0])));
}

async function go(at) {
  game.at = Math.max(0, Math.min(at, game.moves.length));
  await show();
}

/** Begins a game, with moves that were made before, the last of them shown unless `at` says less. */
async function begin({ name, start, moves = [], fens = [], at = moves.length, text = null }) {
  Object.assign(game, { name, start, moves, fens, at: Math.max(0, Math.min(at, moves.length)) || 0, pdn: text, analysis: null });
  await show();
}

/** Begins a game at a position, if the server knows it for one. */
async function beginAt(text) {
  const { fen } = await get(`api/${game.site.board}/position`, { fen: text });
  await begin({ name: game.site.game, start: fen });
}

/** The game that the page's address names; that of the board if it names none. */
async function fromLink(wanted) {
  const { name, start } = usual();
  if (!wanted || !(wanted.start || wanted.moves.length)) return begin({ name, start });
  const asked = { game: wanted.game ?? name, start: wanted.start ?? start, moves: wanted.moves };
  try {
    const read = await post(`api/${game.site.board}/game`, asked);
    await begin({ ...read, name: read.game, at: wanted.at });
  } catch (error) {
    await begin({ name, start });
    throw new Error(`The address names no game: ${error.message}`);
  }
}

/** The moves up to the position that is shown, as PDN. */
async function pdn() {
  const { site, name, start, moves, at } = game;
  return (await post(`api/${site.board}/game`, { game: name, start, moves: moves.slice(0, at) })).pdn;
}

/** The whole game as PDN: with the remarks of the analysis, or as it was read. */
async function wholePdn() {
  const { site, name, start, moves } = game;
  return game.analysis?.pdn ?? game.pdn ?? (await post(`api/${site.board}/game`, { game: name, start, moves })).pdn;
}

/** Has the server find the mistakes of the game. */
async function analyse() {
  const asked = game.moves.join();
  say("Looking for mistakes …");
  const analysis = await post(`api/${game.site.board}/analysis`, { pdn: await wholePdn() });
  if (asked !== game.moves.join()) return;
  game.analysis = analysis;
  say(`Mistakes: ${analysis.mistakes.length}`);
  showKnown();
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

async function setBoard(site, wanted = null) {
  game.site = site;
  board.resize(site.rows, site.columns);
  showClaim();
  showProofs(game.certificates);
  showQuestions(game.certificates);
  $("slices").replaceChildren();
  if ($("openings-box").open) attempt(() => openings.list(site.board));
  if ($("slices-box").open) attempt(() => showSlices(site.board));
  await fromLink(wanted);
}

/** Shows the board and the game that the page's address names, or the board of a number. */
async function followAddress(boards, usualBoard) {
  const wanted = fromAddress();
  const named = boards.findIndex(({ board: name }) => name === wanted?.board);
  const at = named < 0 ? usualBoard : named;
  $("boards").selectedIndex = at;
  await setBoard(boards[at], named < 0 ? null : wanted);
  if (wanted && named < 0) say(`The server has no board ${wanted.board}`, true);
}

function listen(boards) {
  const on = (id, event, work) => $(id).addEventListener(event, () => attempt(work));
  window.addEventListener("hashchange", () => attempt(() => followAddress(boards, $("boards").selectedIndex)));
  for (const [id, text] of [["copy-link", () => location.href], ["copy-fen", () => fenAt(game.at)], ["copy-pdn", pdn]]) {
    on(id, "click", async () => {
      await copy(await text());
      say("Copied");
    });
  }
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
  on("set-fen", "click", () => beginAt($("fen").value));
  setUpBox(board, {
    current: () => fenAt(game.at),
    start: () => usual().start,
    begin: (fen) => attempt(async () => {
      await beginAt(fen);
      $("setup-box").open = false;
    }),
    leave: () => attempt(show),
  });
  on("set-pdn", "click", async () => {
    const read = await post(`api/${game.site.board}/pdn`, { pdn: $("pdn").value });
    // A game that was played is shown as it is: nobody replies.
    $("side").value = "both";
    await begin({ ...read, name: read.game, text: $("pdn").value });
    if (read.fault) say(`The rest is left out: ${read.fault}`, true);
  });
  on("get-pdn", "click", async () => { $("pdn").value = await wholePdn(); });
  on("pdn-file", "change", async () => {
    $("pdn").value = await $("pdn-file").files[0].text();
    $("set-pdn").click();
  });
  on("analyse", "click", analyse);
  on("save-pdn", "click", async () => save("game.pdn", await wholePdn()));
  on("openings-box", "toggle", () => $("openings-box").open && openings.list(game.site.board));
  on("openings", "change", async () => {
    const moves = $("openings").value.split(" ").filter(Boolean);
    const read = await post(`api/${game.site.board}/game`, { game: game.site.game, start: game.site.start, moves });
    await begin({ ...read, name: read.game });
  });
  for (const [id, event] of [["way-box", "toggle"], ["why-box", "toggle"], ["question", "change"]]) on(id, event, showWayAndWhy);
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
  game.all = certificates;
  listen(boards);
  await followAddress(boards, first);
});
