"""SPEC §3, §9, §10: files, their hashes (BLAKE3), and the verdicts on them."""

import os
import stat
import struct
from pathlib import Path

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
MIXED = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),  # columns
         (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))  # diagonals
CHUNK_START, CHUNK_END, PARENT, ROOT, KEY_CONTEXT, KEY_MATERIAL = 1, 2, 4, 8, 32, 64
WORD = 0xFFFFFFFF

def compress(chaining, block, counter, flags):
    """BLAKE3: the chaining value after one block of at most 64 bytes."""
    m = struct.unpack("<16I", block.ljust(64, b"\0"))
    v = [*chaining, *IV[:4], counter & WORD, counter >> 32, len(block), flags]
    for _ in range(7):
        for i, (a, b, c, d) in enumerate(MIXED):
            for word, high, low in ((m[2 * i], 16, 12), (m[2 * i + 1], 8, 7)):
                v[a] = (v[a] + v[b] + word) & WORD
                x = v[d] ^ v[a]
                v[d] = (x >> high | x << (32 - high)) & WORD
                v[c] = (v[c] + v[d]) & WORD
                x = v[b] ^ v[c]
                v[b] = (x >> low | x << (32 - low)) & WORD
        m = [m[i] for i in PERMUTATION]
    return tuple(v[i] ^ v[i + 8] for i in range(8))

def tree(key, data, chunk, flags):
    """BLAKE3: the chaining value of the tree over chunks from this number on; ROOT among the flags: over all."""
    inner, value = flags & ~ROOT, key
    if len(data) > 1024:
        left = 1024 << ((len(data) - 1) // 1024).bit_length() - 1
        children = tree(key, data[:left], chunk, inner) + tree(key, data[left:], chunk + left // 1024, inner)
        return compress(key, struct.pack("<16I", *children), 0, flags | PARENT)
    for at in range(0, len(data) or 1, 64):
        ends = CHUNK_END | flags if at + 64 >= len(data) else 0
        value = compress(value, data[at:at + 64], chunk, inner | ends | (0 if at else CHUNK_START))
    return value

def digest(data, key=IV, flags=0):
    return struct.pack("<8I", *tree(key, data, 0, ROOT | flags))

def derive_key(context, data):
    return digest(data, tree(IV, context.encode(), 0, ROOT | KEY_CONTEXT), KEY_MATERIAL)

class Verdict(Exception):
    """The end of a check: the exit status and the line (§10). Fields that are None do not occur."""
    def __init__(self, status, words, **fields):
        given = {name.replace("_", "-"): value for name, value in fields.items() if value is not None}
        self.status, self.line = status, f"s {words}" + "".join(f" {k}={escape(v)}" for k, v in given.items())

def escape(value):
    raw = value if isinstance(value, bytes) else os.fsencode(str(value))
    return "".join(chr(b) if 0x21 <= b <= 0x7E and b != 0x25 else "%%%02x" % b for b in raw)

def require(holds, rule, file, **place):
    if not holds:
        raise Verdict(1, f"REFUTED {rule}", file=file, **place)

def require_known(known, what, file, expected=None):
    if not known:
        raise Verdict(3, f"DECLINED {what}", file=file, expected=expected)

def entries(directory, prefix=""):
    """The names, and the kinds, of what is in a directory."""
    found = Path(directory).iterdir()
    return {(os.fsencode(prefix + path.name), stat.S_IFMT(path.lstat().st_mode)) for path in found}

def require_listing(wanted, found):
    """§3: that these entries are those wanted; what is missing comes first."""
    for name, _ in sorted(wanted - found) + sorted(found - wanted):
        require(False, "listing", name)

def read(directory, name):
    """The bytes of an ordinary file; anything else in its place is `[listing]`."""
    path = Path(directory, name)
    require(path.is_file() and not path.is_symlink(), "listing", name)
    return path.read_bytes()
