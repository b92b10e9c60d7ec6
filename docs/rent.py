#!/usr/bin/env python3
"""What 8x8 in full would cost on rented machines: the table of docs/scale.md.

    docs/rent.py [LOW HIGH]     with prices of a core-hour in US dollars

Nodes are those of the model in ladder.py. At best they are what it says, for one search of each question that
nothing interrupts. At worst they are WORST times as many: the solution of 2007 took 10¹⁴ nodes over ≤ 10 pieces
where the model has 10¹¹, in searches that overlap and do not know what others found. Nodes a second, bytes of an
item and its result (of 7x7, many of which are decided, so that the results have strategies), and the share of the
time that a worker of a farm searches if there are enough items are measured (docs/results/farm-items.tsv,
docs/farm_simulation.py). Databases are as large as those measured, or as those
published of 2007 where none was built here.
"""

import sys

sys.dont_write_bytecode = True
import farm_simulation  # noqa: E402
import ladder  # noqa: E402

PRICES = (0.02, 0.05)  # US dollars a core-hour: an input, about what idle and dedicated cores are rented for
WORST = 1000
ERROR = 10  # the factor within which the model is right
PIECES = (6, 8, 10)
# Bytes on disk: docs/results/databases.tsv for 6; for 8, those of 7 times 12, as much as from 6 to
# 7 pieces are more positions; for 10, what is published of 2007.
DATABASE = {6: 33.7e6, 8: 12 * 333e6, 10: 237e9}
# Positions: 6 and 7 by `prove plan`, the others published of 2007. A position takes 23 ns of
# processor time for ≤ 7.
POSITIONS = {6: 2.57e9, 8: 4.44e11, 10: 3.93e13}
BUILD = 844 / 3.68e10  # seconds of processor time a position, with ≤ 7 pieces
LEAF_NODES = 1e7  # of a search
TABLE = 1  # GiB for the table of a search, at most


def number(value):
    """A number, rounded to one digit where it is large."""
    from tables import count

    return count(float(f"{value:.0e}")) if value >= 1 else f"{value:.1g}"


def table(low=PRICES[0], high=PRICES[1]):
    """The lines of the table."""
    from tables import ladder_data, size

    model, measured = ladder.Model(*ladder_data()), farm_simulation.Measured()
    rate = measured.nodes / farm_simulation.mean([search for search, _ in measured.items])
    bytes_each = farm_simulation.mean_bytes("7x7")
    share = farm_simulation.wide(measured, 1000).efficiency()
    out = [
        "| database | | nodes | core-hours | of them for the database | items of 10⁷ nodes | traffic and results "
        "| database on disk |",
        "|---|---|---|---|---|---|---|---|",
    ]
    dollars = []
    for pieces in PIECES:
        build = BUILD * POSITIONS[pieces] / 3600
        for name, factor, price in (("best", 1, low * ERROR), ("worst", WORST, high)):
            nodes = factor * model.nodes("8x8", pieces)
            items = nodes / LEAF_NODES
            hours = build + nodes / rate / 3600 / share
            cells = [f"≤ {pieces}", name, number(nodes), number(hours), number(build), number(items)]
            cells += [size(float(f"{items * bytes_each:.0e}")), size(DATABASE[pieces])]
            dollars.append(number(hours * price))
            out.append("| " + " | ".join(cells) + " |")
    return out + [
        "",
        f"* {rate / 1e6:.2g} million nodes a second and core, of which a farm of 1,000 workers loses {100 * (1 - share):.2g} %.",
        f"* Memory: {TABLE} GiB a core for the table of a search, and what is mapped of the database once a machine.",
        "* US dollars for the core-hours alone: "
        + ", ".join(f"{a} to {b} over ≤ {n} pieces" for n, a, b in zip(PIECES, dollars[::2], dollars[1::2]))
        + f". The range begins at {ERROR} times the best case, as far as the model may be wrong, at {low:g} dollars a "
        f"core-hour, and ends at the worst case at {high:g}.",
        "* Left out: memory beyond that, disks and traffic, the manager, searches that fail or are repeated, checking the "
        "result, and the work of people. No game of this size has been solved with these programs.",
    ]


if __name__ == "__main__":
    print("\n".join(table(*map(float, sys.argv[1:]))))
