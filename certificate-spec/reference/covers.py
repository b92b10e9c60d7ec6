"""SPEC §8.1: covers, as tuples of clauses (N, M): at most N pieces, at most M on a side."""

import re

from wire import encode, sequence, struct, u8

def canonical(clauses):
    """The clauses that say the same, none of which another one implies."""
    trimmed = {(n, min(m, n - 1)) for n, m in ((min(n, 2 * m, 32), m) for n, m in clauses) if n >= 2}
    return tuple(sorted(c for c in trimmed if not includes(tuple(trimmed - {c}), [c])))

def includes(cover, other):
    """Whether all that the other one admits is admitted."""
    return all(any(n <= most and m <= side for most, side in cover) for n, m in other)

def admits(cover, one, other):
    """Whether positions with so many pieces of the two sides are covered."""
    return min(one, other) > 0 and includes(cover, [(one + other, max(one, other))])

def most_pieces(cover):
    return max((n for n, _ in cover), default=0)

def write(cover):
    return ",".join(str(n) if m == n - 1 else f"{n}:{m}" for n, m in cover) or "0"

def parse(text):
    """A cover from its text, or from one that means the same; None from any other."""
    matches = [re.fullmatch("([0-9]{1,2})(?::([0-9]{1,2}))?", clause) for clause in text.split(",")]
    if text == "0" or not all(matches):
        return () if text == "0" else None
    clauses = [(int(match[1]), int(match[2] or int(match[1]) - 1)) for match in matches]
    return canonical(clauses) if all(2 <= n <= 32 and 1 <= m <= 32 for n, m in clauses) else None

def cover(f):
    """The type of covers in files."""
    clauses = tuple(map(tuple, sequence(struct(u8, u8))(f)))
    if clauses != canonical(clauses):
        raise ValueError
    return clauses

def encode_cover(cover):
    return encode(len(cover)) + bytes(n for clause in cover for n in clause)
