"""The model of docs/scale.md: what a game may take, extrapolated from the games that are solved.

A game's size is the number of its positions: men anywhere but on their crowning row, at most as many pieces a
side as in the start, two sides to move. (For 8x8 it is twice the 500,995,484,682,338,672,639 of 2007, which count
one side to move, less those where a side has no piece.) What the solved games took is in docs/results/ladder.tsv.
"""

from math import comb, exp, log, sqrt

SOLVED = [  # game, rows, columns, pieces a side
    ("4x8", 4, 8, 4),
    ("8x4", 8, 4, 6),
    ("6x6", 6, 6, 6),
    ("5x7/2", 5, 7, 7),
    ("6x8", 6, 8, 8),
    ("7x7", 7, 7, 7),
    ("8x6", 8, 6, 9),
]
OPEN = [("8x8/2", 8, 8, 8), ("8x8", 8, 8, 12)]
NOT_PROVED = {"8x8/2": "not known", "8x8": "draw (2007), not proved here"}
NODES_PER_SECOND = 0.6e6  # of one core; docs/results/searches.tsv
BYTES = 0.15  # a position of a closed set in a certificate; docs/results/proofs.tsv
PER_PIECE = 3.3  # nodes are divided by this with each piece more in the database; a guess below what was measured


def shape(game):
    """The squares of a game RxC or RxC/k, and the pieces of both sides, as text."""
    board, _, filled = game.partition("/")
    rows, columns = map(int, board.split("x"))
    in_row = [sum((r + c) % 2 for c in range(columns)) for r in range(rows)]
    side = sum(in_row[: int(filled) if filled else (rows - 2) // 2])
    return str(sum(in_row)), f"{side} + {side}"


def positions(rows, columns, side):
    """The positions of a board with at most `side` pieces a side."""
    in_row = [sum((r + c) % 2 for c in range(columns)) for r in range(rows)]
    first, last = in_row[0], in_row[-1]
    squares, middle = sum(in_row), sum(in_row) - first - last
    total = 0
    for men in range(side + 1):
        for their_men in range(side + 1):
            ways = 0
            # Men that stand on the other side's crowning row are in nobody's way.
            for i in range(min(men, first) + 1):
                for j in range(min(their_men, last) + 1):
                    rest, their_rest = men - i, their_men - j
                    if rest + their_rest <= middle:
                        free = comb(middle, rest) * comb(middle - rest, their_rest)
                        ways += comb(first, i) * comb(last, j) * free
            free = squares - men - their_men
            for kings in range(side - men + 1):
                for their_kings in range(side - their_men + 1):
                    if men + kings and their_men + their_kings and kings + their_kings <= free:
                        total += ways * comb(free, kings) * comb(free - kings, their_kings)
    return 2 * total


def fit(points):
    """The exponent and factor of a power law through points, and the factor of one standard deviation."""
    xs, ys = [log(x) for x, _ in points], [log(y) for _, y in points]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    power = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)
    factor = exp(my - power * mx)
    residues = [(y - log(factor) - power * x) ** 2 for x, y in zip(xs, ys)]
    return power, factor, exp(sqrt(sum(residues) / max(1, len(points) - 2)))


class Model:
    """Fitted to `nodes`, by game and number of pieces in the database, and to `closed`, positions by game."""

    def __init__(self, nodes, closed):
        self.sizes = {game: positions(*board) for game, *board in SOLVED + OPEN}
        over6 = [(self.sizes[game], nodes[game][6]) for game, *_ in SOLVED]
        self.power, self.factor, self.spread = fit(over6)
        self.share, self.base, _ = fit([(nodes[game][6], closed[game]) for game, *_ in SOLVED if game in closed])

    def nodes(self, game, pieces):
        """Nodes of both questions over a database of so many pieces."""
        return self.factor * self.sizes[game] ** self.power / PER_PIECE ** (pieces - 6)

    def certificate(self, game, pieces):
        """Bytes of the certificate."""
        return BYTES * self.base * self.nodes(game, pieces) ** self.share
