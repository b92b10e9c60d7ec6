"""SPEC §10: the verdicts. SPEC §9: reading a file field by field, so that what is first wrong has its place."""

import os
import stat
import struct


class Verdict(Exception):
    """The end of a check: its line and the exit status."""

    def __init__(self, status, words, **fields):
        super().__init__(status)
        self.status = status
        self.line = " ".join(["s", words] + [f"{name}={escape(value)}" for name, value in fields.items()])


def escape(value):
    raw = value if isinstance(value, bytes) else os.fsencode(str(value))
    return "".join(chr(b) if 0x21 <= b <= 0x7E and b != 0x25 else "%%%02x" % b for b in raw)


def require(holds, rule, file, **place):
    if not holds:
        raise Verdict(1, f"REFUTED {rule}", file=file, **place)


def declined(what, file, expected, found):
    return Verdict(3, f"DECLINED {what}", file=file, expected=expected, found=found)


def error(text):
    return Verdict(4, "ERROR " + " ".join(map(escape, text.split())))


def need_directory(path):
    if not os.path.isdir(path):
        raise error(f"{path}: no such directory")


def read(directory, name, shown):
    """The bytes of an ordinary file; anything else in its place is `[listing]`."""
    path = os.path.join(directory, name)
    require(os.path.lexists(path) and stat.S_ISREG(os.lstat(path).st_mode), "listing", shown)
    with open(path, "rb") as file:
        return file.read()


class Fields:
    """A file read field by field; `rule` is broken where one is not there or not what it must be."""

    def __init__(self, data, rule, file):
        self.data, self.rule, self.file, self.at = data, rule, file, 0

    def agree(self, holds, offset):
        require(holds, self.rule, self.file, offset=offset)

    def take(self, form):
        """The next field, by a letter of `struct`."""
        at, size = self.at, struct.calcsize("<" + form)
        self.agree(at + size <= len(self.data), at)
        self.at += size
        return struct.unpack_from("<" + form, self.data, at)[0]

    def expect(self, wanted):
        at = self.at
        self.agree(self.take(f"{len(wanted)}s") == wanted, at)

    def head(self, magic, version):
        """Judged before anything else in a file (§10)."""
        self.expect(magic)
        found = self.take("I")
        if found != version:
            raise declined("version", self.file, version, found)
