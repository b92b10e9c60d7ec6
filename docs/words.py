#!/usr/bin/env python3
"""Fails if a comment, a help text or a paragraph of a document begins with a word that puts off what it
is about, or if a comment of documentation has a phrase that refers to nothing."""
import pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).parent.parent
FIRST = re.compile(r"(\*\*)?(What|That|Those|Where|How|Which|Why)\b")
PHRASES = re.compile(r"\b([Ww]hoever|[Nn]obody|[Ss]omebody|[Aa]nybody|so many|so long|so often|so much)\b|^The same\b")
wrong = []
for name in subprocess.check_output(["git", "ls-files", "*.rs", "*.md", "prover/src/cli/notes.txt"], cwd=ROOT, text=True).split():
    before = ""
    for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
        if name.endswith(".rs"):
            comment = re.match(r"\s*//[/!] (.*)", line)
            text = comment[1] if comment else ""
            begins = comment and not re.match(r"\s*//[/!]", before)
        else:
            # A heading is no sentence.
            text = re.sub(r"^\s*[*-] ", "", line)
            begins = not before.strip() or text != line
        if begins and FIRST.match(text) or name.endswith(".rs") and PHRASES.search(text):
            wrong.append(f"{name}:{number}: {text}")
        before = line
sys.exit("\n".join(["sentences that begin badly, or phrases that refer to nothing:", *wrong]) if wrong else 0)
