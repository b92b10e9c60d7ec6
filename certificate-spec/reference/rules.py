"""SPEC §1: the board, positions, successors, FEN. A position is (black, white, kings, turn)."""

import re
from functools import lru_cache


def bits(mask):
    """The members of a set of squares, as masks of one bit, ascending."""
    while mask:
        yield mask & -mask
        mask &= mask - 1


def write_fen(position):
    """§1.3."""
    black, white, kings, turn = position
    white, black = (",".join(("K" if bit & kings else "") + str(bit.bit_length()) for bit in bits(side))
                    for side in (white, black))
    return f"{'BW'[turn]}:W{white}:B{black}"


def read_fen(text):
    """§1.3: the position, or None if this is no canonical FEN with squares from 1 to 32. A square may be
    in both lists; whether the position is possible is judged elsewhere."""
    match = re.fullmatch(r"([BW]):W([0-9K,]*):B([0-9K,]*)", text)
    if not match:
        return None
    lists = [re.findall(r"(K?)([1-9][0-9]?)", match[side]) for side in (2, 3)]
    white, black = (sum({1 << int(n) - 1 for _, n in side}) for side in lists)
    kings = sum({1 << int(n) - 1 for side in lists for king, n in side if king})
    position = (black, white, kings, "BW".index(match[1]))
    # Whatever else the text may hold (order, zeros, repetitions, a king in one of two lists), it is not this.
    return position if write_fen(position) == text and not (black | white) >> 32 else None


class Board:
    def __init__(self, rows, columns):
        """§1 rules 1, 3, 4, 5."""
        self.rows, self.columns, self.name = rows, columns, f"{rows}x{columns}"
        dark = [(r, c) for r in range(rows) for c in range(columns) if (r + c) % 2]
        bit = {square: 1 << i for i, square in enumerate(dark)}
        self.squares = len(dark)  # S
        self.row = [sum(bit[s] for s in dark if s[0] == r) for r in range(rows)]
        self.far = (self.row[-1], self.row[0])  # where a man of Black, of White becomes a king
        self.men = self.squares - sum(s[0] == rows - 1 for s in dark)  # M of §8.1
        # By a man of Black, a man of White, and a king: the squares it steps to, and its jumps over and to.
        self.steps, self.jumps = [], []
        for ways in ((1,), (-1,), (1, -1)):
            near = {s: [(s[0] + r, s[1] + c) for r in ways for c in (1, -1)] for s in dark}
            beyond = {s: [(t, (2 * t[0] - s[0], 2 * t[1] - s[1])) for t in near[s]] for s in dark}
            self.steps.append({bit[s]: [bit[t] for t in near[s] if t in bit] for s in dark})
            self.jumps.append({bit[s]: [(bit[t], bit[u]) for t, u in beyond[s] if u in bit] for s in dark})

    def start(self, k):
        """§1 rule 2: the position of the game `RxC/k`."""
        return (sum(self.row[:k]), sum(self.row[-k:]), 0, 0)

    def possible(self, position):
        """§1.1."""
        black, white, kings, _ = position
        return ((black | white) >> self.squares == 0 and not black & white and not kings & ~(black | white)
                and not black & ~kings & self.far[0] and not white & ~kings & self.far[1])

    @lru_cache(maxsize=None)
    def turned(self, mask):
        """A set of squares after a turn of the board by 180°."""
        return int(format(mask, f"0{self.squares}b")[::-1], 2)

    def quiet(self, position):
        """Whether the side to move cannot capture."""
        black, white, kings, turn = position
        own, enemy = (white, black) if turn else (black, white)
        for start in bits(own):
            for over, to in self.jumps[2 if start & kings else turn][start]:
                if over & enemy and not to & (own | enemy):
                    return False
        return True

    def successors(self, position):
        """§1.2, by rules 3 to 5."""
        black, white, kings, turn = position
        own, enemy = (white, black) if turn else (black, white)
        found = set()

        def land(start, to, taken):
            now, left = own ^ start ^ to, enemy ^ taken
            crowned = to if start & kings or to & self.far[turn] else 0
            after = kings & ~(start | taken) | crowned
            found.add((left, now, after, 0) if turn else (now, left, after, 1))

        def jump(start, at, taken):
            is_man, goes_on = not start & kings, False
            for over, to in self.jumps[turn if is_man else 2][at]:
                if over & enemy & ~taken and not to & (own ^ start | enemy):
                    goes_on = True
                    if is_man and to & self.far[turn]:
                        land(start, to, taken | over)  # rule 5: crowning ends the move
                    else:
                        jump(start, to, taken | over)
            if taken and not goes_on:
                land(start, at, taken)

        if self.quiet(position):
            for start in bits(own):
                for to in self.steps[2 if start & kings else turn][start]:
                    if not to & (own | enemy):
                        land(start, to, 0)
        else:
            for start in bits(own):
                jump(start, start, 0)
        return sorted(found)
