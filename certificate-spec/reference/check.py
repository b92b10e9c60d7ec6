#!/usr/bin/env python3
"""Checks a certificate, or a database alone, in the order of SPEC §9: slowly, and as SPEC.md says it."""

import argparse
import os
import re
import stat
import struct
import sys
from collections import namedtuple
from functools import lru_cache
from itertools import combinations, groupby, product
from pathlib import Path

from files import (HEAD, RULES, VERSION, Fields, Unreadable, Verdict, derive_key, digest, entries, escape, read,
                   require, require_known, require_listing)
from rules import KING, bits, read_fen, read_game, write_fen

QUESTIONS = {"DRAW": (0, 1), "BLACK-NOT-LOST": (0,), "WHITE-NOT-LOST": (1,), "BLACK-WINS": (2,), "WHITE-WINS": (3,)}
ANY = "[!-~]+"
# The lines of CLAIM: how they begin, the word that follows, and the word that it must be to be known.
LINES = (("draughtproof certificate", ANY, "version", str(VERSION)), ("rules", ANY, "rules", RULES),
         ("game", ANY, "", None), ("start", ANY, "", None), ("value", "|".join(QUESTIONS), "", None),
         ("pieces", "[0-9:,]+", "", None), ("database", "none|[0-9a-f]{64}", "", None))
NODES, LEAVES, PROVENANCE = 0, 1, 2
MAGIC = {NODES: b"DPNODES\0", LEAVES: b"DPLEAVES", PROVENANCE: b"DPPROVEN"}
OR, AND, LEAF, ASSUMED = 1, 2, 3, 4
LOSS, DRAW, WIN, CODED = range(4)  # values, and what stands for a code in place of one
UNDESCRIBED = (5461, 5462, 5461)
Node = namedtuple("Node", "kind rank data place")

class Cover:
    """§8.1: clauses (N, M), at most N pieces and at most M on a side, in canonical form."""
    def __init__(self, clauses=()):
        self.clauses = list(clauses)
        self.most = max((n for n, _ in self.clauses), default=0)

    def __str__(self):
        return ",".join(f"{n}" if m == n - 1 else f"{n}:{m}" for n, m in self.clauses) or "0"

    def canonical(self):
        numbers = all(2 <= n <= 32 and 1 <= m < n <= 2 * m for n, m in self.clauses)
        return numbers and all(n < o and m > p for (n, m), (o, p) in zip(self.clauses, self.clauses[1:]))

    def admits(self, one, other):
        return min(one, other) >= 1 and any(one + other <= n and max(one, other) <= m for n, m in self.clauses)

    def includes(self, other):
        return all(any(n <= N and m <= M for N, M in self.clauses) for n, m in other.clauses)

def read_cover(text):
    """The cover with this text, or None if it is not canonical."""
    if text == "0":
        return Cover()
    parts = [re.fullmatch("([1-9][0-9]?)(?::([1-9][0-9]?))?", part) for part in text.split(",")]
    if not all(parts):
        return None
    cover = Cover((int(part[1]), int(part[2] or int(part[1]) - 1)) for part in parts)
    return cover if cover.canonical() and str(cover) == text else None

def read_claim(data):
    """§4: the words from the game on, with the board and the start that they mean."""
    at, offsets, words = 0, [], []
    for key, pattern, what, known in LINES:
        match = re.compile(f"{key} ({pattern})\n".encode()).match(data, at)
        require(match, "claim-syntax", "CLAIM", offset=at)
        offsets.append(at)
        words.append(match[1].decode())
        require_known(known in (None, words[-1]), what, "CLAIM")
        require(key != "pieces" or read_cover(words[-1]), "claim-syntax", "CLAIM", offset=at)
        at = match.end()
    _, _, game, fen, value, pieces, database = words
    (board, k), start, cover = read_game(game) or (None, 0), read_fen(fen), read_cover(pieces)
    for holds, offset in (((database == "none") == (cover.most == 0), offsets[6]), (at == len(data), at),
                          (k > 0, offsets[2]), (start, offsets[3]), (k > 0 and cover.most <= board.squares, offsets[5])):
        require(holds, "claim-syntax", "CLAIM", offset=offset)
    require(board.possible(start), "claim-start", "CLAIM", offset=offsets[3], position=fen)
    first = (sum(board.row[:k]), sum(board.row[-k:]), 0, 0)
    return board, start, game, "initial" if start == first else fen, value, cover, database

