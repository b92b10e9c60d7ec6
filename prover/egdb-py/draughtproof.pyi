"""Endgame databases of checkers: values, depths and moves of positions with few pieces."""

import os
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, final

import numpy as np
from numpy.typing import NDArray

__version__: str

UNKNOWN: int
"""In arrays: a position whose value is not known."""

class DatabaseError(Exception):
    """A database or certificate that is not there, or a file of it that cannot be read or is damaged."""

@final
class Value:
    """What a position is worth for the side to move. As a number: 0, 1, 2."""

    Loss: ClassVar[Value]
    Draw: ClassVar[Value]
    Win: ClassVar[Value]
    def __int__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@final
class Move:
    """A legal move and what is known of it."""

    @property
    def name(self) -> str:
        """Its name in PDN, such as ``22x15``."""
    @property
    def fen(self) -> str:
        """The position after it."""
    @property
    def lower(self) -> Value:
        """Its value for the side that makes it is at least this."""
    @property
    def upper(self) -> Value:
        """And at most this."""
    @property
    def value(self) -> Value | None:
        """The value, where both bounds are the same."""
    @property
    def depth(self) -> int | None:
        """The plies until the next capture, crowning or move of a man, this move included."""
    @property
    def by(self) -> str | None:
        """What the value rests on: ``database``, ``proof`` (a certificate) or ``rules``; ``None``
        if it is unknown."""

@final
class Database:
    """The database of a board, opened for look-ups by any number of threads."""

    def __new__(
        cls,
        directory: str | os.PathLike[str],
        board: str | None = None,
        *,
        certificates: Sequence[str | os.PathLike[str]] = [],
        mode: Literal["cached", "resident", "mapped"] = "cached",
        memory: int = 268435456,
    ) -> Database:
        """Opens the database of a board (``RxC``) in a directory of databases.

        ``certificates`` are directories of certificates; values that they prove are known, too.
        They are not verified: that is for ``check``. Without ``board`` it is that of the first of
        them, else 8x8.

        ``mode`` says where values are: ``cached`` (decoded when they are needed, at most ``memory``
        bytes of them kept), ``resident`` (all in memory, decoded now, at most ``memory`` bytes) or
        ``mapped`` (in the tables that ``prove db map`` makes; otherwise as ``cached``).
        """
    def close(self) -> None:
        """Close the files and free the memory; later look-ups raise ``ValueError``."""
    def __enter__(self) -> Database: ...
    def __exit__(self, *_: object) -> None: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, object]]:
        """What is pickled: a copy in another process opens the same files."""
    @property
    def board(self) -> str:
        """The board, such as ``8x8``."""
    @property
    def cover(self) -> str:
        """Which positions are covered: ``6`` are all with at most 6 pieces, ``7,8:4`` also those
        with at most 8 of which neither side has more than 4."""
    @property
    def pieces(self) -> int:
        """The largest number of pieces of a position that is covered."""
    @property
    def root(self) -> str:
        """A hash that all its files follow from, in hexadecimal digits."""
    def probe(self, fen: str) -> Value | None:
        """The value for the side to move; ``None`` where neither the database nor a certificate has
        one."""
    def bounds(self, fen: str) -> tuple[Value, Value]:
        """What the value lies between: from the database, certificates, the rules, or the values of
        the moves."""
    def by(self, fen: str) -> str | None:
        """What these bounds rest on: ``database``, ``proof`` (a certificate), ``rules`` or
        ``moves``; ``None`` if nothing is known."""
    def depth(self, fen: str) -> int | None:
        """The plies until the next capture, crowning or move of a man that keeps a win or loss;
        ``None`` for a draw and where no depths are stored (``prove db --depth``)."""
    def plies(self, fen: str) -> int | None:
        """The plies to the end of the game if the winner hurries to each next capture, crowning or
        move of a man, and the loser delays it; ``None`` as for ``depth``."""
    def moves(self, fen: str) -> list[Move]:
        """The legal moves, the best first."""
    def probe_batch(self, positions: Sequence[str] | NDArray[np.uint32]) -> NDArray[np.int8]:
        """The values of many positions: 0 a loss, 1 a draw, 2 a win, 3 not known.

        Positions are FENs, or rows ``(black, white, kings, white to move)`` as from ``pack``. What
        must be decoded is decoded once, by all processors.
        """
    def pack(self, fens: Sequence[str]) -> NDArray[np.uint32]:
        """Positions as rows ``(black, white, kings, white to move)``, bit n − 1 for square n."""
    def verify(self, progress: Callable[[int, int], object] | None = None) -> None:
        """Verifies that all files are as they were written, by their lengths and hashes.

        ``progress`` is called with the bytes verified and their total after each file. Raises
        ``DatabaseError`` with the name of the first file that is not right.
        """
