#!/usr/bin/env python3
"""Makes the tables of the documents from docs/results/*.tsv (docs/results/README.md says what is in them).

    docs/tables.py            writes the tables into the documents
    docs/tables.py --check    says which documents are not what it makes, proves the small games of the
                              README again by target/release/prove, and fails if anything differs

In a document a table stands between `<!-- table: KIND ARGUMENTS -->` and `<!-- end -->`.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import farm_simulation  # noqa: E402
import ladder  # noqa: E402
import rent as rented  # noqa: E402

DOCS = Path(__file__).resolve().parent
DOCUMENTS = [DOCS.parent / "README.md", *(DOCS / n for n in ("performance.md", "scale.md", "experiments/README.md"))]
COLUMNS = (
    "date commit machine command seconds cpu memory case runs load work unit bytes figure baseline note"
).split()
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
LOADS = ["", "idle", "busy", "unknown"]


def rows_of(name):
    """The measurements of a file, in its order."""
    path = DOCS / "results" / f"{name}.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines[0].split("\t") != COLUMNS:
        raise SystemExit(f"{path}: the columns are not {' '.join(COLUMNS)}")
    rows = []
    for number, text in enumerate(lines[1:], 2):
        cells = text.split("\t")
        if len(cells) != len(COLUMNS):
            raise SystemExit(f"{path}:{number}: {len(cells)} cells instead of {len(COLUMNS)}")
        row = dict(zip(COLUMNS, cells))
        if row["load"] not in LOADS:
            raise SystemExit(f"{path}:{number}: load is one of {', '.join(LOADS[1:])}, or empty")
        for column in ("seconds", "cpu", "memory", "work", "bytes"):
            row[column] = float(row[column]) if row[column] else None
        rows.append(row)
    return rows


def latest(rows):
    """The last measurement of each case."""
    return {row["case"]: row for row in rows}


def time(seconds):
    """A time as people say it."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:g} s"
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"


def memory(mib):
    """An amount of memory."""
    if mib is None:
        return ""
    return f"{mib:g} MiB" if mib < 1000 else f"{mib / 1024:.3g} GiB"


def size(count):
    """A number of bytes, as the programs print it."""
    if count < 10_000:
        return f"{count:,.0f} bytes"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        count /= 1024
        if count < 1000:
            break
    return f"{count:.3g} {unit}"


def count(number):
    """A number, rounded where it is large."""
    if number < 1e7:
        return f"{number:,.0f}"
    digits = f"{number:.2e}"
    mantissa, exponent = digits.split("e")
    return f"{float(mantissa):g} × 10{str(int(exponent)).translate(RAISED)}"


def rate(row):
    """What was done in a second, where that says something."""
    if row["unit"].endswith("/s"):
        return row["work"]
    seconds = row["cpu"] or row["seconds"]
    return row["work"] / seconds if row["work"] and seconds and not row["unit"].endswith(" in all") else None


def result(row):
    """What came out."""
    parts = [row["figure"]] if row["figure"] else []
    speed = rate(row)
    if speed and not row["figure"]:
        unit = row["unit"].removesuffix("/s")
        parts.append(f"{speed / 1e6:.3g} million {unit}/s" if speed > 1e5 else f"{speed:,.0f} {unit}/s")
    if row["unit"].endswith(" in all"):
        parts.append(f"{count(row['work'])} {row['unit'].removesuffix(' in all')}")
    if row["bytes"]:
        parts.append(size(row["bytes"]))
        if row["unit"] == "positions" and row["seconds"] is None:
            dense = row["work"] / row["bytes"]
            parts.append(f"{dense:.3g} positions a byte" if dense > 20 else f"{1 / dense:.3g} bytes a position")
    return "; ".join(parts)


def ratio(row, rows, shown):
    """How a measurement compares with its baseline, which is named: by its row where it is shown."""
    if not row["baseline"]:
        return ""
    case, _, commit = row["baseline"].partition("@")
    found = [other for other in rows if other["case"] == case and other["commit"].startswith(commit)]
    if not found:
        raise SystemExit(f"{row['case']}: there is no baseline {row['baseline']}")
    other = found[-1]
    for what, value in (("time", "seconds"), ("time", "cpu"), ("rate", rate), ("size", "bytes")):
        ours, theirs = (value(each) if callable(value) else each[value] for each in (row, other))
        if ours and theirs:
            break
    else:
        raise SystemExit(f"{row['case']}: nothing to compare with {row['baseline']}")
    if other in shown:
        name = f"row {shown.index(other) + 1}"
    elif other["commit"] == "-":
        name = case
    else:
        name = f"`{other['commit']}`" + (f", {case}" if case != row["case"] else "")
    return f"{ours / theirs:.3g} × the {what} of {name}"