def read_manifest(data, questions):
    """§5: length and digest of CLAIM, and the records (kind, question, first, count, length, digest)."""
    f = Fields(data, "manifest-syntax", "MANIFEST", b"DPCERT\0\0")
    sealed = [f.value(Fields.varint), *f.take("32s")]
    records, before, follows = [], (0, 0), 0
    for _ in range(f.count(1 << 20, 37, 64)):
        at = f.at
        kind, question, first, count, length, stated = f.value(
            lambda f: (f.enum(3), f.enum(4), f.varint(), f.varint(), f.varint(), f.raw(32)))
        f.agree(before <= (kind, question), at)
        f.agree(first == (follows if before == (kind, question) else 0), at)
        f.agree(count >= 1 and first + count < 1 << 64, at)
        f.agree(kind != PROVENANCE or (first, count) == (0, 1), at)
        before, follows = (kind, question), first + count
        records.append((at, kind, question, first, count, length, stated))
    f.finish()
    for at, _, question, *_ in records:
        f.agree(question in questions, at)
    return sealed, [record[1:] for record in records]

def read_provenance(f):
    """§7.1. Nothing rests on it."""
    def resources():
        return f.varint(32), f.varint(32), f.varint()
    f.text()
    if f.enum(3):
        resources()
    f.text(), f.text(), f.enum(3), take_cover(f), f.varint(), f.varint(), f.option(f.varint)
    f.option(lambda: (f.varint(32), f.varint(32), f.option(lambda: f.varint(32))))
    f.sequence(f.text)
    f.sequence(lambda: (f.option(lambda: f.varint(32)), [f.varint() for _ in range(5)]))

def take_cover(f):
    cover = Cover(f.sequence(lambda: (f.u8(), f.u8())))
    if not cover.canonical():
        raise Unreadable
    return cover

def group(shape):
    """Pieces and men. Moves lead from a slice to its own group or to one before."""
    return sum(shape), shape[0] + shape[2]

def shapes(board, cover):
    """§8.1: the slices (a, b, c, d) of the database with this cover, in order."""
    most = max((m for _, m in cover.clauses), default=0) + 1
    found = product(range(min(most, board.men + 1)), range(most), range(min(most, board.men + 1)), range(most))
    fit = [(a, b, c, d) for a, b, c, d in found if cover.admits(a + b, c + d)]
    return sorted(fit, key=lambda shape: (group(shape), shape))

@lru_cache(maxsize=None)
def units(board, shape):
    """§8.3: n, and of each unit the positions with Black to move, by ascending index (§8.2)."""
    sizes = zip((board.men, board.squares) * 2, shape)
    # The ranks of sets of squares have the order of their masks.
    A, B, C, D = (sorted(map(sum, combinations([1 << x for x in range(most)], size))) for most, size in sizes)
    C, D = map(board.turned, C), [board.turned(d) for d in D]
    rows, block = list(product(A, C, D)), len(B) * len(D)
    most = 65536 // block * len(D) or max(1, 65536 // len(B))  # rows in a unit
    whole = len(rows) if block <= 65536 else len(D)  # rows that are cut into units together
    parts = (rows[i:min(i + most, start + whole)]
             for start in range(0, len(rows), whole) for i in range(start, start + whole, most))
    return len(rows) * len(B), [[(a | b, c | d, b | d, 0) for a, c, d in part if not (a & c or (a | c) & d)
                                 for b in B if not (a | c | d) & b] for part in parts]

def neighbours(board, position):
    """§8.3. A lower square, as the opponent counts, is a higher bit: the opponent is White."""
    black, white, kings, _ = position
    return [board.move((black, white, kings, 1), bit, to, 0) for bit in bits(white)
            for to, _ in board.ways[KING][bit] if to > bit and not (black | white) & to]

