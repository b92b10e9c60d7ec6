#!/usr/bin/env python3
"""Counts the lines of each crate: of its product, and of its tests and examples,
without comments and empty lines.
Prints docs/sizes.tsv; with --check it fails if a crate has more lines than its row there says."""
import pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).parent.parent
names = subprocess.check_output(["git", "ls-files", "*.rs", "*Cargo.toml"], cwd=ROOT, text=True).split()
crates = sorted((pathlib.Path(n).parent for n in names if n.endswith("/Cargo.toml")), key=lambda p: -len(p.parts))
sizes = {crate: [0, 0] for crate in crates}
for name in (pathlib.Path(n) for n in names if n.endswith(".rs") and (ROOT / n).exists()):
    crate = next(crate for crate in crates if crate in name.parents)
    is_test = crate.parts[0] == "tests" or bool({"tests", "examples"} & set(name.relative_to(crate).parts))
    for line in (ROOT / name).read_text().splitlines():
        is_test = is_test or line == "#[cfg(test)]"
        if line.strip() and not re.match(r"\s*//", line):
            sizes[crate][is_test] += 1
rows = [f"{crate}\t{product}\t{tests}" for crate, (product, tests) in sorted(sizes.items())]
if sys.argv[1:] == ["--check"]:
    kept = (line.split("\t") for line in (ROOT / "docs/sizes.tsv").read_text().splitlines()[1:])
    most = {crate: (int(product), int(tests)) for crate, product, tests in kept}
    grown = [r for r in rows if any(int(n) > m for n, m in zip(r.split("\t")[1:], most.get(r.split("\t")[0], (0, 0))))]
    sys.exit("\n".join(["more lines than docs/sizes.tsv says:", *grown]) if grown else 0)
print("crate", "product", "tests", sep="\t")
print(*rows, sep="\n")
