"""SPEC §4 to §7: the certificate's files, and what its nodes and leaves must do."""

import re

from database import LOSS, WIN
from hashing import digest
from rules import Board, read_fen, write_fen
from verdict import Fields, declined, require

QUESTIONS = {"DRAW": (0, 1), "BLACK-NOT-LOST": (0,), "WHITE-NOT-LOST": (1,), "BLACK-WINS": (2,), "WHITE-WINS": (3,)}
OR, AND, LEAF, ASSUMED = 1, 2, 3, 4
NODES, LEAVES, ABOUT = 1, 2, 3
MAGIC = {NODES: b"DPNODES\0", LEAVES: b"DPLEAVES", ABOUT: b"DPABOUT\0"}


def read_game(text):
    """§1 rule 2: the board and k, or None. `3x3` is no game, but a board: k is 0."""
    match = re.fullmatch("([3-8])x([2-8])(?:/([1-4]))?", text)
    rows, columns = (int(match[1]), int(match[2])) if match else (0, 1)
    if (rows + columns) % 2:
        return None
    usual = (rows - 2) // 2
    k = int(match[3] or usual)
    return (Board(rows, columns), k) if k <= rows // 2 and (k != usual or not match[3]) else None


class Claim:
    """§4."""

    def __init__(self, data):
        lines, self.offsets = data.split(b"\n"), [0]

        def word(key, pattern="[!-~]+"):
            number = len(self.offsets) - 1
            whole = number + 1 < len(lines)
            match = whole and re.fullmatch(f"{key} ({pattern})", lines[number].decode("latin-1"))
            require(match, "claim-syntax", "CLAIM", offset=self.offsets[number])
            self.offsets.append(self.offsets[number] + len(lines[number]) + 1)
            return match[1]

        version = word("draughtproof certificate")
        if version != "0":
            raise declined("version", "CLAIM", 0, version)
        rules = word("rules")
        if rules != "english-checkers-1":
            raise declined("rules", "CLAIM", "english-checkers-1", rules)
        game, fen = word("game"), word("start")
        self.value = word("value", "|".join(QUESTIONS))
        self.pieces = int(word("pieces", "0|[2-9]|[12][0-9]|3[0-2]"))
        self.database = word("database", "[0-9a-f]{64}" if self.pieces else "none")
        self.require(self.offsets[-1] == len(data), 7)
        read = read_game(game)
        self.require(read and read[1] > 0, 2)
        self.game, (self.board, k), self.start = game, read, read_fen(fen)
        self.require(self.start, 3)
        self.require(self.pieces <= self.board.squares, 5)
        require(self.board.possible(self.start), "claim-start", "CLAIM", offset=self.offsets[3], position=fen)
        self.questions = QUESTIONS[self.value]
        self.shown_start = "initial" if self.start == self.board.start(k) else fen

    def require(self, holds, line):
        require(holds, "claim-syntax", "CLAIM", offset=self.offsets[line])


def read_manifest(data, questions):
    """§5: length and digest of CLAIM, and the records (kind, question, first, count, length, digest)."""
    f = Fields(data, "manifest-syntax", "MANIFEST")
    f.head(b"DPCERT\0\0", 0)
    f.expect(bytes(4))
    n, claim = f.take("Q"), (f.take("Q"), f.take("32s"))
    f.agree(64 + 64 * n == len(data), 64)
    records, before, follows = [], (0, 0), 0
    for at in range(64, len(data), 64):
        kind, question = f.take("B"), f.take("B")
        f.agree(kind in MAGIC, at)
        f.agree(question < 4, at + 1)
        f.expect(bytes(6))
        first, count, length, stated = f.take("Q"), f.take("Q"), f.take("Q"), f.take("32s")
        f.agree(before <= (kind, question), at)
        f.agree(first == (follows if before == (kind, question) else 0), at + 8)
        f.agree(count >= 1 and first + count < 1 << 64, at + 16)
        before, follows = (kind, question), first + count
        records.append((kind, question, first, count, length, stated))
    for i, record in enumerate(records):
        f.agree(record[1] in questions, 65 + 64 * i)
    return claim, records


