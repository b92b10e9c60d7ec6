#!/usr/bin/env python3
"""Checks a certificate, or a database alone, in the order of SPEC §9: slowly, and as SPEC.md says it."""

import argparse
import os
import re
import stat
import sys
from collections import namedtuple
from functools import lru_cache
from itertools import combinations, groupby, product
from pathlib import Path

import covers
from covers import admits, cover, most_pieces
from files import Verdict, derive_key, digest, entries, escape, read, require, require_known, require_listing
from rules import KING, bits, read_fen, read_game, write_fen
from wire import (HEAD, REBUILD, REMAKE, VERSION, Fields, encode, enum, one_of, option, raw, sequence, struct, text,
                  u8, u32, u64)

NAME = "draughtproof-reference 0.1.0"  # in notes
RULES = "english-checkers-1"
FORMAT = {"format": VERSION, "rules": RULES}  # in verdicts

QUESTIONS = {"DRAW": (0, 1), "BLACK-NOT-LOST": (0,), "WHITE-NOT-LOST": (1,), "BLACK-WINS": (2,), "WHITE-WINS": (3,)}
ANY = "[!-~]+"
# The lines of CLAIM: how they begin, and the word that follows.
LINES = {"draughtproof certificate": ANY, "rules": ANY, "game": ANY, "start": ANY, "value": "|".join(QUESTIONS),
         "pieces": "[0-9:,]+", "database": "none|[0-9a-f]{64}"}
NODES, LEAVES, PROVENANCE = range(3)
DATABASE_MAGIC = b"DPEGDB\0\0"
MAGIC = {NODES: b"DPNODES\0", LEAVES: b"DPLEAVES", PROVENANCE: b"DPPROVEN"}
OR, AND, LEAF, ASSUMED = 1, 2, 3, 4
LOSS, DRAW, WIN, CODED = range(4)  # values, and what stands for a code in place of one
UNDESCRIBED = (5461, 5462, 5461)
# Types of items (§5, §7.1, §8.3, §8.4).
HASH, RESOURCES, THRESHOLDS = raw(32), struct(u32, u32, u64), struct(u32, u32, option(u32))
OBJECT = struct(one_of(3), one_of(4), u64, u64, u64, HASH)
OBJECT_HEAD = struct(one_of(4), u64, u64)
MODE = enum((), (RESOURCES,), (RESOURCES,))
REQUEST = struct(text, text, one_of(3), cover, u64, u64, option(u64), option(THRESHOLDS), sequence(text))
ITERATION = struct(option(u32), u64, u64, u64, u64, u64)
PROOF = struct(text, MODE, REQUEST, sequence(ITERATION))
DATABASE_HEAD = struct(text, u8, u8, cover)
SLICE = struct(raw(4), u64, HASH)
SLICE_HEAD = struct(text, u8, u8, raw(4), u64, enum((one_of(3),), (u32, u32)))
Node = namedtuple("Node", "kind rank data place")

def read_claim(data):
    """§4: the words from the game on, with the board and the start that they mean."""
    at, offsets, words = 0, [], []
    for key, pattern in LINES.items():
        match = re.compile(f"{key} ({pattern})\n".encode()).match(data, at)
        word = match[1].decode() if match else ""
        known = key != "pieces" or word == covers.write(covers.parse(word) or ())
        require(match and known, "claim-syntax", "CLAIM", offset=at)
        require_known(at > 0 or word == str(VERSION), "version", "CLAIM", f"{VERSION} ({REMAKE})")
        require_known(key != "rules" or word == RULES, "rules", "CLAIM")
        offsets.append(at)
        words.append(word)
        at = match.end()
    _, _, game, fen, value, pieces, database = words
    (board, k), start, pieces = read_game(game) or (None, 0), read_fen(fen), covers.parse(pieces)
    for holds, offset in (((database == "none") == (pieces == ()), offsets[6]), (at == len(data), at),
                          (k > 0, offsets[2]), (start, offsets[3]),
                          (k > 0 and most_pieces(pieces) <= board.squares, offsets[5])):
        require(holds, "claim-syntax", "CLAIM", offset=offset)
    require(board.possible(start), "claim-start", "CLAIM", offset=offsets[3], position=fen)
    first = (sum(board.row[:k]), sum(board.row[-k:]), 0, 0)
    return board, start, game, "initial" if start == first else fen, value, pieces, database

