"""SPEC §3.1: a file read field by field. Fields are of fixed width, or in postcard."""

import re
import struct

from files import require, require_known

VERSION = 1
HEAD = 12  # bytes of magic and version
REMAKE = "make the certificate again with: prove --emit"
CONVERT = "convert the database with: prove db"

class Fields:
    """The fields of a file; `rule` is broken where one is not there or not what it must be."""
    def __init__(self, data, rule, file, magic, remedy):
        self.data, self.rule, self.file, self.at = data, rule, file, 0
        self.agree(self.take("8s") == [magic], 0)  # these two before anything else (§10)
        require_known(self.take("I") == [VERSION], "version", file, f"{VERSION} ({remedy})")

    def agree(self, holds, offset):
        require(holds, self.rule, self.file, offset=offset)

    def end(self):
        self.agree(self.at == len(self.data), self.at)

    def take(self, form):
        """The next fields of fixed width, by the letters of `struct`."""
        found = []
        for field in re.findall("[0-9]*[A-Za-z]", form):
            start, self.at = self.at, self.at + struct.calcsize("<" + field)
            self.agree(self.at <= len(self.data), start)
            found += struct.unpack_from("<" + field, self.data, start)
        return found

    def postcard(self, kind):
        """The next value of a kind, which are the functions below. Where there is none, its beginning is wrong;
        where its encoding is not the shortest, the first byte that differs from that."""
        start, self.padded = self.at, None
        try:
            value = kind(self)
        except ValueError:
            self.agree(False, start)
        self.agree(self.padded is None, self.padded)
        return value

    def count(self, most, sizes):
        """The number of records that fill the rest of the file, each of so many bytes at least and at most."""
        start, n = self.at, self.postcard(u64)
        self.agree(n <= most and n * sizes[0] <= len(self.data) - self.at <= n * sizes[1], start)
        return n

# What follows reads a value of its kind, or raises ValueError.

def raw(n):
    def read(f):
        f.at += n
        if f.at > len(f.data):
            raise ValueError
        return f.data[f.at - n:f.at]
    return read

def u8(f):
    return raw(1)(f)[0]

def varint(width):
    """A number of so many bits, seven to a byte, lowest first. All bytes but the last have the highest bit."""
    def read(f):
        start, number, more = f.at, 0, True
        while more:
            byte = u8(f)
            number |= byte % 128 << 7 * (f.at - start - 1)
            more = byte >= 128
            if number >> width or more and 7 * (f.at - start) >= width:
                raise ValueError
        length = len(encode(number))
        if f.at > start + length and f.padded is None:
            f.padded = start + length - 1
        return number
    return read

u32, u64 = varint(32), varint(64)

def encode(number):
    """The shortest encoding of a number."""
    return (bytes([number % 128 + 128]) + encode(number >> 7)) if number >= 128 else bytes([number])

def text(f):
    return raw(u64(f))(f).decode()

def record(*kinds):
    return lambda f: [kind(f) for kind in kinds]

def sequence(kind):
    return lambda f: [kind(f) for _ in range(u64(f))]  # there are no values without bytes

def choice(*variants):
    """A number, and what follows it: of each variant the kinds of its fields."""
    def read(f):
        number = u32(f)
        if number >= len(variants):
            raise ValueError
        return [number, *record(*variants[number])(f)]
    return read

def one_of(n):
    """One of the numbers below n: a choice without anything that follows."""
    return lambda f: choice(*[()] * n)(f)[0]

def option(kind):
    def read(f):
        tag = u8(f)
        if tag > 1:
            raise ValueError
        return kind(f) if tag else None
    return read
