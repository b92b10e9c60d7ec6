"""SPEC §8.1, §8.2, §8.5: slices, indices, and the values that a database must have."""

from functools import lru_cache
from itertools import combinations
from math import comb

from rules import bits

LOSS, DRAW, WIN, UNKNOWN = range(4)


def order(shape):
    """§8.1: what slices are ordered by."""
    return sum(shape), shape[0] + shape[2], shape


def shapes(board, pieces):
    """§8.1: the slices (a, b, c, d) of the database with at most so many pieces, in order."""
    found = [(a, b, c, n - a - b - c) for n in range(2, pieces + 1)
             for a in range(min(board.men, n) + 1) for c in range(min(board.men, n - a) + 1)
             for b in range(n - a - c + 1) if a + b and n - a - b]
    return sorted(found, key=order)


@lru_cache(maxsize=None)
def subsets(squares, size):
    """The sets of so many of the lowest squares by ascending rank (§8.2), which is that of their masks."""
    return sorted(sum(1 << x for x in chosen) for chosen in combinations(range(squares), size))


class Slice:
    def __init__(self, board, shape, base):
        a, b, c, d = self.shape = shape
        self.board, self.base, self.name = board, base, "%d-%d-%d-%d" % shape
        self.columns, self.rows = comb(board.squares, b), comb(board.squares, d)  # of a block: K and D
        self.opponents = comb(board.men, c)
        self.n = comb(board.men, a) * self.opponents * self.rows * self.columns

    def positions(self):
        """Each index that stands for a position, in order, and that position with Black to move."""
        (a, b, c, d), board = self.shape, self.board
        their_men = [board.turned(mask) for mask in subsets(board.men, c)]
        their_kings = [board.turned(mask) for mask in subsets(board.squares, d)]
        row = 0
        for A in subsets(board.men, a):
            for C in their_men:
                for D in their_kings:
                    if not (A & C or (A | C) & D):
                        for column, B in enumerate(subsets(board.squares, b)):
                            if not (A | C | D) & B:
                                yield row + column, (A | B, C | D, B | D, 0)
                    row += self.columns

    def units(self):
        """§8.3: the first index of each unit, in order, and n."""
        block = self.rows * self.columns
        if block <= 65536:
            return [*range(0, self.n, 65536 // block * block), self.n]
        unit = max(1, 65536 // self.columns) * self.columns
        return [i for start in range(0, self.n, block) for i in range(start, start + block, unit)] + [self.n]


class Database:
    """The values of all positions with both sides on the board and at most `pieces`, once they are there."""

    def __init__(self, board, pieces):
        self.board, self.pieces, self.slices, self.size = board, pieces, {}, 0
        for shape in shapes(board, pieces):
            self.slices[shape] = Slice(board, shape, self.size)
            self.size += self.slices[shape].n

    def make_tables(self):
        """For each index its value, and whether it stands for a quiet position, as far as that is known."""
        self.values, self.quiet = bytearray([UNKNOWN]) * self.size, bytearray(self.size)

    def has(self, position):
        black, white = position[:2]
        return black and white and bin(black | white).count("1") <= self.pieces

    @lru_cache(maxsize=None)
    def ranked(self, squares, of_white):
        """The size of a set and its rank in its owner's view."""
        seen = self.board.turned(squares) if of_white else squares
        places = [bit.bit_length() - 1 for bit in bits(seen)]
        return len(places), sum(comb(x, i) for i, x in enumerate(places, 1))

    def address(self, position):
        """§8.2: where the tables have the position."""
        black, white, kings, turn = position
        own, other = (white, black) if turn else (black, white)
        a, rank_a = self.ranked(own & ~kings, turn)
        b, rank_b = self.ranked(own & kings, turn)
        c, rank_c = self.ranked(other & ~kings, 1 - turn)
        d, rank_d = self.ranked(other & kings, 1 - turn)
        s = self.slices[a, b, c, d]
        return s.base + ((rank_a * s.opponents + rank_c) * s.rows + rank_d) * s.columns + rank_b

    def value(self, position):
        """The value for the side to move, which has lost when it has no piece."""
        return self.values[self.address(position)] if position[position[3]] else LOSS

    def follows(self, position):
        """§8.5: the value that follows from those of the successors: the opponent's worst is the mover's best."""
        return WIN - min((self.value(y) for y in self.board.successors(position)), default=WIN)

    def capture(self):
        """§8.5: the values of the positions that are not quiet. Captures lead to slices that come before."""
        for piece_slice in self.slices.values():
            for index, position in piece_slice.positions():
                if not self.quiet[piece_slice.base + index]:
                    self.values[piece_slice.base + index] = self.follows(position)

    def derive(self, twins):
        """§8.5, exact: the values of a slice and its twin from the rules alone, by retrograde analysis. Moves
        that neither capture nor crown lead from one to the other; all others to slices that come before
        both. What is unknown in the end nobody can force: a draw."""
        values, known = self.values, []
        waiting = {}  # for how many unknown values a position waits, and one more if it cannot be a loss
        before = {}  # which positions wait for a value
        for piece_slice in twins:
            for index, position in piece_slice.positions():
                here, worst, unknown = piece_slice.base + index, WIN, []
                for y in self.board.successors(position):
                    there = self.address(y) if y[y[3]] else None
                    value = LOSS if there is None else values[there]
                    if value == UNKNOWN:
                        unknown.append(there)
                    else:
                        worst = min(worst, value)
                if worst == LOSS or not unknown:
                    values[here] = WIN - worst
                    known.append(here)
                else:
                    waiting[here] = len(unknown) + (worst == DRAW)
                    for there in unknown:
                        before.setdefault(there, []).append(here)
        while known:
            there = known.pop()
            for here in before.pop(there, ()):
                waiting[here] -= values[there] == WIN
                if values[here] == UNKNOWN and (values[there] == LOSS or waiting[here] == 0):
                    values[here] = WIN - values[there]
                    known.append(here)
        for here in waiting:
            if values[here] == UNKNOWN:
                values[here] = DRAW
