// The board, the game and the position that is shown, in the part of the page's address after "#":
// so a reload shows them again, and the address can be shared.

/** What the address names: board, start, moves and how many of them are made; null for nothing. */
export function fromAddress() {
  const named = new URLSearchParams(location.hash.slice(1));
  const board = named.get("board");
  if (!board) return null;
  const moves = (named.get("moves") ?? "").split(",").filter(Boolean);
  const at = Number(named.get("at") ?? moves.length);
  return { board, game: named.get("game"), start: named.get("start"), moves, at };
}

/** The address of a position of a game. What is as usual for the board is left out. */
export function addressOf({ board, name, start, moves, at }, usual) {
  const named = new URLSearchParams({ board });
  if (name !== usual.name) named.set("game", name);
  if (start !== usual.start) named.set("start", start);
  if (moves.length) named.set("moves", moves.join(","));
  if (at !== moves.length) named.set("at", at);
  // Commas, colons and slashes need no escapes there, and are easier to read without.
  const text = named.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
  return `#${text}`;
}

/** Offers a text as a file to be kept. */
export function save(name, text) {
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  Object.assign(link, { href, download: name });
  link.click();
  URL.revokeObjectURL(href);
}

/** Copies a text to the clipboard, with a way for pages that may not write to it directly. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = document.createElement("textarea");
    box.value = text;
    document.body.append(box);
    box.select();
    const isDone = document.execCommand("copy");
    box.remove();
    if (!isDone) throw new Error("The browser does not let the page copy; select the text and copy it");
  }
}