def measurements(name):
    """The last measurement of each case of a file, and the commands and notes."""
    rows = rows_of(name)
    shown = [row for row in latest(rows).values() if row["commit"] != "-"]
    out = header("", "what", "time", "memory", "result", "ratio", "measured")
    commands = {}
    for number, row in enumerate(shown, 1):
        cpu = f"{time(row['cpu'])} of processor time" if row["cpu"] is not None else ""
        measured = [f"{row['date']} `{row['commit']}`"]
        measured += [f"median of {row['runs']}"] if row["runs"] not in ("", "1") else []
        measured += [words] if (words := {"idle": "idle", "busy": "busy"}.get(row["load"])) else []
        cells = [str(number), row["case"], ", ".join(filter(None, [time(row["seconds"]), cpu]))]
        cells += [memory(row["memory"]), result(row), ratio(row, rows, shown), ", ".join(measured)]
        out.append(line(cells))
        commands.setdefault(row["command"], []).append(f"{number}: {row['note']}" if row["note"] else str(number))
    out += ["", "```sh"]
    for command, notes in commands.items():
        out += [f"# {note}" for note in notes]
        out += [command] if "(" in command else command.split("; ")
    return out + ["```"]


def line(cells):
    """A line of a table."""
    return "| " + " | ".join(cells) + " |"


def header(*columns):
    """The two lines that begin a table."""
    return [line(columns), "|" + "---|" * len(columns)]


def ladder_data():
    """Nodes by game and number of pieces, and positions of closed sets by game."""
    nodes, closed = {}, {}
    for case, row in latest(rows_of("ladder")).items():
        if found := re.fullmatch(r"(.*) over ≤ (\d+): both questions", case):
            nodes.setdefault(found[1], {})[int(found[2])] = row["work"]
        elif found := re.fullmatch(r"(.*): positions in the two closed sets", case):
            closed[found[1]] = row["work"]
    return nodes, closed


def solved(*games):
    """What the solved games took."""
    boards = {game: board for game, *board in ladder.SOLVED}
    cases, proofs = latest(rows_of("ladder")), latest(rows_of("proofs"))
    out = header(
        *("game", "pieces", "nodes, does White win?", "does Black win?", "proved", "memory"),
        *("closed sets", "certificate", "checked"),
    )
    for game in games:
        side = boards[game][2]
        proof, check = proofs[f"{game} proved from nothing"], proofs[f"{game} checked"]
        certificate = proofs.get(f"{game} certificate") or proofs[f"{game} certificate without the database"]
        closed = cases[f"{game}: positions in the two closed sets"]["work"]
        cells = [game, f"{side} + {side}"]
        cells += [count(cases[f"{game}: does {who} win?"]["work"]) for who in ("White", "Black")]
        cells += [time(proof["seconds"]), memory(proof["memory"])]
        out.append(line(cells + [count(closed), size(certificate["bytes"]), time(check["seconds"])]))
    return out


def solved_games():
    """By game the last run that proved it: nodes of both questions, bytes of the certificate, value."""
    cases = latest(rows_of("ladder")).items()
    return {case.removesuffix(": value"): row for case, row in cases if case.endswith(": value")}


def values():
    """The ladder of the README: each game with its value, and what it took."""
    model = ladder.Model(*ladder_data())
    proofs = latest(rows_of("proofs"))
    out = header("game", "squares", "pieces", "value", "nodes", "proved", "checked", "certificate")
    for game, row in solved_games().items():
        proof, check = proofs.get(f"{game} proved from nothing"), proofs.get(f"{game} checked")
        cells = [game, *ladder.shape(game), row["figure"], count(row["work"])]
        cells += [time(each["seconds"]) if each else "" for each in (proof, check)]
        out.append(line(cells + [size(row["bytes"])]))
    for game, value in ladder.NOT_PROVED.items():
        nodes = count(float(f"{model.nodes(game, 6):.0e}"))
        out.append(line([game, *ladder.shape(game), value, f"model: {nodes}", "", "", ""]))
    return out


def growth():
    """How nodes grow with the game and fall with the database, and the laws fitted to that."""
    nodes, closed = ladder_data()
    model = ladder.Model(nodes, closed)
    out = header("game", "positions", "nodes over ≤ 6 pieces", "each piece more in the database")
    for game, *_ in ladder.SOLVED:
        most, least = max(nodes[game]), min(nodes[game])
        fall = ""
        if most > least:
            times = (nodes[game][least] / nodes[game][most]) ** (1 / (most - least))
            fall = f"{times:.1f} times fewer ({least} to {most})"
        out.append(line([game, count(float(f"{model.sizes[game]:.1e}")), count(nodes[game][6]), fall]))
    out += ["", f"* nodes = {model.factor:.2g} × positions^{model.power:.2f}, within a factor of {model.spread:.1f};"]
    return out + [f"* positions in closed sets = {model.base:.2g} × nodes^{model.share:.2f}."]


