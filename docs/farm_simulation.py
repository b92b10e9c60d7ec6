#!/usr/bin/env python3
"""How much of its time a farm of many workers searches, by simulation of what was measured on one machine.

    docs/farm_simulation.py [ITEMS]     prints the table of docs/scale.md, for a proof of so many items

What it takes is in docs/results: items (farm-items.tsv: nodes, seconds of the search and of the replay of its
result, bytes; made by prover/examples/item_costs.rs of commit 87996c6), of which it takes those of GAME, how many of them a tree
had to offer at a time (farm-rounds.tsv: from `prove farm status --format json` while it grew, `--round 100000`),
and the processor time of manager and broker for an item of no work (farm.tsv).

The model. A round of n items begins when the last result of the round before it is applied, as in
prover/proof/src/proof/manager.rs. The manager and the broker put items out one after the other; each goes to the
worker that is free first, which needs the time of an item that is drawn from the recorded ones; results come in
one after the other, and the manager replays them on its cores. The network costs LATENCY each way. What a round
loses is told apart: workers for whom there is no item, overheads (the same round without any, subtracted), and
the end of the round, when some are done and others not.
"""

import heapq
import random
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import ladder  # noqa: E402

RESULTS = Path(__file__).resolve().parent / "results"
GAME = "8x8, opening 15"
WORKERS = (100, 1000, 10000)
ITEMS = 100_000  # of a proof
ROUNDS = 5  # of a proof whose tree always has enough items
PER_WORKER = 4  # items of a round for each worker there
LATENCY = 0.001  # seconds from the broker to a worker or back, in one data centre
MANAGER_CORES = 16  # that replay results


def read(name):
    """The rows of a file of tab-separated columns."""
    lines = (RESULTS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    columns = lines[0].split("\t")
    return [dict(zip(columns, line.split("\t"))) for line in lines[1:]]


class Measured:
    """What was measured on one machine."""

    def __init__(self):
        items = [row for row in read("farm-items") if row["game"] == GAME]
        self.items = [(float(row["search_seconds"]), float(row["replay_seconds"])) for row in items]
        self.bytes = mean_bytes(GAME)
        self.nodes = mean([int(row["nodes"]) for row in items])
        rounds = [row for row in read("farm-rounds") if int(row["tree"]) > 1]
        points = [(int(row["tree"]), int(row["items"])) for row in rounds]
        self.power, self.factor, self.spread = ladder.fit(points)
        last = {row["question"]: row for row in rounds}
        self.growth = mean([int(row["tree"]) / int(row["searches"]) for row in last.values()])
        cases = {row["case"]: row for row in read("farm")}
        self.manager, self.broker = (
            float(row["cpu"]) / float(row["work"])
            for row in (cases[f"items of no work, processor time of the {part}"] for part in ("manager", "broker"))
        )

    def available(self, tree):
        """Items that a tree of so many nodes has to offer."""
        return max(1, round(self.factor * tree**self.power))


def mean_bytes(game):
    """Bytes of an item of a game and its result."""
    items = [row for row in read("farm-items") if row["game"] == game]
    return mean([int(row["item_bytes"]) + int(row["result_bytes"]) for row in items])


def mean(numbers):
    """Their mean."""
    return sum(numbers) / len(numbers)


class Farm:
    """A farm of so many workers, which counts what it loses, in seconds of workers."""

    def __init__(self, measured, workers, seed=1):
        self.measured, self.workers = measured, workers
        self.random = random.Random(seed)
        self.time = self.work = 0.0
        self.lost = {"too few items": 0.0, "overheads": 0.0, "ends of rounds": 0.0}

    def round(self, number):
        """Does a round of so many items."""
        items = self.random.choices(self.measured.items, k=number)
        work = sum(search for search, _ in items)
        took, bare = self.makespan(items, True), self.makespan(items, False)
        idle = max(0, self.workers - number) * bare
        self.time, self.work = self.time + took, self.work + work
        self.lost["too few items"] += idle
        self.lost["overheads"] += self.workers * (took - bare)
        self.lost["ends of rounds"] += self.workers * bare - work - idle

    def makespan(self, items, with_overheads):
        """Seconds until the last result of a round is applied."""
        measured, on = self.measured, 1.0 if with_overheads else 0.0
        # Half of the work for an item is before its search; manager and broker work side by side.
        each = on * max(measured.manager, measured.broker) / 2
        latency = on * LATENCY
        free = [0.0] * min(self.workers, len(items))
        ends = []
        for place, (search, replay) in enumerate(items):
            begin = max((place + 1) * each + latency, heapq.heappop(free))
            end = begin + search + latency
            heapq.heappush(free, end)
            ends.append((end, replay))
        clock = 0.0
        for end, replay in sorted(ends):
            clock = max(clock, end) + each + on * replay / MANAGER_CORES
        return clock

    def efficiency(self):
        """The share of their time that workers search."""
        return self.work / (self.workers * self.time)

    def bound(self):
        """What most of the rest is lost to."""
        return max(self.lost, key=self.lost.get)


def wide(measured, workers):
    """A tree that always has enough items."""
    farm = Farm(measured, workers)
    for _ in range(ROUNDS):
        farm.round(PER_WORKER * workers)
    return farm


def grown(measured, workers, items):
    """A proof of so many items from one node on, whose tree offers as many items as measured."""
    farm, done = Farm(measured, workers), 0
    while done < items:
        number = min(measured.available(1 + measured.growth * done), items - done)
        farm.round(number)
        done += number
    return farm


def table(items=ITEMS):
    """The lines of the table."""
    measured = Measured()
    search, replay = (mean(column) for column in zip(*measured.items))
    rate = 1 / max(measured.manager, measured.broker)
    out = [
        f"| workers | enough items, rounds of {PER_WORKER} a worker | most is lost to "
        f"| proof of {items:,} items from its first node on | most is lost to |",
        "|---|---|---|---|---|",
    ]
    for workers in WORKERS:
        cells = [f"{workers:,}"]
        for farm in (wide(measured, workers), grown(measured, workers, items)):
            cells += [f"{100 * farm.efficiency():.3g} %", farm.bound()]
        out.append("| " + " | ".join(cells) + " |")
    width = measured.available(measured.growth * items)
    return out + [
        "",
        f"* An item: {measured.nodes:,.0f} nodes, {search:.2f} s of a worker, {1e3 * replay:.2f} ms of the manager for "
        f"the replay of its result, {measured.bytes:,.0f} bytes in all (means of {len(measured.items)}).",
        f"* Manager and broker handle {rate:,.0f} items a second, each on a core of its own: those of "
        f"{rate * search:,.0f} workers.",
        f"* A tree of n nodes offers {measured.factor:.2g} × n^{measured.power:.2f} items at a time, within a factor of "
        f"{measured.spread:.1f}, and grows by {measured.growth:.1f} nodes for each: {width:,} after {items:,} items.",
    ]


if __name__ == "__main__":
    print("\n".join(table(*map(int, sys.argv[1:]))))
