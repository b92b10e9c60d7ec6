#!/usr/bin/env python3
"""Draws what a terminal shows as an SVG: text on standard input, picture on standard output.

The picture of the README, from a folder without `cert` and `egdb`, with `prove` and `check` of target/release:

    { echo '$ prove --emit cert'; prove --emit cert
      echo '$ check cert'; check cert; status=$?
      echo '$ echo $?'; echo $status; } 2>&1 | docs/picture.py >docs/picture.svg

Lines that begin with `$ ` are commands, those that begin with `s ` verdicts. Those that begin with `c ` are left out.
Digests are cut to eight digits, and long lines are broken between words.
"""

import re
import sys
from html import escape

COLUMNS = 92
WIDTH, HEIGHT = 8.4, 21  # of a character, and of a line
MARGIN, BAR = 22, 38
PLAIN, DIM, PROMPT, GOOD, BAD, NAME = "#d7dce2", "#8b949e", "#79c0ff", "#56d364", "#ff7b72", "#e3b341"


def broken(line):
    """A line in pieces of at most COLUMNS characters; those after the first are indented."""
    pieces, piece = [], ""
    for word in line.split(" "):
        if piece and len(piece) + 1 + len(word) > COLUMNS:
            pieces.append(piece)
            piece = "    " + word
        else:
            piece = f"{piece} {word}" if piece else word
    return pieces + [piece]


def coloured(line, verdict):
    """Pairs of colour and text that make up a line."""
    if line.startswith("$ "):
        return [(PROMPT, "$ "), ("#ffffff", line[2:])]
    if verdict:
        good = verdict.startswith("s VERIFIED")
        parts = []
        for word in re.split(r"( )", line):
            key, equals, value = word.partition("=")
            if equals:
                parts += [(DIM, key + "="), (NAME if key.endswith("root") else PLAIN, value)]
            else:
                parts.append((GOOD if good else BAD, word))
        return parts
    return [(NAME if part.startswith("root=") else PLAIN, part) for part in re.split(r"(root=\S+)", line)]


def drawn(lines):
    """The SVG."""
    rows = []
    for line in lines:
        line = re.sub(r"\b([0-9a-f]{8})[0-9a-f]{56}\b", r"\1…", line.rstrip())
        pieces = broken(line)
        rows += [(piece, line if line.startswith("s ") else "") for piece in pieces]
    width = 2 * MARGIN + COLUMNS * WIDTH
    height = BAR + MARGIN + len(rows) * HEIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="What prove and check print">',
        f'<rect width="100%" height="100%" rx="9" fill="#161b22"/>',
        f'<path d="M0 {BAR - 8}V9a9 9 0 0 1 9-9h{width - 18:.0f}a9 9 0 0 1 9 9v{BAR - 17}z" fill="#21262d"/>',
    ]
    for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        out.append(f'<circle cx="{MARGIN + 18 * i}" cy="{(BAR - 8) / 2:.0f}" r="5.5" fill="{colour}"/>')
    out.append(
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" '
        'font-size="14" xml:space="preserve">'
    )
    for row, (line, verdict) in enumerate(rows):
        column, y = 0, BAR + HEIGHT * (row + 0.75)
        for colour, text in coloured(line, verdict):
            # Blanks are not drawn, and each word has its place and width: fonts differ.
            for word in re.finditer(r"\S+", text):
                x, length = MARGIN + (column + word.start()) * WIDTH, len(word[0]) * WIDTH
                weight = ' font-weight="bold"' if colour in (GOOD, BAD) else ""
                out.append(
                    f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" textLength="{length:.1f}" '
                    f'lengthAdjust="spacingAndGlyphs"{weight}>{escape(word[0], quote=False)}</text>'
                )
            column += len(text)
    return "\n".join(out + ["</g>", "</svg>"])


if __name__ == "__main__":
    print(drawn(line for line in sys.stdin.read().splitlines() if not line.startswith("c ")))
