#!/usr/bin/env python3
"""Reads the golden blocks with a reader made from docs/format.md and xxHash alone.

    tests/golden/read_blocks.py [--explain KEY] FILE...
    tests/golden/read_blocks.py --bytes [--out BLOCK] SSTABLE...

For each FILE, a dump by make_golden, compares its false positives, its rate and
its keys with this reader's answers. Exits with 1 if any differs. --explain
shows how a key is looked up. --bytes prints the bytes of all blocks in SSTables,
with what they mean, and --out writes those blocks to a file.
"""
import argparse
import ctypes
import os
import struct
import sys

MASK64 = (1 << 64) - 1
XXHASH = ctypes.CDLL("libxxhash.so.0")
XXHASH.XXH3_64bits.restype = ctypes.c_uint64
XXHASH.XXH3_64bits.argtypes = ctypes.c_char_p, ctypes.c_size_t


def parity(word):
    return bin(word).count("1") & 1


def rotl(word, bits):
    return (word << bits | word >> (64 - bits)) & MASK64


def folded_product(a, b):
    return (a * b & MASK64) ^ (a * b >> 64)


def word64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def word32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def xxh3(data):
    return XXHASH.XXH3_64bits(data, len(data))


def siphash13(data, key0, key1):
    v = [key0 ^ 0x736F6D6570736575, key1 ^ 0x646F72616E646F6D,
         key0 ^ 0x6C7967656E657261, key1 ^ 0x7465646279746573]

    def sip_round():
        v[0] = v[0] + v[1] & MASK64
        v[1] = rotl(v[1], 13) ^ v[0]
        v[0] = rotl(v[0], 32)
        v[2] = v[2] + v[3] & MASK64
        v[3] = rotl(v[3], 16) ^ v[2]
        v[0] = v[0] + v[3] & MASK64
        v[3] = rotl(v[3], 21) ^ v[0]
        v[2] = v[2] + v[1] & MASK64
        v[1] = rotl(v[1], 17) ^ v[2]
        v[2] = rotl(v[2], 32)

    size = len(data) // 8 * 8 + 7
    padded = data.ljust(size, b"\0") + bytes([len(data) & 255])
    for at in range(0, size, 8):
        word = word64(padded, at)
        v[3] ^= word
        sip_round()
        v[0] ^= word
    v[2] ^= 255
    for _ in range(3):
        sip_round()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


# docs/format.md, "Solved lines".
FACTORS = [0xFD7046C5, 0xEF9C4C41, 0xE5B3A6D7, 0xDB4F0B91,
           0xCC9E2D53, 0xBF58476D, 0xB492B66F, 0xF1BBCDCB]
UNKNOWNS = (1 << 63) - 1
TAIL = b"\xff\x4c\x00\x4c\x42"