def decode(board, payload, contexts, unit):
    """§8.3: the values of a unit's positions; None if hash or code do not come out as they must."""
    x, at, p, q, values = int.from_bytes(payload[8:12], "little"), 12, DRAW, DRAW, {}
    for position in unit:
        if x < 1 << 16:
            return None
        near = [values.get(y) for y in neighbours(board, position)]
        l, e, w = (min(near.count(value), 3) for value in (LOSS, DRAW, WIN))
        f = contexts.get((((w * 4 + e) * 4 + l) * 3 + p) * 3 + q, UNDESCRIBED)
        m = x % 16384
        value = LOSS if m < f[0] else DRAW if m < f[0] + f[1] else WIN
        x = f[value] * (x // 16384) + m - sum(f[:value])
        if x < 1 << 16 and at + 2 <= len(payload):
            x, at = 65536 * x + int.from_bytes(payload[at:at + 2], "little"), at + 2
        values[position], p, q = value, value, p
    right = payload[:8] == digest(payload[8:])[:8] and x == 1 << 16 and at == len(payload)
    return values if right else None

def read_slice(data, board, shape, file):
    """§8.3: the offset of the unit's directory entry or 12, the position and the value, for all quiet positions."""
    f = Fields(data, "slice-syntax", file, b"DPVALUES")
    rules, *stated, coding, v, k, u = f.value(
        lambda f: (f.text(), f.u8(), f.u8(), tuple(f.raw(4)), f.varint(), *take_coding(f)), within=256)
    require_known(rules == RULES, "rules", file)
    f.agree(k <= 576, HEAD)
    start = f.at
    end = start + 24 + 6 * k + 4 * u
    f.agree(end <= len(data), HEAD)
    f.agree(f.take("24s") == [digest(data[:start] + data[start + 24:end])[:24]], start)
    contexts, before = {}, -1
    for _ in range(k):
        at = f.at
        context, loss, win = f.take("HHH")
        frequencies = loss, 16384 - loss - win, win
        f.agree(before < context < 576 and min(frequencies) >= 1 and frequencies != UNDESCRIBED, at)
        contexts[context], before = frequencies, context
    directory = [(f.at, *f.take("I")) for _ in range(u)]
    for at, entry in directory:
        f.agree(entry < CODED or entry & 3 == CODED and entry >> 2 >= 12, at)
        end += entry >> 2
    f.agree(end == len(data), min(end, len(data)))
    f.agree(stated[:3] == [board.rows, board.columns, shape], HEAD)
    n, wanted = units(board, shape)
    f.agree(stated[3] == n and (coding == 0 or u == len(wanted)), HEAD)
    found = []
    for unit, (offset, entry) in zip(wanted, directory or [(HEAD, v)] * len(wanted)):
        quiet, at = [position for position in unit if not board.captures(position)], f.at
        values = dict.fromkeys(quiet, entry)
        if entry & 3 == CODED:
            values = decode(board, *f.take(f"{entry >> 2}s"), contexts, quiet)
            f.agree(values is not None, at)
        found += [(offset, *line) for line in values.items()]
    return found

def take_coding(f):
    """How a slice is written: 0 and its only value, or 1; and the numbers of contexts and of units."""
    if f.enum(2):
        return 1, None, f.varint(32), f.varint(32)
    return 0, f.enum(3), 0, 0

def read_database_manifest(data, board, file):
    """§8.4: the cover, and length and digest by slice."""
    f = Fields(data, "database-manifest", file, b"DPEGDB\0\0")
    rules, rows, columns, cover = f.value(lambda f: (f.text(), f.u8(), f.u8(), take_cover(f)), within=256)
    require_known(rules == RULES, "rules", file)
    records, offsets, before = {}, [], ()
    for _ in range(f.count(1 << 16, 37, 46)):
        offsets.append(f.at)
        shape, length, stated = f.value(lambda f: (tuple(f.raw(4)), f.varint(), f.raw(32)))
        a, b, c, d = shape
        order = group(shape), shape
        f.agree(cover.admits(a + b, c + d) and before < order, offsets[-1])
        records[shape], before = (length, stated), order
    f.finish()
    f.agree((rows, columns) == (board.rows, board.columns), HEAD)
    f.agree(2 <= cover.most <= board.squares, HEAD)
    for at, due, shape in zip(offsets + [len(data)], shapes(board, cover) + [None], [*records, None]):
        f.agree(shape == due, at)
    return cover, records

def varint(value):
    """§3.1: an unsigned number."""
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])

