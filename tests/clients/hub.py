#!/usr/bin/env python3
"""Plays games against an engine by pydraughts, which speaks Hub: hub.py COMMAND ...

pydraughts has the rules of English draughts itself: a move of the engine that is not legal, or not written as
pydraughts writes it, ends this with an error. The last line says how the games ended.
"""
import random
import sys
import threading
import time

from draughts import Board, Move
from draughts.engine import HubEngine, Limit

MOST_MOVES = 400


def legal(board, move):
    """The move, which has to be one of pydraughts' own, captured squares included."""
    names = [m.hub_move for m in board.legal_moves()]
    assert move.hub_move in names, f"{move.hub_move} is none of {names} in {board.fen}"
    return move


def play(engine, board, limit):
    """Lets the engine play both sides to the end."""
    while not board.is_over() and len(board.move_stack) < MOST_MOVES:
        result = engine.play(board, limit, False)
        assert result.move.captures or "depth" in result.info or len(board.legal_moves()) == 1
        board.push(legal(board, result.move))
    return board


class Pondering(threading.Thread):
    """The engine's search for what it expects."""

    def __init__(self, engine, board, limit):
        super().__init__()
        self.engine, self.board, self.limit = engine, board, limit
        self.start()
        # A stop that comes before the search does would stop nothing.
        while engine._last_sent != "go ponder":
            time.sleep(0.001)

    def run(self):
        self.result = self.engine.play(self.board, self.limit, True)


def play_with_pondering(engine, board, limit):
    """Lets the engine play Black and ponder; White moves at random, and sometimes as expected."""
    rng, hits = random.Random(1), 0
    result = engine.play(board, limit, False)
    while True:
        board.push(legal(board, result.move))
        if board.is_over() or len(board.move_stack) >= MOST_MOVES:
            return board, hits
        if result.ponder is None:
            board.push(rng.choice(board.legal_moves()))
        else:
            expected = legal(board, result.ponder)
            ahead = board.copy()
            ahead.push(expected)
            if ahead.is_over():
                return ahead, hits
            pondering = Pondering(engine, ahead, limit)
            if rng.random() < 0.5:
                engine.ponderhit()
                pondering.join()
                board, result, hits = ahead, pondering.result, hits + 1
                continue
            engine.stop()
            pondering.join()
            board.push(rng.choice(board.legal_moves()))
        if board.is_over():
            return board, hits
        result = engine.play(board, limit, False)


def main():
    engine = HubEngine(sys.argv[1:])
    assert {"threads", "hash", "db", "ponder"} <= engine.options, engine.options
    assert engine.id["name"] == "Draughtproof", engine.id
    engine.configure({"threads": "1", "hash": "8", "ponder": True})
    engine.init()
    engine.ping()
    whole = play(engine, Board("english"), Limit(nodes=2000))
    ponder, hits = play_with_pondering(engine, Board("english"), Limit(time=3, inc=0.02))
    # A capture with two ways between the same squares, kings, and the other side to move.
    for fen in ["B:W6,7,14,15,K29:B2,K4", "B:W9,10,17,18:BK6,12", "W:WK18,24,30:BK1,12,K16"]:
        ending = play(engine, Board("english", fen), Limit(depth=6))
        assert ending.move_stack
    # A position without a move is answered, and the engine goes on.
    for fen in ["B:W32:B", "W:W29:B25,22"]:
        for limit in [Limit(depth=1), Limit(movetime=0.1), Limit(time=1, inc=0.1)]:
            over = engine.play(Board("english", fen), limit, False)
            assert over.move.is_null and over.ponder is None, over.move
    legal(Board("english"), engine.play(Board("english"), Limit(depth=1), False).move)
    engine.quit()
    assert engine.p.wait(timeout=60) == 0
    print(f"{len(whole.move_stack)} moves, result {whole.winner()}; "
          f"{len(ponder.move_stack)} moves, {hits} as expected")


main()
