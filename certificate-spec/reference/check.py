#!/usr/bin/env python3
"""Checks a certificate, or a database alone, in the order of SPEC §9: slowly, and as SPEC.md says it."""

import argparse
import os
import stat
import struct
import sys
from bisect import bisect

from certificate import ASSUMED, Claim, Question, read_game, read_manifest
from database import UNKNOWN, Database, order, shapes
from hashing import derive_key, digest
from rules import write_fen
from slice_file import decode
from verdict import Fields, Verdict, declined, error, need_directory, read, require


def list_directory(path, prefix=b""):
    """The kind of each entry, by name."""
    path = os.fsencode(path)
    return {prefix + name: os.lstat(os.path.join(path, name)).st_mode for name in os.listdir(path)}


def check_listing(wanted, found, prefix=""):
    """§3: the entries wanted, by name and kind, and no others; what is missing first."""
    for name in sorted(wanted) + sorted(found):
        good = name in wanted and stat.S_IFMT(found.get(name, 0)) == wanted[name]
        require(good, "listing", prefix.encode() + name)


def read_database_manifest(data, board, file):
    """§8.4: N, and length and digest by slice."""
    f = Fields(data, "database-manifest", file)
    f.head(b"DPEGDB\0\0", 0)
    rows, columns, pieces = f.take("B"), f.take("B"), f.take("B")
    f.expect(bytes(1))
    n = f.take("Q")
    f.expect(bytes(8))
    f.agree(32 + 48 * n == len(data), 32)
    found, before = [], ()
    for at in range(32, len(data), 48):
        shape = tuple(f.take("4s"))
        f.expect(bytes(4))
        found.append((shape, (f.take("Q"), f.take("32s"))))
        f.agree(sum(shape) <= pieces and before < order(shape), at)
        before = order(shape)
    f.agree((rows, columns) == (board.rows, board.columns), 12)
    f.agree(2 <= pieces <= board.squares, 14)
    for i, (wanted, (shape, _)) in enumerate(zip(shapes(board, pieces) + [None], found + [(None, None)])):
        f.agree(shape == wanted, 32 + 48 * i)
    return pieces, dict(found)


def check_database(board, database, root, arguments):
    """§8, in the order of §9. The database made for a claim, or None for all that there is; returned with
    its values, and its root."""
    directory, file = os.path.join(arguments.db, board.name), f"{board.name}/MANIFEST"
    need_directory(directory)
    data = read(directory, "MANIFEST", file)
    most, records = read_database_manifest(data, board, file)
    database = database or Database(board, arguments.pieces or most)
    pieces, n = database.pieces, len(database.slices)
    require(pieces <= most, "database-manifest", file, offset=14, expected=pieces, found=most)
    part = data[:14] + struct.pack("<BBQ", pieces, 0, n) + data[24:32 + 48 * n]
    found = derive_key("draughtproof database root 0", part).hex()
    require(root in (None, found), "database-root", file, expected=root, found=found)
    names = [b"MANIFEST"] + [b"%d-%d-%d-%d" % shape for shape in records]
    check_listing(dict.fromkeys(names, stat.S_IFREG), list_directory(directory), board.name + "/")
    database.make_tables()
    entries = {}
    for shape, piece_slice in database.slices.items():
        file = f"{board.name}/{piece_slice.name}"
        data = read(arguments.db, file, file)
        require((len(data), digest(data)) == records[shape], "slice-hash", file)
        entries[piece_slice] = file, decode(database, piece_slice, data, file)
    check_values(database, entries, arguments.level == "exact")
    return database, found


def check_values(database, entries, exact):
    """§8.5: every value that the files have."""
    stored = database.values
    if exact:
        database.values = bytearray([UNKNOWN]) * database.size
    else:
        database.capture()
    for (a, b, c, d), piece_slice in database.slices.items():
        twin = database.slices[c, d, a, b]
        if exact and twin.base >= piece_slice.base:
            database.derive({piece_slice, twin})
        file, offsets = entries[piece_slice]
        units = piece_slice.units()
        for index, position in piece_slice.positions():
            here = piece_slice.base + index
            if database.quiet[here]:
                value = database.values[here] if exact else database.follows(position)
                if value != stored[here]:
                    place = {"offset": offsets[bisect(units, index) - 1], "position": write_fen(position)}
                    require(False, "slice-value", file, **place, expected=value, found=stored[here])


