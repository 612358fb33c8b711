#!/usr/bin/env python3
"""The client of tests/engines/kvrocks.sh: two masters, each with half of the slots, and
a replica of the first. Rows have even numbers; a tenth of them is in one slot.

    kvrocks_load.py PORT setup           makes one cluster of PORT, PORT+1 and PORT+2
    kvrocks_load.py PORT write ROWS      and waits until the replica has them
    kvrocks_load.py PORT write_on ROWS   writes more, one by one, until a connection ends,
                                         and prints how many were acknowledged
    kvrocks_load.py PORT compact         has all three rewrite their files
    kvrocks_load.py PORT sync            waits until the replica has what its master has
    kvrocks_load.py PORT read ROWS       reads all, and as many missing ones; prints rows
                                         and blocks per missing row, of masters and replica
    kvrocks_load.py PORT move ROWS       moves that slot to the first master while it reads
    kvrocks_load.py PORT info NODE NAME  prints a number that a node knows of itself
"""
import binascii
import random
import socket
import sys
import threading
import time

FIRST, ACTION = int(sys.argv[1]), sys.argv[2]
ROWS = int(sys.argv[3]) if len(sys.argv) > 3 else 0
IDS = ["%040d" % node for node in range(3)]
MOVED = binascii.crc_hqx(b"tenant", 0) % 16384  # of the second master at first


class Node:
    def __init__(self, number):
        self.socket = socket.create_connection(("127.0.0.1", FIRST + number))
        self.replies = self.socket.makefile("rb")

    def ask(self, *commands):
        """The replies to commands that are sent at once; an error is a str."""
        words = [[word if isinstance(word, bytes) else str(word).encode() for word in command]
                 for command in commands]
        self.socket.sendall(b"".join(
            b"*%d\r\n" % len(command) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in command)
            for command in words))
        return [self.reply() for _ in commands]

    def reply(self):
        line = self.replies.readline()
        if not line:
            raise ConnectionError("a node is gone")
        if line[:1] == b"-":
            return line[1:].decode().strip()
        if line[:1] != b"$":
            return line[1:].strip()
        length = int(line[1:])
        return None if length < 0 else self.replies.read(length + 2)[:-2]

    def do(self, *command):
        (reply,) = self.ask(command)
        if isinstance(reply, str):
            raise RuntimeError(f"{command}: {reply}")
        return reply.decode()

    def info(self, name):
        return dict(line.split(":", 1) for line in self.do("INFO", "all").split("\r\n") if ":" in line)[name]

    def blocks(self):
        return sum(int(self.info("block_cache_data_" + what)) for what in ("hit", "miss"))


def key(number):
    return b"{tenant}%09d" % number if number % 20 < 2 else b"row%09d" % number


def value(number):
    return None if number % 2 else b"%09d " % number * 10


def slot(number):
    return MOVED if number % 20 < 2 else binascii.crc_hqx(key(number), 0) % 16384


nodes = [Node(number) for number in range(3)]
home = [0] * 8192 + [1] * 8192  # of a slot
redirected = 0


def get(numbers, node=None):
    """Reads these rows, from their masters or from one node, and compares them."""
    global redirected
    while numbers:
        left = []
        for at in (0, 1) if node is None else (node,):
            mine = [number for number in numbers if node is not None or home[slot(number)] == at]
            for number, reply in zip(mine, nodes[at].ask(*[("GET", key(number)) for number in mine])):
                if isinstance(reply, str) and reply.startswith("MOVED") and node is None:
                    left.append((number, int(reply.split(":")[-1]) - FIRST))
                elif reply != value(number):
                    sys.exit(f"{key(number)} is {reply} on node {at}")
        for number, at in left:
            home[slot(number)] = at
        redirected += len(left)
        numbers = [number for number, _ in left]


def read(numbers, node=None):
    for at in range(0, len(numbers), 500):
        get(numbers[at:at + 500], node)


def sync():
    while (nodes[2].info("master_link_status") != "up" or
           nodes[2].info("slave_repl_offset") != nodes[0].info("master_repl_offset")):
        time.sleep(0.2)


def move(node):
    """Has the second master move the slot, and tells all, the new one first."""
    begin = time.monotonic()
    node.do("CLUSTERX", "MIGRATE", MOVED, IDS[0], "SYNC")
    seconds.append(time.monotonic() - begin)
    for number in range(3):
        Node(number).do("CLUSTERX", "SETSLOT", MOVED, "NODE", IDS[0], 2)


if ACTION == "setup":
    cluster = (f"{IDS[0]} 127.0.0.1 {FIRST} master - 0-8191\n{IDS[1]} 127.0.0.1 {FIRST + 1} master - 8192-16383\n"
               f"{IDS[2]} 127.0.0.1 {FIRST + 2} slave {IDS[0]}")
    for node, name in zip(nodes, IDS):
        node.do("CLUSTERX", "SETNODEID", name)
        node.do("CLUSTERX", "SETNODES", cluster, 1)
    sync()
elif ACTION == "write":
    for begin in range(0, 2 * ROWS, 1000):
        batch = range(begin, min(begin + 1000, 2 * ROWS), 2)
        for at in (0, 1):
            written = [("SET", key(number), value(number)) for number in batch if home[slot(number)] == at]
            if any(reply != b"OK" for reply in nodes[at].ask(*written)):
                sys.exit("not all rows were written")
    sync()
elif ACTION == "write_on":
    get([0])  # learns where the slot is
    count = 0
    try:
        while nodes[home[slot(2 * (ROWS + count))]].do("SET", key(2 * (ROWS + count)), value(2 * (ROWS + count))) == "OK":
            count += 1
    except ConnectionError:
        print(count)
elif ACTION == "compact":
    for node in nodes:
        node.do("COMPACT")
    time.sleep(1)
    while any(node.info("is_compacting") == "yes" for node in nodes):
        time.sleep(0.2)
elif ACTION == "sync":
    sync()
elif ACTION == "info":
    print(nodes[ROWS].info(sys.argv[4]))
elif ACTION == "read":
    get([0])
    nodes[2].do("READONLY")
    for at in ((0, 1), (2,)):
        rows = [number for number in range(0, 2 * ROWS, 2) if len(at) == 2 or home[slot(number)] == 0]
        missing = [number for number in range(1, 2 * ROWS, 2) if len(at) == 2 or home[slot(number)] == 0]
        for numbers in rows, missing:
            random.Random(1).shuffle(numbers)
            before = sum(nodes[number].blocks() for number in at)
            read(numbers, None if len(at) == 2 else 2)
        print(len(rows), (sum(nodes[number].blocks() for number in at) - before) / len(missing), end=" ")
elif ACTION == "move":
    seconds, count = [], 0
    mover = threading.Thread(target=move, args=[Node(1)])
    mover.start()
    while mover.is_alive():
        home[MOVED] = random.randrange(2)  # asks either, and goes where it is sent
        get([random.randrange(ROWS // 10) * 20 + random.randrange(2) for _ in range(50)] +
            [random.randrange(2 * ROWS) for _ in range(50)])
        count += 100
    if not seconds or (get([0]), home[MOVED]) != (None, 0):
        sys.exit("the slot is not at the first master")
    print(f"slot {MOVED} with {ROWS // 10} rows moved within {seconds[0]:.1f} s; "
          f"{count} reads meanwhile, {redirected} of them redirected")
