"""Plays through the CheckerBoard API as a program with a board does: `checkerboard.py LIBRARY REFERENCE`.

The working directory has a database of 3 pieces with depths in `egdb`. The rules are those of the Python
reference, in the directory REFERENCE."""

import ctypes
import os
import sys
import threading

library, reference = sys.argv[1:]
sys.path.insert(0, reference)
import rules  # noqa: E402

DRAW, WIN, LOSS, UNKNOWN = range(4)
WHITE, BLACK = 1, 2
RESET = 1
START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
GUARD = b"guard"
BOARD = rules.Board(8, 8)

class Coor(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]

class Move(ctypes.Structure):
    _fields_ = [("jumps", ctypes.c_int), ("newpiece", ctypes.c_int), ("oldpiece", ctypes.c_int), ("from_", Coor),
                ("to", Coor), ("path", Coor * 12), ("del_", Coor * 12), ("delpiece", ctypes.c_int * 12)]

Cells = ctypes.c_int * 8 * 8
engine = ctypes.CDLL(library)
engine.getmove.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p,
                           ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
engine.enginecommand.argtypes = [ctypes.c_void_p, ctypes.c_void_p]

def guarded(size):
    buffer = ctypes.create_string_buffer(size + len(GUARD))
    buffer[size:size + len(GUARD)] = GUARD
    return buffer

def unguard(buffer):
    """The text; what lies behind the buffer must be as it was."""
    assert buffer[len(buffer) - len(GUARD):] == GUARD
    assert b"\0" in buffer[:len(buffer) - len(GUARD)]
    return buffer.value.decode()

def command(text, raw=None):
    reply = guarded(256)
    done = engine.enginecommand(raw if raw is not None else text.encode(), reply)
    assert done in (0, 1), done
    return done, unguard(reply)

def place(square):
    """Where a square (from 1) is: x, y."""
    y = (square - 1) // 4
    return 2 * (3 - (square - 1) % 4) + y % 2, y

def to_cells(position):
    black, white, kings, _ = position
    cells = Cells()
    for bit in rules.bits(black | white):
        x, y = place(bit.bit_length())
        cells[x][y] = (BLACK if bit & black else WHITE) | (8 if bit & kings else 4)
    return cells

def to_position(cells, turn):
    black, white, kings = (sum(1 << square - 1 for square in range(1, 33)
                               if cells[place(square)[0]][place(square)[1]] & bit) for bit in (BLACK, WHITE, 8))
    return black, white, kings, turn

def apply(move, cells):
    """A board with what a move consists of."""
    for n in range(move.jumps):
        taken = move.del_[n]
        assert cells[taken.x][taken.y] == move.delpiece[n], n
        cells[taken.x][taken.y] = 0
    assert cells[move.from_.x][move.from_.y] == move.oldpiece
    cells[move.from_.x][move.from_.y] = 0
    cells[move.to.x][move.to.y] = move.newpiece
    last = max(move.jumps, 1)
    ends = [(c.x, c.y) for c in (move.path[0], move.path[last], move.path[last + 1], move.del_[move.jumps])]
    assert ends == [(move.from_.x, move.from_.y), (move.to.x, move.to.y), (-1, -1), (-1, -1)]

def play(position, seconds=0.01, info=0, moreinfo=0, playnow=None, text=None):
    """What is claimed, the position after a legal move, and the text."""
    text = text or guarded(1024)
    cells, move = to_cells(position), Move()
    before = to_cells(position)
    claim = engine.getmove(cells, (BLACK, WHITE)[position[3]], seconds, text, playnow, info, moreinfo,
                           ctypes.byref(move))
    after = to_position(cells, 1 - position[3])
    assert after in BOARD.successors(position), (rules.write_fen(position), rules.write_fen(after))
    apply(move, before)
    assert to_position(before, 1 - position[3]) == after
    return claim, after, unguard(text)

def commands():
    for text, expected in (("get gametype", "21"), ("get protocolversion", "2"), ("get book", "0"),
                           ("set hashsize 8", "hashsize set to 8"), ("get hashsize", "8"),
                           ("set searchthreads 1", "searchthreads set to 1"),
                           ("set dbpath egdb", "dbpath set, pieces 3"), ("get dbpath", "egdb"),
                           ("help", "draughtproof.htm")):
        assert command(text) == (1, expected), (text, command(text))
    assert command("name")[1].startswith("Draughtproof") and "\n" in command("about")[1]
    assert command("get movelist B:W1:B")[0] == 0

