// The board: one SVG of squares, pieces, arrows, and a cursor for the keyboard.

import { SIDES, pieceInWords, pieces } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** Pixels that a pointer may move in a click. */
const CLICK = 6;

/** The squares that a move names, from its name in PDN. */
export const path = (name) => name.split(/[-x]/).map(Number);

export class Board {
  /** `choose(names)` gets the moves that a click or key can mean; `say` what a cursor is on. */
  constructor(svg, choose, say) {
    Object.assign(this, { svg, choose, say, turned: false, chosen: null, cursor: null, drag: null, edit: null, wrong: [] });
    svg.addEventListener("click", (event) => {
      const square = Number(event.target.dataset.square);
      if (square) this.press(square);
    });
    svg.addEventListener("pointerdown", (event) => this.grip(event));
    svg.addEventListener("pointermove", (event) => this.pull(event));
    svg.addEventListener("pointerup", (event) => this.drop(event));
    svg.addEventListener("pointercancel", () => this.letGo());
    // A finger on a piece that can move drags it; elsewhere it scrolls the page.
    svg.addEventListener("touchmove", (event) => this.drag && event.preventDefault(), { passive: false });
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("blur", () => this.moveCursor(null));
  }

  /** Sets rows and columns. Squares are the dark fields, numbered from Black's row. */
  resize(rows, columns) {
    Object.assign(this, { rows, columns, places: new Map(), chosen: null, cursor: null });
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        if ((row + column) % 2) this.places.set(this.places.size + 1, { row, column });
      }
    }
    this.svg.setAttribute("viewBox", `-0.15 -0.15 ${columns + 0.3} ${rows + 0.3}`);
    // The fields stay while all else is drawn again: a finger that drags must not lose its field.
    const fields = this.add("g", {}, undefined, this.svg);
    this.marks = this.add("g", {}, undefined, this.svg);
    this.svg.replaceChildren(fields, this.marks);
    this.add("rect", { class: "light", x: 0, y: 0, width: columns, height: rows }, undefined, fields);
    this.fields = new Map();
    for (const square of this.places.keys()) {
      const field = { class: "dark", width: 1, height: 1, "data-square": square };
      this.fields.set(square, this.add("rect", field, undefined, fields));
    }
  }

  /** Shows a position, the moves that may be made, and the move that led here. */
  show(fen, names, last) {
    Object.assign(this, { fen, names, last, hint: null });
    this.chosen = this.drag = null;
    this.draw();
  }

  /** Draws an arrow for a move; none for null. */
  point(name) {
    this.hint = name;
    this.draw();
  }

  turn() {
    this.turned = !this.turned;
    this.draw();
  }

  /** The corner of a square's field. */
  at(square) {
    const { row, column } = this.places.get(square);
    if (!this.turned) return { x: column, y: row };
    return { x: this.columns - 1 - column, y: this.rows - 1 - row };
  }

  /** The middle of a square's field. */
  center(square) {
    const { x, y } = this.at(square);
    return { x: x + 0.5, y: y + 0.5 };
  }

  draw() {
    if (!this.fen) return;
    const { squares } = pieces(this.fen);
    this.marks.replaceChildren();
    const starts = new Set(this.names.map((name) => path(name)[0]));
    const targets = new Set(this.chosen ? this.from(this.chosen).map((name) => path(name).at(-1)) : []);
    for (const square of this.places.keys()) {
      const { x, y } = this.at(square);
      const go = this.edit || starts.has(square) || targets.has(square) ? " go" : "";
      const field = this.fields.get(square);
      for (const [key, value] of Object.entries({ class: `dark${go}`, x, y })) field.setAttribute(key, value);
      if (this.wrong.includes(square)) this.add("rect", { class: "wrong", x: x + 0.04, y: y + 0.04, width: 0.92, height: 0.92 });
      if (square === this.chosen) this.add("rect", { class: "chosen", x, y, width: 1, height: 1 });
      this.add("text", { class: "number", x: x + 0.03, y: y + 0.145 }, square);
      const piece = squares.get(square);
      if (piece && square !== this.drag?.pulled) this.drawPiece(piece, x + 0.5, y + 0.5);
      const center = { cx: x + 0.5, cy: y + 0.5 };
      if (starts.has(square) && !this.chosen) this.add("circle", { class: "can", ...center, r: 0.43 });
      if (targets.has(square)) this.add("circle", { class: "target", ...center, r: 0.16 });
    }
    for (const name of [this.last, this.hint].filter(Boolean)) this.drawArrow(name);
    if (this.cursor) {
      const { x, y } = this.at(this.cursor);
      this.add("rect", { class: "cursor", x: x + 0.04, y: y + 0.04, width: 0.92, height: 0.92 });
    }
    if (this.drag?.pulled) this.drawPiece(squares.get(this.drag.pulled), this.drag.at.x, this.drag.at.y);
  }

  drawPiece({ side, king }, cx, cy) {
    this.add("circle", { class: `piece ${side}`, cx, cy, r: 0.39 });
    this.add("circle", { class: `ring ${side}`, cx, cy, r: 0.29 });
    if (king) {
      const points = "-.2,.14 -.24,-.12 -.11,.01 0,-.18 .11,.01 .24,-.12 .2,.14";
      this.add("polygon", { class: `crown ${side}`, points, transform: `translate(${cx} ${cy})` });
    }
  }

  drawArrow(name) {
    const points = path(name).map((square) => this.at(square)).map(({ x, y }) => [x + 0.5, y + 0.5]);
    const [[ax, ay], [bx, by]] = points.slice(-2);
    const angle = Math.atan2(by - ay, bx - ax);
    // The line ends within the head.
    const end = [bx - 0.3 * Math.cos(angle), by - 0.3 * Math.sin(angle)];
    this.add("polyline", { class: "arrow", points: [...points.slice(0, -1), end].join(" ") });
    const turn = `translate(${bx} ${by}) rotate(${(angle * 180) / Math.PI})`;
    this.add("polygon", { class: "arrow-head", points: "0,0 -.34,-.17 -.34,.17", transform: turn });
  }

  add(name, attributes, text, parent = this.marks) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  from(square) {
    return this.names.filter((name) => path(name)[0] === square);
  }

  /** A square is clicked, a piece is dropped there, or Enter is pressed on it. */
  press(square) {
    if (this.edit) return this.edit(square);
    const meant = this.chosen ? this.from(this.chosen).filter((name) => path(name).at(-1) === square) : [];
    if (meant.length) return this.choose(meant);
    const hint = this.whyNot(square);
    if (hint) this.say(hint);
    this.chosen = this.from(square).length ? square : null;
    this.draw();
  }

  /** Why nothing can be done with a square; nothing if it can, or if it is not the user's turn. */
  whyNot(square) {
    if (!this.names.length || this.from(square).length || square === this.chosen) return null;
    const { turn, squares } = pieces(this.fen);
    const captures = this.names.some((name) => name.includes("x"));
    const rule = captures ? "A capture must be made" : "Pieces go forward to the next empty square, kings back, too";
    const piece = squares.get(square);
    if (piece && piece.side !== turn) return `It is ${SIDES[turn]}'s turn`;
    if (piece && captures) return `A capture must be made, and the piece on ${square} has none`;
    if (piece) return `The piece on ${square} has no move`;
    return this.chosen ? `The piece on ${this.chosen} cannot go to ${square}. ${rule}` : "Choose a piece with a ring first";
  }

  /** A place on the board, in squares from its upper left corner. */
  place({ clientX, clientY }) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  /** The square at a place; undefined if there is none. */
  squareAt({ x, y }) {
    const turned = (n, all) => (this.turned ? all - 1 - n : n);
    const [row, column] = [turned(Math.floor(y), this.rows), turned(Math.floor(x), this.columns)];
    return [...this.places].find(([, place]) => place.row === row && place.column === column)?.[0];
  }

  /** A pointer goes down on a piece that can move: it may be dragged. */
  grip(event) {
    const square = this.squareAt(this.place(event));
    if (event.button || this.edit || !square || !this.from(square).length) return;
    this.drag = { square, pulled: null, from: [event.clientX, event.clientY] };
  }

  pull(event) {
    if (!this.drag?.from) return;
    const [x, y] = this.drag.from;
    if (!this.drag.pulled) {
      if (Math.hypot(event.clientX - x, event.clientY - y) < CLICK) return;
      this.svg.setPointerCapture(event.pointerId);
      this.drag.pulled = this.chosen = this.drag.square;
    }
    this.drag.at = this.place(event);
    this.draw();
  }

  drop(event) {
    if (!this.drag?.pulled) {
      this.drag = null;
      return;
    }
    const square = this.squareAt(this.place(event));
    const isMove = this.from(this.chosen).some((name) => path(name).at(-1) === square);
    // The piece stays where it was dropped until the position after the move is shown.
    if (isMove) this.drag = { pulled: this.drag.pulled, at: this.center(square) };
    else this.drag = null;
    if (square && square !== this.chosen) this.press(square);
    else this.draw();
  }

  letGo() {
    if (!this.drag) return;
    this.drag = null;
    this.draw();
  }

  key(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -2], ArrowRight: [0, 2] };
    if (event.key in steps) {
      const sign = this.turned ? -1 : 1;
      this.step(...steps[event.key].map((n) => n * sign));
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.cursor) this.press(this.cursor);
    } else if (event.key === "Escape") {
      this.chosen = null;
      this.draw();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moves the cursor by rows and columns, to the nearest square of that row. */
  step(rows, columns) {
    if (!this.cursor) return this.moveCursor(this.names.length ? path(this.names[0])[0] : 1);
    const here = this.places.get(this.cursor);
    const [row, column] = [here.row + rows, here.column + columns];
    const away = (place) => Math.abs(place.column - column);
    const there = [...this.places].filter(([, place]) => place.row === row && away(place) <= 1);
    if (there.length) this.moveCursor(there[0][0]);
  }

  moveCursor(square) {
    this.cursor = square;
    this.draw();
    if (square) this.say(`Square ${square}: ${pieceInWords(pieces(this.fen).squares.get(square))}`);
  }
}
