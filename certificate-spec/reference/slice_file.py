"""SPEC §8.3: the file of a slice."""

import struct

from database import DRAW, LOSS, WIN
from hashing import digest
from rules import bits
from verdict import Fields

CODED = 3  # in place of a value
UNDESCRIBED = (5461, 5462, 5461)


def read_head(data, piece_slice, file):
    """The value of all quiet positions or CODED; the contexts described; the directory."""
    board, units = piece_slice.board, len(piece_slice.units()) - 1
    f = Fields(data, "slice-syntax", file)
    f.head(b"DPSLICE\0", 1)
    shape, size, v, reserved, n = struct.unpack("<4s2sB5sQ", f.take("20s"))
    k, u = f.take("I"), f.take("I")
    end = 64 + 6 * k + 4 * u
    f.agree(end <= len(data), 32)
    f.agree(not any(reserved), 19)
    checksum = f.take("24s")
    f.agree(k <= 576 if v == CODED else v < CODED and k == u == 0, 18)
    f.agree(digest(data[:40] + data[64:end])[:24] == checksum, 40)
    contexts, before = {}, -1
    for at in range(64, 64 + 6 * k, 6):
        context, loss, win = f.take("H"), f.take("H"), f.take("H")
        frequencies = loss, 16384 - loss - win, win
        f.agree(before < context < 576 and min(frequencies) >= 1 and frequencies != UNDESCRIBED, at)
        contexts[context], before = frequencies, context
    directory = []
    for at in range(64 + 6 * k, end, 4):
        entry = f.take("I")
        f.agree(entry < CODED or entry & 3 == CODED and entry >> 2 >= 12, at)
        directory.append(entry)
        end += entry >> 2
    f.agree(end == len(data), min(end, len(data)))
    f.agree(shape == bytes(piece_slice.shape), 12)
    f.agree(size == bytes((board.rows, board.columns)), 16)
    f.agree(n == piece_slice.n, 24)
    f.agree(u == (units if v == CODED else 0), 36)
    return v, contexts, directory


def neighbours(board, position):
    """A lower square, as the opponent counts, is a higher bit: the opponent is White."""
    black, white, kings, turn = position
    for bit in bits(white):
        for to in board.steps[2][bit]:
            if to > bit and not (black | white) & to:
                yield black, white ^ bit ^ to, kings ^ bit ^ to if kings & bit else kings, turn


def decode_unit(database, base, payload, contexts, positions):
    """The values of a unit's quiet positions into the tables; whether the code comes out as it must."""
    if payload[:8] != digest(payload[8:])[:8]:
        return False
    x, at, p, q = int.from_bytes(payload[8:12], "little"), 12, DRAW, DRAW
    for index, position in positions:
        if x < 1 << 16:
            return False
        near = [0, 0, 0]
        for y in neighbours(database.board, position):
            there = database.address(y)
            if there >= base + positions[0][0] and database.quiet[there]:
                near[database.values[there]] += 1
        l, e, w = (min(count, 3) for count in near)
        f = contexts.get((((w * 4 + e) * 4 + l) * 3 + p) * 3 + q, UNDESCRIBED)
        m = x % 16384
        value = LOSS if m < f[0] else DRAW if m < f[0] + f[1] else WIN
        x = f[value] * (x // 16384) + m - sum(f[:value])
        if x < 1 << 16 and at + 2 <= len(payload):
            x, at = 65536 * x + int.from_bytes(payload[at:at + 2], "little"), at + 2
        database.values[base + index], p, q = value, value, p
    return x == 1 << 16 and at == len(payload)


def quiet_by_unit(database, piece_slice):
    """For each unit its quiet positions with their indices, in order; the tables get to know them."""
    for index, position in piece_slice.positions():
        database.quiet[piece_slice.base + index] = database.board.quiet(position)
    quiet = (item for item in piece_slice.positions() if database.quiet[piece_slice.base + item[0]])
    item = next(quiet, None)
    for end in piece_slice.units()[1:]:
        unit = []
        while item and item[0] < end:
            unit.append(item)
            item = next(quiet, None)
        yield unit


def decode(database, piece_slice, data, file):
    """The file's values into the tables; the offset at which a wrong value of each unit is reported."""
    v, contexts, directory = read_head(data, piece_slice, file)
    f = Fields(data, "slice-syntax", file)
    f.at = 64 + 6 * len(contexts) + 4 * len(directory)
    offsets = []
    for unit, positions in enumerate(quiet_by_unit(database, piece_slice)):
        entry = directory[unit] if v == CODED else v
        offsets.append(64 + 6 * len(contexts) + 4 * unit if v == CODED else 18)
        if entry & 3 == CODED:
            at, payload = f.at, f.take(f"{entry >> 2}s")
            f.agree(decode_unit(database, piece_slice.base, payload, contexts, positions), at)
        else:
            for index, _ in positions:
                database.values[piece_slice.base + index] = entry
    return offsets