def hostile():
    for raw in (ctypes.create_string_buffer(b"x" * 256, 256),
                ctypes.create_string_buffer(b"set gamehist ".ljust(4096), 4096),
                b"set gamehist " + b"9" * 4000, b"\xff\xfe", b"set dbpath " + b"x" * 240, b"", b"get " * 60):
        done, reply = command(None, raw)
        assert done == 0 and reply, raw
    assert engine.enginecommand(None, None) == 0 and engine.enginecommand(b"name", None) == 1
    start = rules.read_fen(START)
    for color, value in ((7, 0), (0, 0), (-1, 0), (BLACK, -1), (BLACK, 2 ** 31 - 1), (WHITE, 15), (WHITE, 1)):
        cells, move, text = to_cells(start), Move(), guarded(1024)
        cells[1][3] = value
        kept = bytes(cells)
        claim = engine.getmove(cells, color, 0.01, text, None, 0, 0, ctypes.byref(move))
        assert claim == UNKNOWN and bytes(cells) == kept and "expected" in unguard(text)
        assert move.jumps == 0 and move.from_.x == -1
    assert engine.getmove(None, BLACK, 0.01, None, None, 0, 0, None) == UNKNOWN
    assert engine.getmove(to_cells(start), BLACK, 0.01, None, None, 0, 0, None) == UNKNOWN
    # Times that are none, and clocks that have run out.
    for seconds in (0.0, -1.0, float("nan"), float("-inf")):
        play(start, seconds)
    for unit in (1, 2, 3):
        play(start, 100.0, unit << 2, 1)
    # A full board of kings, and one without the pieces of a side.
    full = (0xFFFF, 0xFFFF0000, 0xFFFFFFFF, 0)
    nothing = (0, 1 << 31, 0, 0)
    for position in (full, nothing):
        text = guarded(1024)
        legal = BOARD.successors(position)
        if legal:
            play(position)
        else:
            cells = to_cells(position)
            assert engine.getmove(cells, BLACK, 0.01, text, None, 0, 0, None) == LOSS
            assert unguard(text) == "no legal move" and to_position(cells, 0) == position

def whole_game():
    position, info, seen = rules.read_fen(START), RESET, {}
    while BOARD.successors(position) and seen.get(position, 0) < 3:
        seen[position] = seen.get(position, 0) + 1
        if len(seen) % 2:
            command("set gamehist " + rules.write_fen(position))
        claim, after, text = play(position, info=info)
        assert claim in (DRAW, WIN, LOSS, UNKNOWN) and text
        position, info = after, 0
        assert len(seen) < 1000
    assert len(seen) > 20

def won_ending():
    """Two kings against one, for Black: the other side has its legal moves chosen by turns."""
    position, plies = rules.read_fen("B:WK18:BK29,K31"), 0
    info = RESET
    while True:
        claim, position, text = play(position, info=info)
        assert claim == WIN or text == "the only move", (rules.write_fen(position), text)
        replies = BOARD.successors(position)
        if not replies:
            return
        # It keeps as many pieces as it can.
        position = max(replies, key=lambda reply: (bin(reply[1]).count("1"), hash(reply) * plies % 7))
        plies, info = plies + 2, 0
        assert plies < 80, "a won ending is not won"

def repetition():
    """In a drawn ending a known game leads elsewhere than an unknown one."""
    position = rules.read_fen("B:WK32:BK1")
    claim, first, text = play(position, info=RESET)
    assert claim == DRAW and "draw" in text
    square = (first[0]).bit_length()
    told = "set gamehist B:WK32:BK1" + f" 1-{square} 32-28 {square}-1 28-32"
    assert command(told) == (1, "gamehist set")
    assert play(position)[1] != first
    # A game that ends elsewhere says nothing.
    assert command(told + f" 1-{square}")[0] == 1
    assert play(position, info=RESET)[1] == first

def shown_games():
    """Without being told, a game is known from the positions, and one answer follows another; a reset ends it."""
    for info in (RESET, 0):
        answers, after = {}, play(rules.read_fen("B:WK32:BK1"), info=RESET)[1]
        for ply in range(40):
            # White's king moves to and fro, as long as it can.
            white = 1 << (28, 32)[ply % 2] - 1
            position = (after[0], white, after[0] | white, 0)
            if position not in BOARD.successors(after):
                break
            after = play(position, info=info)[1]
            answers.setdefault(position, set()).add(after)
        assert ply > 4 and any(len(found) > 1 for found in answers.values()) == (info != RESET)

def stopped():
    """A search without an end shows what it finds, and ends when it is to."""
    playnow, text, found = ctypes.c_int(0), guarded(1024), []
    assert command("set searchthreads 2")[0] == 1
    start = rules.read_fen(START)
    thread = threading.Thread(target=lambda: found.append(play(start, 1e300, RESET, 0, ctypes.byref(playnow), text)),
                              daemon=True)
    thread.start()
    while not text.value.startswith(b"depth"):
        thread.join(0.01)
    # Commands are answered meanwhile.
    assert command("get gametype") == (1, "21") and thread.is_alive()
    playnow.value = 1
    thread.join(60)
    assert found and found[0][0] == UNKNOWN and "nodes/s" in found[0][2], found
    # It is to end before it begins.
    assert play(start, 1e300, 0, 0, ctypes.byref(playnow))[0] == UNKNOWN

def damaged_database():
    os.makedirs("damaged/8x8")
    with open("damaged/8x8/MANIFEST", "wb") as file:
        file.write(b"no manifest at all")
    assert command("set dbpath damaged")[0] == 1
    assert "no database is used" in play(rules.read_fen(START))[2]
    assert command("set dbpath egdb")[0] == 1
    assert play(rules.read_fen("B:WK18:BK29,K31"))[0] == WIN

commands()
hostile()
whole_game()
won_ending()
repetition()
shown_games()
damaged_database()
stopped()
print("all as expected")