def encode_database_manifest(board, cover, records):
    """§8.4: the bytes of the manifest with these slices."""
    head = b"DPEGDB\0\0" + struct.pack("<I", VERSION) + varint(len(RULES)) + RULES.encode()
    head += bytes((board.rows, board.columns)) + varint(len(cover.clauses))
    head += b"".join(bytes(clause) for clause in cover.clauses) + varint(len(records))
    return head + b"".join(bytes(shape) + varint(length) + stated for shape, (length, stated) in records)

class Database:
    """The values of all positions that the cover admits, once they are there."""
    def __init__(self, board, cover):
        self.board, self.cover, self.values = board, cover, {}  # values of positions with Black to move

    def has(self, position):
        return self.cover.admits(len(bits(position[0])), len(bits(position[1])))

    def value(self, position):
        """The value for the side to move, which has lost when it has no piece."""
        mine = self.board.twin(position) if position[3] else position
        return self.values[mine] if mine[0] else LOSS

    def replies(self, position):
        """The successors of a position with Black to move, so turned that Black is to move again."""
        return [self.board.twin(y) for y in self.board.successors(position)]

    def follows(self, replies):
        """§8.5: the value that follows from the replies': the opponent's worst is the mover's best."""
        return WIN - min((self.values[y] if y[0] else LOSS for y in replies), default=WIN)

    def derive(self, positions):
        """§8.5: a least fixed point. What nobody can force in finitely many moves is a draw to the end."""
        waiting = {position: self.replies(position) for position in positions}
        self.values.update(dict.fromkeys(waiting, DRAW))
        decided = waiting
        while decided:
            decided = {p: value for p, replies in waiting.items() if (value := self.follows(replies)) != DRAW}
            self.values.update(decided)
            waiting = {p: replies for p, replies in waiting.items() if p not in decided}

    def check(self, directory, root, exact):
        """§8.4 and §8.5, in the order of §9. Returns the root, how many slices there are, and how many indices."""
        board, name = self.board, self.board.name
        found, data = entries(os.path.join(directory, name), f"{name}/"), read(directory, f"{name}/MANIFEST")
        there, records = read_database_manifest(data, board, f"{name}/MANIFEST")
        self.cover = self.cover if self.cover.most else there
        require(there.includes(self.cover), "database-manifest", f"{name}/MANIFEST", offset=HEAD)
        slices = shapes(board, self.cover)
        part = encode_database_manifest(board, self.cover, [(shape, records[shape]) for shape in slices])
        right_root = derive_key("draughtproof database root 1", part).hex()
        require(root in (None, right_root), "database-root", f"{name}/MANIFEST")
        files = {shape: "%s/%d-%d-%d-%d" % (name, *shape) for shape in records}
        require_listing({(file.encode(), stat.S_IFREG) for file in (f"{name}/MANIFEST", *files.values())}, found)
        stated = []
        for shape in slices:
            data = read(directory, files[shape])
            require((len(data), digest(data)) == records[shape], "slice-hash", files[shape])
            stated += [(files[shape], *line) for line in read_slice(data, board, shape, files[shape])]
        # At the level exact nothing is known; else what the files say is, and there are only captures to play.
        self.values = {} if exact else {position: value for _, _, position, value in stated}
        for _, same in groupby(slices, group):
            positions = [position for shape in same for unit in units(board, shape)[1] for position in unit]
            self.derive([position for position in positions if position not in self.values])
        for file, offset, position, value in stated:
            if value != (self.values[position] if exact else self.follows(self.replies(position))):
                require(False, "slice-value", file, offset=offset, position=write_fen(position))
        return right_root, len(slices), sum(units(board, shape)[0] for shape in slices)

