"""SPEC §3.1: a file read field by field. Fields have a fixed width, or are items in postcard."""

import re
from struct import calcsize, unpack_from

from files import require, require_known

VERSION = 1
HEAD = 12  # bytes of magic and version
REMAKE = "make the certificate again with: prove --emit"
REBUILD = "make the database again with: prove db"

class Fields:
    """The fields of a file; `rule` is broken where one is not there or not what it must be."""
    def __init__(self, data, rule, file, magic, remedy):
        self.data, self.rule, self.file, self.at, self.limit = data, rule, file, 0, len(data)
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
            start, self.at = self.at, self.at + calcsize("<" + field)
            self.agree(self.at <= len(self.data), start)
            found += unpack_from("<" + field, self.data, start)
        return found

    def item(self, read, within=None):
        """The next item of a type, which is one of the functions below. It ends within so many bytes
        of the file. Where it cannot be read, its beginning is wrong; else the byte with which the
        first varint that is too long should have ended."""
        start, self.padded = self.at, None
        self.limit = min(within or len(self.data), len(self.data))
        try:
            value = read(self)
        except ValueError:
            self.agree(False, start)
        self.agree(self.padded is None, self.padded)
        return value

    def count(self, most, sizes):
        """The number of records that fill the rest of the file, with the sizes that one may have."""
        start, n = self.at, self.item(u64)
        self.agree(n <= most and n * sizes[0] <= len(self.data) - self.at <= n * sizes[1], start)
        return n

# The types of §3.1, as functions that read a value or raise ValueError.

def raw(n):
    def read(f):
        f.at += n
        if f.at > f.limit:
            raise ValueError
        return f.data[f.at - n:f.at]
    return read

def u8(f):
    return raw(1)(f)[0]

def varint(width):
    """A number of so many bits, seven to a byte, lowest first; the last byte is less than 128."""
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
            f.padded = start + length - 1  # the first one counts
        return number
    return read

u32, u64 = varint(32), varint(64)

def encode(number):
    """The shortest encoding of a number."""
    return (bytes([number % 128 + 128]) + encode(number >> 7)) if number >= 128 else bytes([number])

def text(f):
    string = raw(u64(f))(f)
    if not all(32 <= byte <= 126 for byte in string):
        raise ValueError
    return string.decode()

def struct(*types):
    return lambda f: [read(f) for read in types]

def sequence(item):
    return lambda f: [item(f) for _ in range(u64(f))]  # there are no values without bytes

def enum(*variants):
    """The number of a variant and its fields; each variant is the types of its fields."""
    def read(f):
        number = u32(f)
        if number >= len(variants):
            raise ValueError
        return [number, *struct(*variants[number])(f)]
    return read

def one_of(n):
    """The number of a variant, of n without fields."""
    return lambda f: enum(*[()] * n)(f)[0]

def option(item):
    def read(f):
        tag = u8(f)
        if tag > 1:
            raise ValueError
        return item(f) if tag else None
    return read
