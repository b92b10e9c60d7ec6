"""The installed package, over the 8x8 database that DRAUGHTPROOF_DB names (3 pieces, with depths)."""

import inspect
import multiprocessing
import os
import pathlib
import pickle
import shutil
import tempfile
import threading
import unittest

import numpy as np

import draughtproof
from draughtproof import UNKNOWN, Database, DatabaseError, Value

DIRECTORY = os.environ["DRAUGHTPROOF_DB"]
WIN, DRAW, LOSS = "B:WK18:BK29,K31", "B:WK32:BK1", "W:WK18:BK29,K31"
BEYOND, JUMP = "B:WK32:BK1,K2,K3", "B:W15:B10"


class Test(unittest.TestCase):
    def setUp(self):
        self.db = Database(DIRECTORY)

    def test_what_it_is(self):
        self.assertEqual((self.db.board, self.db.cover, self.db.pieces), ("8x8", "3", 3))
        self.assertEqual(len(self.db.root), 64)
        self.assertEqual(repr(self.db), "<Database 8x8 with 3 pieces>")

    def test_values(self):
        self.assertEqual(self.db.probe(WIN), Value.Win)
        self.assertEqual(self.db.probe(DRAW), Value.Draw)
        self.assertIsNone(self.db.probe(BEYOND))
        self.assertEqual(self.db.bounds(DRAW), (Value.Draw, Value.Draw))
        self.assertEqual(self.db.bounds(BEYOND), (Value.Loss, Value.Win))
        self.assertGreater(self.db.depth(WIN), 1)
        self.assertIsNone(self.db.depth(DRAW))
        self.assertGreaterEqual(self.db.plies(WIN), self.db.depth(WIN))
        self.assertEqual(self.db.plies(WIN), 1 + self.db.plies(self.db.moves(WIN)[0].fen))
        self.assertIsNone(self.db.plies(DRAW))
        self.assertEqual([int(v) for v in (Value.Loss, Value.Draw, Value.Win)], [0, 1, 2])

    def test_every_mode_has_the_same_values(self):
        for mode in ("cached", "resident", "mapped"):
            db = Database(DIRECTORY, "8x8", mode=mode, memory=1 << 30)
            self.assertEqual(db.probe(WIN), Value.Win)
        with self.assertRaisesRegex(ValueError, "mode: expected cached"):
            Database(DIRECTORY, mode="fast")
        with self.assertRaises(DatabaseError):
            Database(DIRECTORY, mode="resident", memory=1)

    def test_close(self):
        with Database(pathlib.Path(DIRECTORY)) as db:
            self.assertEqual(db.probe(WIN), Value.Win)
        for look in (lambda: db.probe(WIN), lambda: db.moves(WIN), lambda: db.cover, db.verify, lambda: db.pack([WIN])):
            with self.assertRaisesRegex(ValueError, "closed"):
                look()
        self.assertEqual(repr(db), "<Database 8x8, closed>")
        db.close()

    def test_processes(self):
        db = Database(DIRECTORY, mode="resident", memory=1 << 29)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.map(db.probe, [WIN, DRAW]), [Value.Win, Value.Draw])
        copied = pickle.loads(pickle.dumps(db))
        self.assertEqual(copied.__getnewargs_ex__(), db.__getnewargs_ex__())

    def test_moves(self):
        moves = self.db.moves(WIN)
        self.assertEqual(moves[0].value, Value.Win)
        self.assertEqual(moves[0].depth, self.db.depth(WIN))
        self.assertEqual(self.db.probe(moves[0].fen), Value.Loss)
        order = [int(m.lower) for m in moves]
        self.assertEqual(order, sorted(order, reverse=True))
        self.assertEqual([m.name for m in self.db.moves(JUMP)], ["10x19"])
        self.assertIsNone(self.db.moves(BEYOND)[0].value)
        self.assertRegex(repr(moves[0]), r"^<Move \S+ win, next capture, crowning or move of a man in \d+>$")

    def test_certificates(self):
        place = os.path.join(os.path.dirname(__file__), "../../../corpus/v1/win-with-ranks")
        cert = os.path.join(place, "cert")
        db = Database(os.path.join(place, "egdb"), certificates=[cert])
        start = "B:W9,10,11,12:B1,2,3,4"
        self.assertEqual((db.board, db.probe(start), db.by(start)), ("6x4", Value.Loss, "proof"))
        self.assertEqual(list(db.probe_batch([start, "W:WK12:BK1,K2,3,4"])), [0, UNKNOWN])
        self.assertTrue(all(m.value == Value.Loss and m.by == "proof" for m in db.moves(start)))
        self.assertEqual(db.by("B:WK12:BK1"), "database")
        self.assertIsNone(Database(os.path.join(place, "egdb"), "6x4").probe(start))
        with self.assertRaisesRegex(ValueError, "expected a certificate of 8x8, found 6x4"):
            Database(DIRECTORY, "8x8", certificates=[cert])
        with self.assertRaises(DatabaseError):
            Database(DIRECTORY, certificates=["/nowhere"])

    def test_batches(self):
        fens = [WIN, DRAW, BEYOND, JUMP] * 1000
        values = self.db.probe_batch(fens)
        self.assertEqual(values.dtype, np.int8)
        self.assertEqual(values[:4].tolist(), [2, 1, UNKNOWN, 2])
        words = self.db.pack(fens)
        self.assertEqual((words.dtype, words.shape), (np.uint32, (4000, 4)))
        self.assertEqual(words[3].tolist(), [1 << 9, 1 << 14, 0, 0])
        np.testing.assert_array_equal(self.db.probe_batch(words), values)
        # Rows that are not side by side in memory.
        np.testing.assert_array_equal(self.db.probe_batch(words[::2]), values[::2])
        self.assertEqual(self.db.probe_batch([]).shape, (0,))

    def test_what_is_wrong_is_named(self):
        with self.assertRaisesRegex(ValueError, "character 8"):
            self.db.probe("B:W18:B33")
        with self.assertRaisesRegex(ValueError, "position 1: FEN"):
            self.db.probe_batch([WIN, "nonsense"])
        overlap = np.array([[1, 1, 0, 0]], dtype=np.uint32)
        with self.assertRaisesRegex(ValueError, r"position 0: \(1, 1, 0, 0\) is none of 8x8"):
            self.db.probe_batch(overlap)
        with self.assertRaisesRegex(ValueError, "rows of 4 words"):
            self.db.probe_batch(np.zeros((1, 3), dtype=np.uint32))
        with self.assertRaises(TypeError):
            self.db.probe_batch(np.zeros((1, 4), dtype=np.float64))
        with self.assertRaisesRegex(ValueError, "board: expected RxC"):
            Database(DIRECTORY, "9x9")
        with self.assertRaisesRegex(DatabaseError, "no database here"):
            Database("/nowhere")

    def test_verify(self):
        calls = []
        self.db.verify(lambda done, total: calls.append((done, total)))
        self.assertEqual(calls[-1][0], calls[-1][1])
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(DIRECTORY, copy, dirs_exist_ok=True)
            path = os.path.join(copy, "8x8", "0-1-0-1")
            with open(path, "r+b") as file:
                file.seek(-1, os.SEEK_END)
                byte = file.read(1)[0]
                file.seek(-1, os.SEEK_END)
                file.write(bytes([byte ^ 1]))
            with self.assertRaisesRegex(DatabaseError, "8x8/0-1-0-1"):
                Database(copy).verify()

    def test_threads(self):
        found = []
        look = lambda: found.append([self.db.probe(fen) for fen in (WIN, DRAW)] * 100)
        threads = [threading.Thread(target=look) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(found, [[Value.Win, Value.Draw] * 100] * 4)

    def test_everything_is_described_and_typed(self):
        package = os.path.dirname(inspect.getfile(draughtproof))
        self.assertTrue(os.path.exists(os.path.join(package, "py.typed")))
        with open(os.path.join(package, "__init__.pyi"), encoding="utf-8") as file:
            types = file.read()
        for kind in (Database, draughtproof.Move, Value):
            self.assertTrue(kind.__doc__)
            for name, member in vars(kind).items():
                if not name.startswith("_") and not isinstance(member, kind):
                    self.assertTrue(member.__doc__, name)
                    self.assertIn(name, types)


if __name__ == "__main__":
    unittest.main()
