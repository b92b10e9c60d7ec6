#!/usr/bin/env python3
"""conditional.py CERT: writes a certificate as a theorem in Coq whose hypothesis is about the positions of
the database that the certificate leads to: that the claimant does not lose them, or wins them. What it
writes need not be trusted: theorems/Openings.v and its neighbours state each theorem once more. A claim of a draw is
two theorems, and not written."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "reference"))
from check import LEAF, LEAVES, MAGIC, NODES, OBJECT_HEAD, OR, read_claim, read_manifest  # noqa: E402
from wire import REMAKE, Fields  # noqa: E402

SIDES = ("Black", "White")
WORDS = 2000  # of a strategy, in a definition

def objects(folder, question):
    """The nodes and the strategies of a question."""
    nodes, strategies = [], []
    for kind, of, _, count, _, digest in read_manifest((folder / "MANIFEST").read_bytes(), (question,))[1]:
        if of != question or kind not in (NODES, LEAVES):
            continue
        f = Fields((folder / "objects" / digest.hex()).read_bytes(), "object-syntax", "objects", MAGIC[kind], REMAKE)
        f.item(OBJECT_HEAD)
        if kind == NODES:
            nodes += [f.take("5I2BH") for _ in range(count)]
        else:
            directory = [f.take("QQ") for _ in range(count)]
            strategies += [(positions, f.take(f"{length}s")[0]) for length, positions in directory]
    return nodes, strategies

def leaf(number, positions, data):
    """Definitions of the words of a strategy, and the term of a leaf."""
    words = [int.from_bytes(data[at:at + 7], "little") for at in range(0, len(data) - 6, 7)]
    rest = data[7 * len(words):]
    parts = [words[at:at + WORDS] for at in range(0, len(words), WORDS)]
    names = [f"words_{number}_{part}" for part in range(len(parts))]
    for name, part in zip(names, parts):
        print(f"Definition {name} : list int := [{'; '.join(map(hex, part))}]%uint63.")
    last = int.from_bytes(rest, "little")
    return f"(Leaf {positions} (strategy ({' ++ '.join([*names, '[]'])}) {len(rest)} {last}))"

def square(start, bit):
    black, white, kings, _ = start
    if not (black | white) & bit:
        return "none"
    return ("black" if black & bit else "white") + ("_king" if kings & bit else "_man")

def main(folder):
    board, start, _, _, value, cover, _ = read_claim((folder / "CLAIM").read_bytes())
    question = ("BLACK-NOT-LOST", "WHITE-NOT-LOST", "BLACK-WINS", "WHITE-WINS").index(value)
    claimant, win = SIDES[question % 2], question >= 2
    outcome = "Win" if win else "NotLost"
    nodes, strategies = objects(folder, question)
    print("(* Written by conditional.py. *)\nFrom Coq Require Import List Uint63.")
    print("From Draughtproof Require Import Evidence Conditional ConditionalWin Squares.\nImport ListNotations.\n")
    terms = []
    for black, white, kings, rank, data, turn, kind, _ in nodes:
        why = leaf(data, *strategies[data]) if kind == LEAF else f"(Or {data})" if kind == OR else "And"
        terms.append(f"\n  node_at {black:#x} {white:#x} {kings:#x} {SIDES[turn]} {rank} {why}")
    clauses = "; ".join(f"({n}, {m})" for n, m in cover)
    black, white, kings, turn = start
    squares = [square(start, 1 << at) for at in range(board.squares)]
    rows = [squares[at:at + 8] for at in range(0, len(squares), 8)]
    table = ";\n      ".join("; ".join(row) for row in rows)
    ns = f"nodes_of_{claimant}"
    if win:
        accepts = f"all_win (make_geometry the_board) {claimant} [{clauses}] {ns} met start"
        theorem = f"conditional_win_placed the_board {claimant} [{clauses}] {ns} start met is_small"
    else:
        accepts = f"complete {ns} met start"
        theorem = "conditional_placed _ _ _ _ start met is_small eq_refl"
    print(f"""Definition {ns} : list node := ([{";".join(terms)}])%uint63.
Notation the_board := {{| rows := {board.rows}; columns := {board.columns} |}}.
Definition start : packed := (masks {black:#x} {white:#x} {kings:#x} {SIDES[turn]})%uint63.
Definition met : list Seen.tree :=
  replays (make_geometry the_board) {claimant} [{clauses}] {ns}.

(* The kernel computes, once. *)
Lemma checked : {accepts} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma is_small : small the_board.
Proof. apply exists_small. repeat split; repeat constructor. Qed.

Opaque replays.
Theorem proved :
  (forall y, In y (reached met) -> {outcome} the_board {claimant} (unpack the_board y)) ->
  forall p, placed the_board {SIDES[turn]} [
      {table}] p ->
    {outcome} the_board {claimant} p.
Proof. exact ({theorem} checked). Qed.""")

if __name__ == "__main__":
    main(Path(sys.argv[1]))