def read_manifest(data, questions):
    """§5: length and digest of CLAIM, and the records (kind, question, first, count, length, digest)."""
    f = Fields(data, "manifest-syntax", "MANIFEST", b"DPCERT\0\0", REMAKE)
    sealed = [f.item(u64), *f.take("32s")]
    offsets, records, before, follows = [], [], [], 0
    for _ in range(f.count(1 << 20, (37, 64))):
        offsets.append(f.at)
        *which, first, count, _, _ = one = f.item(OBJECT)
        follows = follows if before == which else 0
        most = 1 if which[0] == PROVENANCE else (1 << 64) - 1
        f.agree(before <= which and first == follows and count >= 1 and first + count <= most, offsets[-1])
        before, follows = which, first + count
        records.append(one)
    f.end()
    for offset, (_, question, *_) in zip(offsets, records):
        f.agree(question in questions, offset)
    return sealed, records

def group(shape):
    """Pieces and men. Moves lead from a slice to its own group or to one before."""
    return sum(shape), shape[0] + shape[2]

def shapes(board, pieces):
    """§8.1: the slices (a, b, c, d) of the database with this cover, in order."""
    most = most_pieces(pieces)
    found = product(range(min(most, board.men + 1)), range(most), range(min(most, board.men + 1)), range(most))
    fit = [(a, b, c, d) for a, b, c, d in found if admits(pieces, a + b, c + d)]
    return sorted(fit, key=lambda shape: (group(shape), shape))

