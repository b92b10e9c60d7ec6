"""SPEC §1: boards, games, positions, successors, FEN. A position is (black, white, kings, turn)."""

import re
from functools import lru_cache

KING = 2  # moves as such; a man moves as its colour, 0 or 1

def bits(mask):
    """The members of a set of squares, as masks of one bit, ascending."""
    return [1 << i for i in range(mask.bit_length()) if mask >> i & 1]

def write_fen(position):  # §1.3
    black, white, kings, turn = position
    lists = (",".join("K" * bool(bit & kings) + str(bit.bit_length()) for bit in bits(side)) for side in (white, black))
    return "{}:W{}:B{}".format("BW"[turn], *lists)

def read_fen(text):
    """§1.3: the position, or None if this is no canonical FEN with squares from 1 to 32. A square may be
    in both lists; whether the position is possible is judged elsewhere."""
    match = re.fullmatch("([BW]):W([0-9K,]*):B([0-9K,]*)", text)
    if not match:
        return None
    lists = [re.findall("(K?)([1-9][0-9]?)", match[side]) for side in (2, 3)]
    white, black = (sum({1 << int(n) - 1 for _, n in side}) for side in lists)
    kings = sum({1 << int(n) - 1 for side in lists for king, n in side if king})
    position = (black, white, kings, "BW".index(match[1]))
    # Whatever else the text may hold (order, zeros, repetitions, a king in one of two lists), it
    # is not this.
    return position if write_fen(position) == text and not (black | white) >> 32 else None

def read_game(text):
    """Rule 2: the board and k, or None. `3x3` is no game, but a board: k is 0."""
    match = re.fullmatch("([3-8])x([2-8])(?:/([1-4]))?", text)
    rows, columns, k = (int(n or 0) for n in match.groups()) if match else (0, 1, 0)
    usual = (rows - 2) // 2
    good = (rows + columns) % 2 == 0 and k <= rows // 2 and not 0 < k == usual
    return (Board(rows, columns), k or usual) if good else None

class Board:
    """Rules 1, 3 and 5: the squares, and where men and kings move."""
    def __init__(self, rows, columns):
        self.rows, self.columns, self.name = rows, columns, f"{rows}x{columns}"
        dark = [(r, c) for r in range(rows) for c in range(columns) if (r + c) % 2]
        bit = {square: 1 << i for i, square in enumerate(dark)}
        self.row = [sum(bit[s] for s in dark if s[0] == r) for r in range(rows)]
        self.far = (self.row[-1], self.row[0])  # where a man of Black, of White becomes a king
        self.squares = len(dark)  # S
        self.men = self.squares - len(bits(self.far[0]))  # M of §8.1
        # From each square, as a man of Black, as a man of White, and as a king: the adjacent
        # squares, each with the one behind it; 0 for what is not on the board.
        self.ways = [{bit[r, c]: [(bit.get((r + i, c + j), 0), bit.get((r + 2 * i, c + 2 * j), 0))
                                  for i in forward for j in (1, -1)] for r, c in dark}
                     for forward in ((1,), (-1,), (1, -1))]

    def possible(self, position):  # §1.1
        black, white, kings, _ = position
        return ((black | white) >> self.squares == 0 and not black & white and not kings & ~(black | white)
                and not black & ~kings & self.far[0] and not white & ~kings & self.far[1])

    @lru_cache(maxsize=None)
    def turned(self, mask):
        """A set of squares after a turn of the board by 180°."""
        return int(format(mask, f"0{self.squares}b")[::-1], 2)

    def twin(self, position):
        """The position turned by 180° with the colours exchanged, which has the same value."""
        black, white, kings, turn = position
        return self.turned(white), self.turned(black), self.turned(kings), 1 - turn

    def jumps(self, position, start, at, taken):
        """Rule 4: where the piece from `start`, now at `at`, may end, and all that it has taken by then. From
        its farthest row a man has no way on, so that rule 5 needs no word here."""
        own, enemy, turn = position[position[3]], position[1 - position[3]], position[3]
        ends = [end for over, to in self.ways[KING if start & position[2] else turn][at]
                if over & enemy & ~taken and to & ~(own ^ start | enemy)
                for end in self.jumps(position, start, to, taken | over)]
        return ends or [(at, taken)] if taken else ends

    def captures(self, position):
        """The moves (from, to, taken) that are jumps."""
        own = position[position[3]]
        return [(start, *end) for start in bits(own) for end in self.jumps(position, start, start, 0)]

    def steps(self, position):
        """Rule 3: the moves where there is no capture."""
        black, white, kings, turn = position
        return [(start, to, 0) for start in bits(white if turn else black)
                for to, _ in self.ways[KING if start & kings else turn][start] if to & ~(black | white)]

    def move(self, position, start, to, taken):
        """The position after a move, rule 5 among the rest."""
        *sides, kings, turn = position
        crowned = start & kings or to & self.far[turn]
        sides[turn] ^= start ^ to
        sides[1 - turn] ^= taken
        return (*sides, kings & ~(start | taken) | (to if crowned else 0), 1 - turn)

    def successors(self, position):  # §1.2
        moves = self.captures(position) or self.steps(position)
        return sorted({self.move(position, *move) for move in moves})