class Question:
    """The positions that one question's nodes and leaves are about, and what must hold for them."""
    def __init__(self, number, database):
        self.board, self.database, self.claimant, self.win = database.board, database, number % 2, number >= 2
        self.nodes = {}  # by position, in order
        self.leaves = []  # (strategy, positions stated, place)

    def read_object(self, record, data, file):  # §5, §6, §7
        kind, *stated, length, hashed = record
        require((len(data), digest(data)) == (length, hashed), "object-hash", file)
        f = Fields(data, "object-syntax", file, MAGIC[kind])
        head = f.value(lambda f: [f.enum(4), f.varint(), f.varint()])
        count, start = head[2], f.at
        if kind == NODES:
            f.agree(start + 24 * count == len(data), start)
        elif kind == LEAVES:
            f.agree(start + 16 * count <= len(data), start)
            directory = [(f.at, *f.take("QQ")) for _ in range(count)]
            for at, _, positions in directory:
                f.agree(positions >= 1, at + 8)
            for at, length, positions in directory:
                f.agree(f.at + length <= len(data), at)
                self.leaves.append((*f.take(f"{length}s"), positions, {"file": file, "offset": at}))
            f.finish()
        else:
            f.agree(len(data) <= 65536, start)
            f.value(read_provenance)
            f.finish()
        f.agree(head == stated, HEAD)
        for at in range(start, len(data), 24) if kind == NODES else ():
            self.read_node({"file": file, "offset": at}, *f.take("5I2BH"))

    def read_node(self, place, black, white, kings, rank, data, turn, kind, reserved):
        position = (black, white, kings, int(turn == 1))
        place["position"] = write_fen(position)
        known = OR <= kind <= ASSUMED and turn <= 1 and reserved == 0
        zero = (self.win or rank == 0) and (kind != AND or data == 0)
        require(known and zero, "node-syntax", **place)
        require(self.board.possible(position) and not self.database.has(position), "node-position", **place)
        require(turn == {OR: self.claimant, AND: 1 - self.claimant}.get(kind, turn), "node-turn", **place)
        require(next(reversed(self.nodes), ()) < position, "node-order", **place)
        self.nodes[position] = Node(kind, rank, data, place)

    def number_leaves(self):  # §6
        leaf_nodes = [node for node in self.nodes.values() if node.kind == LEAF]
        for number, node in enumerate(leaf_nodes):
            require(node.data == number, "leaf-number", **node.place)
        require(len(leaf_nodes) == len(self.leaves), "leaf-number", "MANIFEST")

    def holds(self, y, rank):
        """§6: whether y holds as a successor of a node of this rank, and the rule that is broken if not."""
        if self.database.has(y):
            value, ours = self.database.value(y), y[3] == self.claimant
            suits = value == (WIN if ours else LOSS) if self.win else value != (LOSS if ours else WIN)
            return suits, "database-value"
        if y in self.nodes:
            return not self.win or self.nodes[y].rank < rank, "rank"
        return y[3] != self.claimant and not self.board.successors(y), "not-covered"

    def check(self, start):
        """The start, the nodes, the leaves; how many positions the leaves expand."""
        holds, rule = self.holds(start, 1 << 32)
        require(holds, rule.replace("not-covered", "start-missing"), "CLAIM", position=write_fen(start))
        for position, node in self.nodes.items():
            visited = self.board.successors(position) if node.kind in (OR, AND) else []
            if node.kind == OR:
                require(node.data < len(visited), "move-index", **node.place)
                visited = [visited[node.data]]
            for y in visited:
                require(*self.holds(y, node.rank), **node.place)
        leaf_nodes = [(p, node.rank, node.data) for p, node in self.nodes.items() if node.kind == LEAF]
        return sum(self.replay(position, rank, *self.leaves[number]) for position, rank, number in leaf_nodes)

    def replay(self, leaf, rank, strategy, stated, place):
        """§7: how many positions the leaf expands."""
        bits = "".join(f"{byte:08b}"[::-1] for byte in strategy)
        completed = {}  # `seen`: whether a position in it is completed
        to_do = [("expand", leaf)]
        while to_do:
            step, p = to_do.pop()
            here = {**place, "position": write_fen(p)}
            if step == "complete":
                completed[p] = True
                continue
            if step == "visit":
                holds, rule = self.holds(p, rank)
                if rule != "database-value" and p in completed:
                    holds, rule = completed[p] or not self.win, "leaf-repetition"
                require(holds or rule in ("rank", "not-covered"), rule, **here)
                if holds and rule != "not-covered":
                    continue
            require(len(completed) < stated, "leaf-syntax", **here)
            completed[p], visited = False, self.board.successors(p)
            if p[3] == self.claimant:
                require(visited, "leaf-stuck", **here)
                width = max(1, (len(visited) - 1).bit_length())
                require(width <= len(bits), "leaf-syntax", **here)
                choice, bits = int(bits[:width][::-1], 2), bits[width:]
                require(choice < len(visited), "move-index", **here)
                visited = [visited[choice]]
            to_do += [("complete", p)] + [("visit", y) for y in reversed(visited)]
        used = len(completed) == stated and len(bits) < 8 and "1" not in bits
        require(used, "leaf-syntax", **place, position=write_fen(leaf))
        return len(completed)