class Question:
    """The positions that one question's nodes and leaves are about, and what must hold for them."""

    def __init__(self, number, board, database):
        self.board, self.database, self.claimant, self.win = board, database, number % 2, number >= 2
        self.nodes = []  # (position, kind, rank, data, place)
        self.ranks = {}  # of the positions of nodes
        self.leaves = []  # (strategy, positions stated, place)

    def read_object(self, record, data, file):
        """§5, §6, §7."""
        kind, question, first, count, length, stated = record
        require(len(data) == length and digest(data) == stated, "object-hash", file)
        f = Fields(data, "object-syntax", file)
        f.head(MAGIC[kind], 0)
        found = [f.take("B")]
        f.agree(found[0] < 4, 12)
        f.expect(bytes(3))
        found += [f.take("Q"), f.take("Q")]
        if kind == NODES:
            f.agree(32 + 24 * found[2] == len(data), 32)
        elif kind == LEAVES:
            self.read_leaves(f, found[2])
        else:
            # §7.1: lines of text, on which nothing rests.
            for at in range(32, len(data)):
                f.agree(data[at] == 10 or 32 <= data[at] <= 126, at)
            f.agree(data.count(b"\n") == found[2] and data[-1:] == b"\n", 32)
        f.agree(found == [question, first, count], 12)
        for at in range(32, len(data) if kind == NODES else 0, 24):
            self.read_node([f.take(form) for form in "IIIIIBBH"], {"file": file, "offset": at})

    def read_node(self, record, place):
        black, white, kings, rank, data, turn, kind, reserved = record
        position = (black, white, kings, int(turn == 1))
        place["position"] = write_fen(position)
        known = OR <= kind <= ASSUMED and turn <= 1 and reserved == 0
        zero = (self.win or rank == 0) and (kind != AND or data == 0)
        require(known and zero, "node-syntax", **place)
        good = self.board.possible(position) and not self.database.has(position)
        require(good, "node-position", **place)
        mover = {OR: self.claimant, AND: 1 - self.claimant}.get(kind, turn)
        require(turn == mover, "node-turn", **place)
        require(not self.nodes or self.nodes[-1][0] < position, "node-order", **place)
        self.nodes.append((position, kind, rank, data, place))
        self.ranks[position] = rank

    def read_leaves(self, f, count):
        f.agree(32 + 16 * count <= len(f.data), 32)
        entries = []
        for at in range(32, 32 + 16 * count, 16):
            entries.append((f.take("Q"), f.take("Q"), at))
            f.agree(entries[-1][1] >= 1, at + 8)
        for length, stated, at in entries:
            f.agree(f.at + length <= len(f.data), at)
            self.leaves.append((f.take(f"{length}s"), stated, {"file": f.file, "offset": at}))
        f.agree(f.at == len(f.data), f.at)

    def number_leaves(self):
        """`[leaf-number]` of §6."""
        found = [(data, place) for _, kind, _, data, place in self.nodes if kind == LEAF]
        for number, (data, place) in enumerate(found):
            require(data == number, "leaf-number", **place, expected=number, found=data)
        require(len(found) == len(self.leaves), "leaf-number", "MANIFEST")

    def suits(self, y):
        """Whether the database value of y suits, by rule 1 of §6."""
        value, ours = self.database.value(y), y[3] == self.claimant
        return value == (WIN if ours else LOSS) if self.win else value != (LOSS if ours else WIN)

    def closes(self, y, rank):
        """Whether y is the position of a node that one of this rank may rest on."""
        return y in self.ranks and (not self.win or self.ranks[y] < rank)

    def require_holds(self, y, rank, place, uncovered="not-covered"):
        """§6: that y holds as a successor of a node of this rank."""
        if self.database.has(y):
            require(self.suits(y), "database-value", **place)
        elif y in self.ranks:
            require(self.closes(y, rank), "rank", **place)
        else:
            has_lost = y[3] != self.claimant and not self.board.successors(y)
            require(has_lost, uncovered, **place)

    def check(self, start):
        """The start, the nodes, the leaves; how many positions the leaves expand."""
        self.require_holds(start, 1 << 32, {"file": "CLAIM", "position": write_fen(start)}, "start-missing")
        for position, kind, rank, data, place in self.nodes:
            if kind in (OR, AND):
                successors = self.board.successors(position)
                if kind == OR:
                    require(data < len(successors), "move-index", **place, found=data)
                    successors = [successors[data]]
                for y in successors:
                    self.require_holds(y, rank, {**place, "found": write_fen(y)})
        leaves = [node for node in self.nodes if node[1] == LEAF]
        return sum(self.replay(node[0], node[2], *leaf) for node, leaf in zip(leaves, self.leaves))

    def replay(self, leaf, rank, strategy, stated, place):
        """§7: how many positions the leaf expands."""
        completed = {}  # `seen`: whether a position in it is completed
        bits = "".join(f"{byte:08b}"[::-1] for byte in strategy)
        stack = []  # the open positions, each with what is still to be visited after it

        def agree(holds, rule, position):
            require(holds, rule, **place, position=write_fen(position))

        def expand(p):
            nonlocal bits
            agree(len(completed) < stated, "leaf-syntax", p)
            completed[p] = False
            visited = self.board.successors(p)
            if p[3] == self.claimant:
                agree(visited, "leaf-stuck", p)
                width = max(1, (len(visited) - 1).bit_length())
                agree(width <= len(bits), "leaf-syntax", p)
                choice, bits = int(bits[:width][::-1], 2), bits[width:]
                agree(choice < len(visited), "move-index", p)
                visited = [visited[choice]]
            stack.append((p, iter(visited)))

        expand(leaf)
        while stack:
            p, rest = stack[-1]
            y = next(rest, None)
            if y is None:
                completed[p] = True
                stack.pop()
            elif self.database.has(y):
                agree(self.suits(y), "database-value", y)
            elif y in completed:
                agree(completed[y] or not self.win, "leaf-repetition", y)
            elif not self.closes(y, rank):
                expand(y)
        agree(len(completed) == stated and len(bits) < 8 and "1" not in bits, "leaf-syntax", leaf)
        return len(completed)