@lru_cache(maxsize=None)
def units(board, shape):
    """§8.3: n, and of each part of each unit the positions with Black to move, by ascending index (§8.2)."""
    sizes = zip((board.men, board.squares) * 2, shape)
    # The ranks of sets of squares have the order of their masks.
    A, B, C, D = (sorted(map(sum, combinations([1 << x for x in range(most)], size))) for most, size in sizes)
    C, D = map(board.turned, C), [board.turned(d) for d in D]
    blocks = list(product(A, C))
    columns = min(len(B), 256)
    rows = min(len(D), 4096 // columns)
    count = 4096 // (rows * columns)  # blocks of a part
    parts = [[(a | b, c | d, b | d, 0) for a, c in blocks[i:i + count] for d in D[j:j + rows]
              if not (a & c or (a | c) & d) for b in B[k:k + columns] if not (a | c | d) & b]
             for i in range(0, len(blocks), count) for j in range(0, len(D), rows) for k in range(0, len(B), columns)]
    return len(blocks) * len(D) * len(B), [parts[i:i + 16] for i in range(0, len(parts), 16)]

def neighbours(board, position):
    """§8.3. A lower square, as the opponent counts, is a higher bit: the opponent is White."""
    black, white, kings, _ = position
    return [board.move((black, white, kings, 1), bit, to, 0) for bit in bits(white)
            for to, _ in board.ways[KING][bit] if to > bit and not (black | white) & to]

def decode(board, code, contexts, part):
    """§8.3: the values of a part's positions; None if the code does not come out as it must."""
    words = [int.from_bytes(code[i:i + 2], "little") for i in range(0, len(code), 2)]
    x, p, q, values = words.pop(0), DRAW, DRAW, {}
    if x and words:
        x = 65536 * x + words.pop(0)
    for position in part:
        near = [values.get(y) for y in neighbours(board, position)]
        l, e, w = (min(near.count(value), 3) for value in (LOSS, DRAW, WIN))
        f = contexts.get((((w * 4 + e) * 4 + l) * 3 + p) * 3 + q, UNDESCRIBED)
        m = x % 16384
        value = LOSS if m < f[0] else DRAW if m < f[0] + f[1] else WIN
        x = f[value] * (x // 16384) + m - sum(f[:value])
        if x < 1 << 16 and words:
            x = 65536 * x + words.pop(0)
        values[position], p, q = value, value, p
    return values if x == 1 and not words else None

def decode_unit(board, payload, contexts, unit):
    """§8.3: the values of a unit's positions; None if the payload is not as it must be."""
    at, numbers, values = 8, [], {}
    if payload[:8] != digest(payload[8:])[:8]:
        return None
    for _ in unit:
        number, high = payload[at:at + 1], b""
        if number >= b"\x80":
            high = payload[at + 1:at + 2]
            if not b"\x01" <= high < b"\x80":
                return None
        if not number:
            return None
        at += 1 + len(high)
        numbers.append(number[0] % 128 + 128 * sum(high))
    if at + sum(2 * (number - 2) for number in numbers if number > 2) != len(payload):
        return None
    for part, number in zip(unit, numbers):
        length = 2 * (number - 2) if number > 2 else 0
        found = decode(board, payload[at:at + length], contexts, part) if length else dict.fromkeys(part, number)
        if found is None:
            return None
        at += length
        values.update(found)
    return values

def read_slice(data, board, shape, file):
    """§8.3: for all quiet positions the offset of the unit's directory entry (12 where there is
    none), the position and the value."""
    f = Fields(data, "slice-syntax", file, b"DPVALUES", REBUILD)
    rules, *size, name, stated_n, (coded, *coding) = f.item(SLICE_HEAD, within=256)
    require_known(rules == RULES, "rules", file)
    v, (k, u) = (CODED, coding) if coded else (*coding, (0, 0))
    end = f.at + 24 + 6 * k + 4 * u
    f.agree(k <= 576 and end <= len(data), HEAD)
    sealed = data[:f.at], data[f.at + 24:end]
    f.agree([digest(b"".join(sealed))[:24]] == f.take("24s"), len(sealed[0]))
    contexts, before = {}, -1
    for _ in range(k):
        at, (context, loss, win) = f.at, f.take("HHH")
        frequencies = loss, 16384 - loss - win, win
        f.agree(before < context < 576 and min(frequencies) >= 1 and frequencies != UNDESCRIBED, at)
        contexts[context], before = frequencies, context
    directory = [(f.at, *f.take("I")) for _ in range(u)]
    for at, entry in directory:
        f.agree(entry < CODED or entry & 3 == CODED and entry >> 2 >= 9, at)
        end += entry >> 2
    f.agree(end == len(data), min(end, len(data)))
    n, wanted = units(board, shape)
    right = bytes(shape), [board.rows, board.columns], n, len(wanted) if v == CODED else 0
    f.agree((name, size, stated_n, u) == right, HEAD)
    found = []
    for unit, (offset, entry) in zip(wanted, directory or [(HEAD, v)] * len(wanted)):
        quiet = [[position for position in part if not board.captures(position)] for part in unit]
        at, values = f.at, dict.fromkeys(sum(quiet, []), entry)
        if entry & 3 == CODED:
            values = decode_unit(board, *f.take(f"{entry >> 2}s"), contexts, quiet)
            f.agree(values is not None, at)
        found += [(offset, *line) for line in values.items()]
    return found

def read_database_manifest(data, board, file):
    """§8.4: the cover, and by slice length, digest and the bytes of the record."""
    f = Fields(data, "database-manifest", file, DATABASE_MAGIC, REBUILD)
    rules, *size, pieces = f.item(DATABASE_HEAD, within=256)
    require_known(rules == RULES, "rules", file)
    offsets, records, before = [], {}, ()
    for _ in range(f.count(1 << 16, (37, 46))):
        offsets.append(f.at)
        shape, length, stated = f.item(SLICE)
        a, b, c, d = shape = tuple(shape)
        f.agree(before < (group(shape), shape) and admits(pieces, a + b, c + d), offsets[-1])
        records[shape], before = (length, stated, data[offsets[-1]:f.at]), (group(shape), shape)
    f.end()
    f.agree(size == [board.rows, board.columns] and 2 <= most_pieces(pieces) <= board.squares, HEAD)
    for offset, due, shape in zip(offsets + [f.at], shapes(board, pieces) + [None], [*records, None]):
        f.agree(shape == due, offset)
    return pieces, records

def restricted(records, board, pieces):
    """§8.4: the manifest of the database with no more than this cover."""
    slices = shapes(board, pieces)
    parts = [DATABASE_MAGIC, VERSION.to_bytes(4, "little"), encode(len(RULES)), RULES.encode(),
             bytes([board.rows, board.columns]), covers.encode_cover(pieces), encode(len(slices))]
    return b"".join(parts + [records[shape][-1] for shape in slices])

class Database:
    """The values of all positions that the cover `pieces` admits, once they are there."""
    def __init__(self, board, pieces):
        self.board, self.pieces, self.values = board, pieces, {}  # values of positions with Black to move

    def has(self, position):
        return admits(self.pieces, *(len(bits(side)) for side in position[:2]))

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
        manifest = f"{name}/MANIFEST"
        most, records = read_database_manifest(data, board, manifest)
        self.pieces = self.pieces or most
        require(covers.includes(most, self.pieces), "database-manifest", manifest, offset=HEAD)
        slices = shapes(board, self.pieces)
        part = restricted(records, board, self.pieces)
        right_root = derive_key(f"draughtproof database root {VERSION}", part).hex()
        require(root in (None, right_root), "database-root", manifest)
        files = {shape: "%s/%d-%d-%d-%d" % (name, *shape) for shape in records}
        require_listing({(file.encode(), stat.S_IFREG) for file in (manifest, *files.values())}, found)
        stated = []
        for shape in slices:
            data = read(directory, files[shape])
            require((len(data), digest(data)) == records[shape][:2], "slice-hash", files[shape])
            stated += [(files[shape], *line) for line in read_slice(data, board, shape, files[shape])]
        # At the level exact nothing is known; else what the files say is, and there are only
        # captures to play.
        self.values = {} if exact else {position: value for _, _, position, value in stated}
        for _, same in groupby(slices, group):
            positions = [position for shape in same for unit in units(board, shape)[1]
                         for part in unit for position in part]
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

    def read_object(self, stated, data, file):  # §5, §6, §7
        kind, *range_stated, length, hashed = stated
        require((len(data), digest(data)) == (length, hashed), "object-hash", file)
        f = Fields(data, "object-syntax", file, MAGIC[kind], REMAKE)
        head = f.item(OBJECT_HEAD)
        count, contents = head[-1], f.at
        if kind == NODES:
            f.agree(24 * count == len(data) - contents, contents)
        elif kind == LEAVES:
            f.agree(16 * count <= len(data) - contents, contents)
            directory = [(f.at, *f.take("QQ")) for _ in range(count)]
            for at, _, positions in directory:
                f.agree(positions >= 1, at + 8)
            for at, length, positions in directory:
                f.agree(f.at + length <= len(data), at)
                self.leaves.append((*f.take(f"{length}s"), positions, {"file": file, "offset": at}))
            f.end()
        else:  # §7.1: nothing rests on it.
            f.agree(len(data) <= 65536, contents)
            f.item(PROOF)
            f.end()
        f.agree(head == range_stated, HEAD)
        for at in range(contents, len(data), 24) if kind == NODES else ():
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
    found = entries(directory)
    if (b"MANIFEST", stat.S_IFREG) not in found or read(directory, "MANIFEST")[:8] != b"DPCERT\0\0":
        if not any(name == b"CLAIM" for name, _ in found):
            sys.exit(f"{directory} is no certificate")
    claim = read(directory, "CLAIM")
    board, start, game, shown_start, value, pieces, database_root = read_claim(claim)
    require_known(not pieces or level == "exact" or "WINS" not in value, "level", "CLAIM")
    manifest = read(directory, "MANIFEST")
    sealed, objects = read_manifest(manifest, QUESTIONS[value])
    require(sealed == [len(claim), digest(claim)], "claim-hash", "CLAIM")
    names = ["CLAIM", "MANIFEST"] + [f"objects/{hashed.hex()}" for *_, hashed in objects]
    wanted, folder = {(name.encode(), stat.S_IFREG) for name in names}, {(b"objects", stat.S_IFDIR)}
    if folder <= found:
        found |= entries(os.path.join(directory, "objects"), "objects/")
    require_listing(wanted | folder if folder <= found or objects else wanted, found)
    database = Database(board, pieces)
    questions = {number: Question(number, database) for number in QUESTIONS[value]}
    for stated, name in zip(objects, names[2:]):
        questions[stated[1]].read_object(stated, read(directory, name), name)
    for question in questions.values():
        question.number_leaves()
    if pieces:
        database.check(arguments.db, database_root, level == "exact")
    positions = sum(question.check(start) for question in questions.values())
    kinds = [node.kind for question in questions.values() for node in question.nodes.values()]
    status, word = (2, "CONDITIONAL") if ASSUMED in kinds else (0, "VERIFIED")
    return Verdict(status, f"{word} {value} {game}", start=shown_start,
                   root=derive_key(f"draughtproof certificate root {VERSION}", manifest).hex(),
                   **FORMAT, db=level if pieces else "none", pieces=covers.write(pieces), db_root=database_root,
                   nodes=len(kinds), leaves=kinds.count(LEAF), positions=positions, assumed=kinds.count(ASSUMED) or None)

def check_database(arguments):
    board, _ = read_game(arguments.game) or (None, 0)
    pieces = () if arguments.pieces is None else covers.parse(arguments.pieces) or None
    if not board or pieces is None or most_pieces(pieces) > board.squares:
        sys.exit("no such board or cover")
    database = Database(board, pieces)
    root, slices, indices = database.check(arguments.db, None, arguments.level == "exact")
    status, word = (0, "VERIFIED") if arguments.level == "exact" else (5, "CONSISTENT")
    return Verdict(status, f"{word} DATABASE {board.name}", pieces=covers.write(database.pieces), db_root=root,
                   **FORMAT, db=arguments.level, slices=slices, indices=indices)

def program():
    """The digest of this program: `cat check.py covers.py files.py rules.py wire.py | b3sum`."""
    files = [Path(__file__).with_name(f"{name}.py") for name in ("check", "covers", "files", "rules", "wire")]
    try:
        return digest(b"".join(map(Path.read_bytes, files))).hex()
    except OSError:
        return "unknown"

def refuted(arguments, rule):
    """The root of what a refutation is about, for a note (§12)."""
    of_a_folder = "listing claim-hash object-hash database-manifest database-root slice-hash"
    before = "claim-syntax claim-start manifest-syntax"
    if arguments.game or rule in f"{of_a_folder} {before}".split():
        return ""
    manifest = read(arguments.certificate, "MANIFEST")
    return " root=" + derive_key(f"draughtproof certificate root {VERSION}", manifest).hex()

def check(arguments):
    """The verdict; it is in the note, too, if one is asked for (§12)."""
    note = arguments.attest
    if note and os.path.lexists(note):
        sys.exit(f"{note}: there is something already")
    try:
        verdict = check_database(arguments) if arguments.game else check_certificate(arguments)
    except Verdict as ended:
        verdict = ended
    if note and verdict.status in (0, 1, 2, 5):  # the others say nothing of what was checked
        about = refuted(arguments, verdict.line.split()[2]) if verdict.status == 1 else ""
        with open(note, "x") as file:
            file.write(f"draughtproof note {VERSION}\n{verdict.line[2:]}{about}\nchecker {NAME} {program()}\n")
    return verdict

def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("certificate", nargs="?", help="the certificate's directory")
    what.add_argument("--game", help="check the database of this board and no certificate")
    parser.add_argument("--pieces", metavar="COVER", help="of a database alone: 6, or 7,8:4")
    parser.add_argument("--db", default="egdb", help="the directory of databases")
    parser.add_argument("--level", choices=("exact", "consistent"), default="exact")
    parser.add_argument("--attest", metavar="FILE", help="write a note with the verdict to FILE, which must not exist")
    # The parser would print the arguments as they are, where a line feed begins a line.
    parser.error = lambda wrong: sys.exit(f"{wrong}; {parser.format_usage()}")
    try:
        verdict = check(parser.parse_args())
    except (OSError, MemoryError, SystemExit) as problem:
        verdict = Verdict(4, " ".join(map(escape, f"ERROR {type(problem).__name__}: {problem}".split())))
    line = verdict.line.encode() + b"\n"
    try:
        return verdict.status if os.write(1, line) == len(line) else 4
    except OSError:
        return 4

if __name__ == "__main__":
    sys.exit(main())