def check_certificate(arguments):
    directory, level = arguments.certificate, arguments.level
    found, text = entries(directory), read(directory, "CLAIM")
    board, start, game, shown_start, value, cover, database_root = read_claim(text)
    require_known(not cover.most or level == "exact" or "WINS" not in value, "level", "CLAIM")
    manifest = read(directory, "MANIFEST")
    sealed, records = read_manifest(manifest, QUESTIONS[value])
    require(sealed == [len(text), digest(text)], "claim-hash", "CLAIM")
    names = ["CLAIM", "MANIFEST"] + [f"objects/{record[-1].hex()}" for record in records]
    wanted, objects = {(name.encode(), stat.S_IFREG) for name in names}, {(b"objects", stat.S_IFDIR)}
    if objects <= found:
        found |= entries(os.path.join(directory, "objects"), "objects/")
    require_listing(wanted | objects if objects <= found or records else wanted, found)
    database = Database(board, cover)
    questions = {number: Question(number, database) for number in QUESTIONS[value]}
    for record, name in zip(records, names[2:]):
        questions[record[1]].read_object(record, read(directory, name), name)
    for question in questions.values():
        question.number_leaves()
    if cover.most:
        database.check(arguments.db, database_root, level == "exact")
    positions = sum(question.check(start) for question in questions.values())
    kinds = [node.kind for question in questions.values() for node in question.nodes.values()]
    status, word = (2, "CONDITIONAL") if ASSUMED in kinds else (0, "VERIFIED")
    return Verdict(status, f"{word} {value} {game}", start=shown_start,
                   root=derive_key("draughtproof certificate root 1", manifest).hex(), format=VERSION, rules=RULES,
                   db=level if cover.most else "none", pieces=cover, db_root=database_root, nodes=len(kinds),
                   leaves=kinds.count(LEAF), positions=positions, assumed=kinds.count(ASSUMED) or None)

def check_database(arguments):
    board, _ = read_game(arguments.game) or (None, 0)
    cover = read_cover(arguments.pieces)
    if not board or not cover or cover.most > board.squares:
        sys.exit("no such board or cover")
    database = Database(board, cover)
    exact = arguments.level == "exact"
    root, slices, indices = database.check(arguments.db, None, exact)
    return Verdict(0 if exact else 5, f"{'VERIFIED' if exact else 'CONSISTENT'} DATABASE {board.name}",
                   pieces=database.cover, db_root=root, format=VERSION, rules=RULES, db=arguments.level,
                   slices=slices, indices=indices)

def attest(path, verdict):
    """§12: writes a note with the verdict, where nothing may be yet."""
    own = b"".join(Path(__file__).with_name(name).read_bytes() for name in ("check.py", "files.py", "rules.py"))
    words = verdict.line[2:]
    with open(path, "x") as note:
        note.write(f"draughtproof note 1\n{words}\nchecker draughtproof-reference 1 {digest(own).hex()}\n")

def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("certificate", nargs="?", help="the certificate's directory")
    what.add_argument("--game", help="check the database of this board and no certificate")
    parser.add_argument("--pieces", metavar="COVER", default="0", help="of a database alone, as in 6 or 7,8:4")
    parser.add_argument("--db", default="egdb", help="the directory of databases")
    parser.add_argument("--level", choices=("exact", "consistent"), default="exact")
    parser.add_argument("--attest", metavar="FILE", help="write a note with the verdict to FILE, which must not exist")
    try:
        arguments = parser.parse_args()
        try:
            verdict = check_database(arguments) if arguments.game else check_certificate(arguments)
        except Verdict as ended:
            verdict = ended
        if arguments.attest and verdict.status in (0, 1, 2, 5):
            attest(arguments.attest, verdict)
    except (OSError, MemoryError, SystemExit) as problem:
        verdict = Verdict(4, " ".join(map(escape, f"ERROR {type(problem).__name__}: {problem}".split())))
    line = verdict.line.encode() + b"\n"
    try:
        return verdict.status if os.write(1, line) == len(line) else 4
    except OSError:
        return 4

if __name__ == "__main__":
    sys.exit(main())
