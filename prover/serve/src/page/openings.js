// Openings that have a name or a number, and what is published and proved of them.

import { get } from "./ask.js";
import { $, CLAIMS, element } from "./panels.js";

const PUBLISHED = {
  draw: "a draw", "not-draw": "won for one side", "white-not-lost": "not lost for White", "white-wins": "won for White",
};

/** What is known of an opening, in words. */
function inWords({ name, published, class: kind, certified }) {
  const known = certified ? ` is ${CLAIMS[certified.value]}, says a certificate${certified.served ? " that is served here" : ` (root ${certified.root.slice(0, 8)}…)`}` :
    published ? `${kind ? ` (${kind})` : " of the solution of 2007"} is published as ${PUBLISHED[published]}` : "";
  return name + known;
}

export class Openings {
  /** The openings of a board, which are asked for when they are needed. */
  async of(board) {
    if (this.board !== board) Object.assign(this, { board, all: get(`api/${board}/openings`) });
    return this.all;
  }

  /** Says which opening a game is: `fens` are its positions up to the one that is shown. */
  async name(board, fens) {
    if (fens.length < 2 && !fens[0].startsWith("W")) return "";
    const all = await this.of(board);
    const last = (has) => fens.findLastIndex((fen) => all.some((opening) => opening.fen === fen && has(opening)));
    const isNumber = (opening) => opening.published || opening.certified;
    const at = [last((opening) => !isNumber(opening)), last(isNumber)];
    const named = all.filter(({ fen }) => at.some((place) => fen === fens[place])).map(inWords);
    const first = all.find((opening) => opening.published && !opening.class && opening.fen === fens[at[1]]);
    const later = first ? all.filter(({ name, certified }) => certified && name.startsWith(`${first.name} after`)) : [];
    return [...named, ...later.map(inWords)].map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`).join(" ");
  }

  /** Fills the list of openings to choose from. */
  async list(board) {
    const all = await this.of(board);
    const groups = [
      ["Certified", ({ certified }) => certified],
      ["Solution of 2007", (opening) => opening.published && !opening.class],
      ["Names", (opening) => !opening.published && !opening.certified],
      ["Three-move ballots", (opening) => opening.class],
    ].map(([label, has]) => {
      const group = element("optgroup", "", { label });
      group.append(...all.filter(has).map((opening) => element("option", `${opening.name}: ${opening.moves}`, { value: opening.moves })));
      return group;
    });
    $("openings").replaceChildren(element("option", all.length ? "Choose one" : "None of this board", { value: "" }), ...groups);
  }
}
