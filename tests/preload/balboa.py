"""Input for try_balboa.sh: names from Debian's package lists as DNS observations,
and queries to balboa's RocksDB backend in its protocol, which is msgpack.

  apt-cache dumpavail | balboa.py observe FILE   writes a dump for
                                                 balboa-backend-console replay
  apt-cache dumpavail | balboa.py ask PORT WHAT  WHAT: rdata, rrname or wait
"""
import random
import re
import socket
import struct
import sys
from urllib.parse import urlparse

QUERY, DATA, END = 2, 131, 132
ROUNDS = 4  # each of which observes a part of all again
ASKED = 5000


def read_observations():
    """The distinct (name, type, data) of the packages that apt knows."""
    seen = {}
    for paragraph in sys.stdin.read().split("\n\n"):
        fields = dict(re.findall(r"^(Package|Homepage|Version|Maintainer): (.*)$",
                                 paragraph, re.MULTILINE))
        if "Package" not in fields:
            continue
        name = fields["Package"] + ".packages.debian.org"
        host = urlparse(fields.get("Homepage", "")).netloc
        mail = re.search(r"@([^>]+)", fields.get("Maintainer", ""))
        if host:
            seen[name, "CNAME", host] = None
        if mail:
            seen[name, "MX", mail.group(1)] = None
        seen[name, "TXT", fields.get("Version", "")] = None
    return list(seen)


def pack(value):
    """The subset of msgpack needed here."""
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return b"\xce" + struct.pack(">I", value)
    if isinstance(value, str):
        return b"\xda" + struct.pack(">H", len(value.encode())) + value.encode()
    if isinstance(value, bytes):
        return b"\xc5" + struct.pack(">H", len(value)) + value
    return bytes([0x80 + len(value)]) + b"".join(
        pack(key) + pack(item) for key, item in value.items())


class Reader:
    """Decodes msgpack from a file: balboa's answers."""

    def __init__(self, file):
        self.file = file

    def number(self, size):
        return int.from_bytes(self.file.read(size), "big")

    def value(self):
        kind = self.number(1)
        if kind < 0x80:
            return kind
        if kind < 0x90:
            return {self.value(): self.value() for _ in range(kind & 15)}
        if 0xa0 <= kind < 0xc0:
            return self.file.read(kind & 31)
        if 0xc4 <= kind <= 0xc6:  # bin
            return self.file.read(self.number(1 << (kind - 0xc4)))
        if 0xcc <= kind <= 0xcf:  # uint
            return self.number(1 << (kind - 0xcc))
        if 0xd4 <= kind <= 0xd8:  # fixext: a timestamp
            self.file.read(1)
            return self.number(1 << (kind - 0xd4))
        if 0xd9 <= kind <= 0xdb:  # str
            return self.file.read(self.number(1 << (kind - 0xd9)))
        raise ValueError(f"msgpack of kind {kind:#x}")


def question(**asked):
    """A query by rrname or rdata."""
    query = {"Limit": 1 << 30}
    for field in ("rrname", "rdata", "rrtype", "sensorID"):
        query[f"Q{field}"] = asked.get(field, "")
        query[f"H{field}"] = field in asked
    return pack({"T": QUERY, "M": pack(query)})


def answer(reader):
    """The entries that answer a query."""
    entries = []
    while True:
        message = reader.value()
        if message[b"T"] == END:
            return entries
        if message[b"T"] == DATA:
            entries.append(Reader(BytesFile(message[b"M"])).value())


class BytesFile:
    """`read` of bytes."""

    def __init__(self, data):
        self.data = data

    def read(self, size):
        head, self.data = self.data[:size], self.data[size:]
        return head


def observe(path):
    observations = read_observations()
    random.seed(1)
    with open(path, "wb") as file:
        for number in range(ROUNDS):
            random.shuffle(observations)
            count = len(observations) if number == 0 else len(observations) // 10
            for name, kind, data in observations[:count]:
                file.write(pack({0: name.encode(), 1: kind.encode(), 2: data.encode(),
                                 3: b"apt", 4: 1, 5: 1700000000 + number,
                                 6: 1700000000 + number}))
        file.write(pack({0: b"the.end", 1: b"A", 2: b"192.0.2.1", 3: b"apt", 4: 1,
                         5: 1700000000, 6: 1700000000}))


def main():
    if sys.argv[1] == "observe":
        observe(sys.argv[2])
        return
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
    reader = Reader(connection.makefile("rb"))
    if sys.argv[3] == "wait":  # until everything fed has arrived
        found = []
        while not found:
            connection.sendall(question(rrname="the.end"))
            found = answer(reader)
        return
    column = {"rrname": 0, "rdata": 2}[sys.argv[3]]
    values = sorted({row[column] for row in read_observations() if row[1] != "TXT"})
    random.seed(2)
    values = random.sample(values, min(ASKED, len(values)))
    # In batches: balboa answers in small packets, which the kernels of both
    # sides otherwise delay by 40 ms per query.
    for first in range(0, len(values), 100):
        some = values[first:first + 100]
        connection.sendall(b"".join(question(**{sys.argv[3]: value}) for value in some))
        for value in some:
            for entry in answer(reader):
                print(value, *(entry[key] for key in (b"N", b"T", b"D", b"C", b"F", b"L")))


if __name__ == "__main__":
    main()