def solved_equations(h, total):
    """Yields (stage, masks of the words, wanted parity) for each probe."""
    x = h * 0xC2B2AE3D27D4EB4F & MASK64
    y = h * 0xD6E8FEB86659FD93 & MASK64
    byte = [h >> 20 & 255, h >> 12 & 255, y >> 56, y >> 48 & 255]
    p = total >> 5
    left = (total & 63) + (h >> 4 & 31) >> 5

    def bound(probes):
        return max(32, 2016 * probes // total - 2 & ~3)

    def planes(width, mask_at, wanted):
        for first in range(0, 8, width):
            yield [mask_at(first, i - first) if first <= i < first + width
                   else 0 for i in range(8)], wanted(first)

    def later(shift, columns, repeat):
        def mask_at(first, place):
            factor = FACTORS[place if repeat else first + place]
            seed = x >> shift & 0xFFFFFFFF
            return (seed * factor << 15) & UNKNOWNS >> columns << columns
        return mask_at

    x_of = [x]
    for _ in range(3):
        x_of.append(folded_product(x_of[-1], 0x9FB21C651E98DF25))
    width = 1 if total >= 256 else 2 if total >= 128 else 4
    rounds = max(p // 8, 1)
    for r in range(rounds):
        for plane in planes(
                width, lambda first, place: x_of[r + place] & UNKNOWNS,
                lambda first: parity(byte[r] >> first & (1 << width) - 1)):
            yield "first", *plane
    done, e = rounds * 8 // width, byte[rounds]
    if width == 1 and p & 4:
        for plane in planes(2, later(0, bound(done), True),
                            lambda first: e >> first & 1):
            yield "pairs", *plane
        done += 4
    if width <= 2 and p & 2:
        for plane in planes(4, later(10, bound(done), True),
                            lambda first: e >> first + 1 & 1):
            yield "fours", *plane
        done += 2
    halves = list(planes(4, later(20, bound(done), False),
                         lambda first: e >> first + 3 & 1))
    if left == 1:
        (low, low_wanted), (high, high_wanted) = halves
        yield ("last", [a | b for a, b in zip(low, high)],
               low_wanted ^ high_wanted)
    if left == 2:
        for plane in halves:
            yield "last", *plane


class Block:
    """A filter block. Raises ValueError if everything may match."""

    def __init__(self, data):
        def need(holds, problem):
            if not holds:
                raise ValueError(problem)

        need(len(data) >= 31 and data[-5:] == TAIL, "tail")
        size = data[-6]
        need(26 <= size <= len(data) - 5, "size of the metadata")
        meta = data[len(data) - 5 - size:-5]
        need(xxh3(meta[:-5]) & 0xFFFFFFFF == word32(meta, size - 5), "checksum")
        version, kind, self.base, self.step = meta[:4]
        self.lines, self.keys = struct.unpack_from("<II", meta, 4)
        self.rate = struct.unpack_from("<f", meta, 12)[0]
        flags = meta[20]
        need(version == 1 and flags < 32, "version or flags")
        fields = [8 * (flags >> 2 & 1), 8 * (flags >> 3 & 1),
                  4 * (flags >> 4 & 1)]
        need(size >= 26 + sum(fields), "no room for the fields")
        self.seed = word64(meta, 21) if fields[0] else 0
        need(not fields[0] or self.seed, "hash seed")
        self.canonical_key = word64(meta, 21 + fields[0]) if fields[1] else 0
        need(not fields[1] or self.canonical_key, "canonical key")
        need(kind == 2 and self.base >= 64 and 1 <= self.step <= 3,
             "kind of line")
        groups = (self.lines + 7) // 8
        need(self.lines > 0 and
             len(data) == 64 * self.lines + groups + size + 5, "lines")
        self.codes = data[64 * self.lines:64 * self.lines + groups]
        need(self.lines % 8 == 0 or self.codes[-1] == 0, "code")
        self.words = [struct.unpack_from("<8Q", data, 64 * i)
                      for i in range(self.lines)]

    def hash(self, key):
        key1 = xxh3(struct.pack("<Q", self.seed))
        return siphash13(key, self.seed, key1) if self.seed else xxh3(key)

    def line_of(self, h):
        line, i = h * self.lines >> 64, h * self.lines >> 61 & 7
        if self.codes[line // 8] >> i & 1:
            return line ^ max(i, 1)
        return line

    def total(self, line):  # 0 if every key may match
        header = sum((w >> 63) << i for i, w in enumerate(self.words[line]))
        return self.base + self.step * header if header else 0

    def may_match(self, key):
        h = self.hash(key)
        words = self.words[self.line_of(h)]
        total = self.total(self.line_of(h))
        return total == 0 or all(
            sum(parity(w & m) for w, m in zip(words, masks)) % 2 == wanted
            for _, masks, wanted in solved_equations(h, total))

    def exact_rate(self):
        def rate(line):
            t = self.total(line)
            return 2.0 ** -(t >> 5) * (1 - t % 32 / 64) if t else 1.0
        return sum(rate(line) for line in range(self.lines)) / self.lines


def blocks_in(data):
    """Yields (offset, bytes, Block) of those in an SSTable, found by their tails."""
    end = data.find(TAIL)
    while end >= 0:
        metadata = end - data[end - 1]
        lines = word32(data, metadata + 4) if metadata >= 0 else 0
        begin = metadata - (lines + 7) // 8 - 64 * lines
        try:
            block = data[max(begin, 0):end + 5]
            yield begin, block, Block(block)
        except ValueError:
            pass
        end = data.find(TAIL, end + 1)


def print_bytes(path, out):
    with open(path, "rb") as file:
        data = file.read()
    count = 0
    for count, (offset, block, read) in enumerate(blocks_in(data), 1):
        print(f"{path}: filter of {len(block):,} bytes at offset {offset}")
        at = 0

        def row(size, meaning):
            nonlocal at
            for start in range(at, at + size, 32):
                part = block[start:min(start + 32, at + size)]
                print(f"{start:06x}: {part.hex(' ', 8)}" + f"  # {meaning}" * (start == at))
            at += size

        def field(form, meaning):
            row(struct.calcsize(form), f"{meaning} {struct.unpack_from(form, block, at)[0]:.6g}"
                if form == "<f" else f"{meaning} {struct.unpack_from(form, block, at)[0]}")

        for line in range(read.lines):
            row(64, f"line {line}, T {read.total(line)}")
        row(len(read.codes), "codes")
        flags = block[at + 20]
        for form, name in (("B", "version"), ("B", "line kind"), ("B", "base"), ("B", "step"),
                           ("<I", "lines"), ("<I", "keys"), ("<f", "expected false-positive rate"),
                           ("<f" if flags & 1 else "<I", "asked"), ("B", "flags")):
            field(form, name)
        for flag, form, name in (4, "<Q", "hash seed"), (8, "<Q", "canonical key"), (16, "<I", "heat"):
            if flags & flag:
                field(form, name)
        row(len(block) - 10 - at, "of a later release")
        field("<I", "checksum")
        field("B", "size of the metadata")
        row(5, "tail")
        out.write(block)
    if not count:
        print(f"{path}: no block of linebloom's")
    return count > 0


def explain(block, key):
    h = block.hash(key)
    line = block.line_of(h)
    total = block.total(line)
    print(f"h {h:016x}, slice {h * block.lines >> 61 & 7} of line "
          f"{h * block.lines >> 64}, in line {line}, T {total}")
    for stage, masks, wanted in solved_equations(h, total):
        sums = [parity(w & m) for w, m in zip(block.words[line], masks) if m]
        print(f"{stage}: {sums}, wanted {wanted}")


def check(path, key_to_explain):
    data, said = b"", {}
    with open(path, encoding="ascii") as dump:
        for row in dump:
            if row.startswith("# ") and ":" in row:
                name, _, value = row[2:].partition(":")
                said[name] = value.split()
            elif not row.startswith("#"):
                data += bytes.fromhex(row.partition(":")[2].partition("#")[0])
    block = Block(data)
    if key_to_explain:
        explain(block, key_to_explain.encode())
    last = int(said["keys"][-1][3:])
    denied = [i for i in range(last + 1)
              if not block.may_match(b"key%d" % i)]
    matches = [f"no{i}" for i in range(2000) if block.may_match(b"no%d" % i)]
    rate_differs = abs(block.exact_rate() / block.rate - 1) > 1e-6
    for problem in [denied, sorted(set(matches) ^ set(said["false positives"])),
                    ["the rate"] if rate_differs else []]:
        if problem:
            print(f"{path}: differs: {problem[:5]}")
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--explain", metavar="KEY")
    parser.add_argument("--bytes", action="store_true")
    parser.add_argument("--out", type=argparse.FileType("wb"), default=os.devnull)
    parser.add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    if args.bytes:
        return 0 if all([print_bytes(path, args.out) for path in args.files]) else 1
    return 0 if all([check(path, args.explain) for path in args.files]) else 1


if __name__ == "__main__":
    sys.exit(main())
