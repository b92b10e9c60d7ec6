#!/usr/bin/env python3
"""Fails if a link in a document of this repository leads to no file, or to no heading of it."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def anchors(text):
    """What a link to a part of a document may name: headings, as GitHub spells them, and `id`s."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M)
    spelled = {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}
    return spelled | set(re.findall(r'<a id="([^"]+)"', text))


def broken(document):
    """The links of a document that lead nowhere."""
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", document.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = document.parent / name if name else document
        if not path.exists():
            yield target
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8")):
            yield target


def main():
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = [f"{name}: {target}" for name in names.split() for target in broken(ROOT / name)]
    print("\n".join(found) or "all links lead somewhere")
    sys.exit(bool(found))


main()