def forecast():
    """What the model says of the games that are not solved."""
    model = ladder.Model(*ladder_data())
    out = header("game", "N", "nodes", "core-hours", "leaf searches of 10⁷ nodes", "certificate")

    def one(number):
        return count(float(f"{number:.0e}")) if number >= 1 else f"{number:.1g}"

    for game, *_ in ladder.OPEN:
        for pieces in (6, 8, 10):
            nodes = model.nodes(game, pieces)
            hours = nodes / ladder.NODES_PER_SECOND / 3600
            certificate = size(float(f"{model.certificate(game, pieces):.0e}"))
            out.append(line([game, str(pieces), one(nodes), one(hours), one(nodes / 1e7), certificate]))
    return out


def farm():
    """What a farm of many workers loses, by simulation."""
    return farm_simulation.table()


def rent():
    """What 8x8 would cost on rented machines."""
    return rented.table()


def openings():
    """The model's nodes of 8x8, shared out among the openings of 2007 by their searches then."""
    model = ladder.Model(*ladder_data())
    text = (DOCS.parent / "corpus/openings.tsv").read_text(encoding="utf-8")
    _, *rows = [row.split("\t") for row in text.splitlines() if not row.startswith("#")]
    searches = sum(int(row[3]) for row in rows)
    out = header("opening", "moves", "2007", "searches in 2007", "nodes over ≤ 6", "over ≤ 8", "core-hours")
    for number, moves, proof, then, *_ in rows:
        over6, over8 = (model.nodes("8x8", pieces) * int(then) / searches for pieces in (6, 8))
        hours = over8 / ladder.NODES_PER_SECOND / 3600
        cells = [count(float(f"{n:.0e}")) for n in (over6, over8)]
        out.append(line([number, moves, proof, f"{int(then):,}", *cells, f"{float(f'{hours:.1g}'):g}"]))
    return out


def experiments():
    """The pages of experiments: number, what, decision."""
    out = header("", "experiment", "decision")
    for path in sorted((DOCS / "experiments").glob("[0-9]*.md")):
        text = path.read_text(encoding="utf-8")
        number, title = re.match(r"# (\d+) (.*)\n", text).groups()
        decision = re.search(r"^\*\*Decision\.\*\* (.*?)[.;:\n]", text, re.M)[1]
        out.append(line([number, f"[{title}]({path.name})", decision]))
    return out


MAKERS = (measurements, solved, values, growth, forecast, openings, farm, rent, experiments)
KINDS = {kind.__name__: kind for kind in MAKERS}


def filled(text):
    """A document with its tables made again."""

    def table(found):
        kind, *arguments = found[1].split()
        return f"<!-- table: {found[1]} -->\n" + "\n".join(KINDS[kind](*arguments)) + "\n<!-- end -->"

    return re.sub(r"<!-- table: ([^>]*?) -->\n.*?<!-- end -->", table, text, flags=re.S)


def proved_again(command):
    """The nodes and the bytes that the commands of a row give today."""
    prove = DOCS.parent / "target/release/prove"
    with tempfile.TemporaryDirectory() as place:
        said = ""
        for each in command.split("; "):
            arguments = [prove, *each.split(" ")[1:]]
            run = subprocess.run(arguments, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            if run.returncode:
                raise SystemExit(f"{each}: status {run.returncode}")
            said += run.stdout
    nodes = sum(int(found) for found in re.findall(r" searched=(\d+) ", said))
    return nodes, int(re.search(r"^certificate .* ([\d,]+) bytes, root=", said, re.M)[1].replace(",", ""))


def check_small_games():
    """Fails if a game that takes seconds does not give what the README says of it."""
    small = {game: row for game, row in solved_games().items() if row["command"].startswith(f"prove --game {game} --emit cert;")}
    for game, row in small.items():
        found, expected = proved_again(row["command"]), (row["work"], row["bytes"])
        if found != expected:
            raise SystemExit(f"{game}: docs/results has nodes and bytes {expected}, {row['command']} gives {found}")
    if len(small) < 7:
        raise SystemExit(f"only {', '.join(small)} are checked")


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        raise SystemExit(__doc__)
    different = []
    for path in DOCUMENTS:
        old = path.read_text(encoding="utf-8")
        new = filled(old)
        if new != old:
            different.append(str(path.relative_to(DOCS.parent)))
            if not check:
                path.write_text(new, encoding="utf-8")
    if check and different:
        raise SystemExit("not what docs/tables.py makes: " + ", ".join(different))
    if check:
        check_small_games()


if __name__ == "__main__":
    main()
