#!/usr/bin/env python3
"""strange.py DIR: certificates for `agree`, each right but for what it tries: games that do not exist,
and more nodes than a stack has room for. White has no piece and is to move, so Black does not lose."""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "reference"))
from files import digest  # noqa: E402
from wire import encode  # noqa: E402

GAMES = ["3x3/1", "4x4", "5x3", "7x7/3", "8x8/4"]
NO_GAMES = ["4x4/0", "4x4/1", "4x4/3", "4x4/50", "5x8", "2x62", "62x62", "2x2", "3x9", "9x3", "3x3", "3x3/0", "3x3/2",
            "8x8/3", "8x8/5", "04x4", "+4x4", "4x4/", "4x4/02", "4_0x4", "0x4x4", "8x1", "4x4x4"]
# BLAKE3 of the object below, which takes the functions of `reference/` a minute.
MANY, OF_MANY = 1_500_000, "63d9aa9f60cf35154252a620278f68f78e789b16d59415cb69404f793b7e48b0"

def write(folder, game, start, objects=()):
    """A certificate that Black does not lose. Objects have a count, a length and a digest."""
    (folder / "objects").mkdir(parents=True)
    lines = ("draughtproof certificate 1", "rules english-checkers-1", f"game {game}", f"start {start}",
             "value BLACK-NOT-LOST", "pieces 0", "database none", "")
    claim = "\n".join(lines).encode()
    (folder / "CLAIM").write_bytes(claim)
    records = [bytes(3) + encode(count) + encode(length) + hashed for count, length, hashed in objects]
    parts = [b"DPCERT\0\0\1\0\0\0", encode(len(claim)), digest(claim), encode(len(records)), *records]
    (folder / "MANIFEST").write_bytes(b"".join(parts))

def many():
    """An object of And nodes: Black has men, White has nothing and is to move."""
    nodes = (struct.pack("<5IBBH", black, 0, 0, 0, 0, 1, 2, 0) for black in range(1, MANY + 1))
    return b"DPNODES\0\1\0\0\0" + bytes(2) + encode(MANY) + b"".join(nodes)

def main(directory):
    for kind, games in (("games", GAMES), ("no-games", NO_GAMES)):
        for number, game in enumerate(games):
            write(directory / kind / str(number), game, "W:W:B1")
        (directory / kind / "list").write_text("".join(f"{number} {game}\n" for number, game in enumerate(games)))
    nodes = many()
    write(directory / "many", "8x8", "W:W:B1", [(MANY, len(nodes), bytes.fromhex(OF_MANY))])
    (directory / "many" / "objects" / OF_MANY).write_bytes(nodes)

if __name__ == "__main__":
    main(Path(sys.argv[1]))
