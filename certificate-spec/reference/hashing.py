"""BLAKE3 with 32 bytes of output: the package where it is installed, else written out (slow, and the same)."""

import struct

try:
    from blake3 import blake3
except ImportError:
    blake3 = None

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
MIXED = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),  # columns
         (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))  # diagonals
CHUNK_START, CHUNK_END, PARENT, ROOT, KEY_CONTEXT, KEY_MATERIAL = 1, 2, 4, 8, 32, 64
WORD = 0xFFFFFFFF


def compress(chaining, block, counter, flags):
    """The chaining value after one block of at most 64 bytes."""
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
    """The chaining value of the tree over chunks from this number on; ROOT among the flags: over all."""
    inner = flags & ~ROOT
    if len(data) > 1024:
        left = 1024 << ((len(data) - 1) // 1024).bit_length() - 1
        children = tree(key, data[:left], chunk, inner) + tree(key, data[left:], chunk + left // 1024, inner)
        return compress(key, struct.pack("<16I", *children), 0, flags | PARENT)
    value = key
    for at in range(0, len(data) or 1, 64):
        ends = CHUNK_END | flags if at + 64 >= len(data) else 0
        value = compress(value, data[at:at + 64], chunk, inner | ends | (0 if at else CHUNK_START))
    return value


def digest(data):
    return blake3(data).digest() if blake3 else struct.pack("<8I", *tree(IV, data, 0, ROOT))


def derive_key(context, data):
    if blake3:
        return blake3(data, derive_key_context=context).digest()
    key = tree(IV, context.encode(), 0, ROOT | KEY_CONTEXT)
    return struct.pack("<8I", *tree(key, data, 0, ROOT | KEY_MATERIAL))
