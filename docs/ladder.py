#!/usr/bin/env python3
"""Extrapolates what it takes to solve a game from those that were solved: docs/scale.md, "Up the ladder".

A game's size is the number of its positions: men anywhere but on their crowning row, at most as many pieces a side as in
the start, two sides to move. (For 8x8 it is twice the 500,995,484,682,338,672,639 of 2007, which count one side to move,
less those where a side has no piece.)
"""

from math import comb, exp, log, sqrt

# Nodes for both questions over databases of N pieces, by the commands in docs/scale.md, and the positions in their closed sets.
SOLVED = [  # game, rows, columns, pieces a side, {N: nodes}, positions
    ("4x8", 4, 8, 4, {3: 119_940, 4: 19_413, 5: 8_369, 6: 666}, None),
    ("8x4", 8, 4, 6, {3: 728_113, 4: 79_576, 5: 44_484, 6: 10_411}, None),
    ("6x6", 6, 6, 6, {3: 4_246_022, 4: 811_876, 5: 185_057, 6: 24_660}, 7_482),
    ("5x7/2", 5, 7, 7, {3: 435_550, 4: 99_004, 5: 37_526, 6: 7_643}, None),
    ("6x8", 6, 8, 8, {6: 5.53e7}, 1_505_749),
    ("7x7", 7, 7, 7, {6: 1.00e8}, 2_324_161),
    ("8x6", 8, 6, 9, {6: 3.52e8}, 8_679_661),
]
UNSOLVED = [("8x8/2", 8, 8, 8), ("8x8", 8, 8, 12)]
NODES_PER_SECOND = 0.6e6  # of one core, docs/performance.md
BYTES = 0.15  # a position of a closed set in a certificate


def positions(rows, columns, side):
    """The positions of a board with at most `side` pieces a side."""
    in_row = [sum((r + c) % 2 for c in range(columns)) for r in range(rows)]
    first, last = in_row[0], in_row[-1]
    squares, middle = sum(in_row), sum(in_row) - first - last
    total = 0
    for men in range(side + 1):
        for their_men in range(side + 1):
            ways = 0
            # Men of each side that stand on the other's crowning row, and so in nobody's way.
            for i in range(min(men, first) + 1):
                for j in range(min(their_men, last) + 1):
                    rest, their_rest = men - i, their_men - j
                    if rest + their_rest <= middle:
                        ways += comb(first, i) * comb(last, j) * comb(middle, rest) * comb(middle - rest, their_rest)
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


def main():
    print("| game | positions | nodes over <= 6 pieces | each piece more in the database |\n|---|---|---|---|")
    for name, rows, columns, side, nodes, _ in SOLVED:
        most, least = max(nodes), min(nodes)
        per_piece = (nodes[least] / nodes[most]) ** (1 / (most - least)) if most > least else None
        words = f"{per_piece:.1f} times fewer ({least} to {most})" if per_piece else ""
        print(f"| {name} | {positions(rows, columns, side):.2g} | {nodes[6]:.3g} | {words} |")
    sizes = {name: positions(rows, columns, side) for name, rows, columns, side, *_ in SOLVED}
    power, factor, spread = fit([(sizes[name], nodes[6]) for name, *_, nodes, _ in SOLVED])
    print(f"\nnodes = {factor:.2g} x positions^{power:.2f}, within a factor of {spread:.1f}")
    bits = [(nodes[6], closed) for *_, nodes, closed in SOLVED if closed]
    share, base, _ = fit(bits)
    print(f"positions in closed sets = {base:.2g} x nodes^{share:.2f}\n")
    print("| game | positions | N | nodes | core-hours | leaf searches of 10^7 nodes | certificate |\n|---|---|---|---|---|---|---|")
    for name, rows, columns, side in UNSOLVED:
        size = positions(rows, columns, side)
        for pieces in (6, 8, 10):
            nodes = factor * size**power / 3.3 ** (pieces - 6)
            hours = nodes / NODES_PER_SECOND / 3600
            certificate = BYTES * base * nodes**share
            print(f"| {name} | {size:.2g} | {pieces} | {nodes:.1g} | {hours:.1g} | {nodes / 1e7:.1g} | {certificate:.1g} bytes |")


if __name__ == "__main__":
    main()