def check_certificate(arguments):
    directory, level = arguments.certificate, arguments.level
    need_directory(directory)
    text = read(directory, "CLAIM", "CLAIM")
    claim = Claim(text)
    if claim.pieces and level == "consistent" and max(claim.questions) >= 2:
        raise declined("level", "CLAIM", "exact", level)
    manifest = read(directory, "MANIFEST", "MANIFEST")
    sealed, records = read_manifest(manifest, claim.questions)
    require(sealed == (len(text), digest(text)), "claim-hash", "CLAIM")
    names = [b"CLAIM", b"MANIFEST"] + [b"objects/%s" % record[-1].hex().encode() for record in records]
    wanted, found = dict.fromkeys(names, stat.S_IFREG), list_directory(directory)
    is_there = stat.S_ISDIR(found.get(b"objects", 0))
    if is_there:
        found.update(list_directory(os.path.join(directory, "objects"), b"objects/"))
    if is_there or records:
        wanted[b"objects"] = stat.S_IFDIR
    check_listing(wanted, found)
    database = Database(claim.board, claim.pieces)
    questions = {number: Question(number, claim.board, database) for number in claim.questions}
    for record in records:
        file = f"objects/{record[-1].hex()}"
        questions[record[1]].read_object(record, read(directory, file, file), file)
    for question in questions.values():
        question.number_leaves()
    if claim.pieces:
        check_database(claim.board, database, claim.database, arguments)
    positions = sum(question.check(claim.start) for question in questions.values())
    kinds = [node[1] for question in questions.values() for node in question.nodes]
    leaves, assumed = sum(len(question.leaves) for question in questions.values()), kinds.count(ASSUMED)
    root = derive_key("draughtproof certificate root 0", manifest).hex()
    claimed = {"start": claim.shown_start, "root": root, "db": level if claim.pieces else "none",
               "pieces": claim.pieces, "db-root": claim.database, "nodes": len(kinds), "leaves": leaves,
               "positions": positions}
    if assumed:
        return Verdict(2, f"CONDITIONAL {claim.value} {claim.game}", **claimed, assumed=assumed)
    return Verdict(0, f"VERIFIED {claim.value} {claim.game}", **claimed)


def check_alone(arguments):
    read = read_game(arguments.game)
    if not read or arguments.pieces is not None and not 2 <= arguments.pieces <= read[0].squares:
        raise error("usage: no such board or number of pieces")
    database, root = check_database(read[0], None, None, arguments)
    return Verdict(0, f"VERIFIED DATABASE {read[0].name}", pieces=database.pieces, **{"db-root": root},
                   db=arguments.level, slices=len(database.slices), indices=database.size)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise error(f"usage: {message}")


def main():
    parser = Parser(description=__doc__, allow_abbrev=False)
    parser.add_argument("certificate", nargs="?", help="the certificate's directory")
    parser.add_argument("--game", help="check the database of this board and no certificate")
    parser.add_argument("--pieces", type=int, help="check the database for at most so many pieces only")
    parser.add_argument("--db", default="egdb", help="the directory of databases")
    parser.add_argument("--level", choices=("exact", "consistent"), default="exact")
    parser.add_argument("--threads", help="ignored: there is one")
    try:
        arguments = parser.parse_args()
        if bool(arguments.certificate) == bool(arguments.game) or arguments.certificate and arguments.pieces:
            raise error("usage: a certificate, or --game and perhaps --pieces")
        verdict = check_alone(arguments) if arguments.game else check_certificate(arguments)
    except Verdict as ended:
        verdict = ended
    except (OSError, MemoryError) as problem:
        verdict = error(f"{problem or 'out of memory'}")
    line = verdict.line.encode() + b"\n"
    try:
        return verdict.status if os.write(1, line) == len(line) else 4
    except OSError:
        return 4


if __name__ == "__main__":
    sys.exit(main())
