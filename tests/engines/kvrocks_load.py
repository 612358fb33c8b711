#!/usr/bin/env python3
"""The client of tests/engines/kvrocks.sh: two masters, each with half of the slots, and
a replica of the first. Rows have even numbers; a tenth of them is in one slot.

    kvrocks_load.py PORT setup         makes one cluster of PORT, PORT+1 and PORT+2
    kvrocks_load.py PORT write ROWS    and waits until the replica has them
    kvrocks_load.py PORT compact       has all three rewrite their files
    kvrocks_load.py PORT read ROWS     reads all, and as many missing ones; compares all,
                                       on the replica too, and prints blocks per missing row
                                       and the medians of single reads in microseconds
    kvrocks_load.py PORT move ROWS     moves that slot to the other master while it reads
"""
import binascii, random, select, socket, statistics, sys, time

FIRST, ACTION = int(sys.argv[1]), sys.argv[2]
ROWS = int(sys.argv[3]) if len(sys.argv) > 3 else 0
IDS = ["%040d" % node for node in range(3)]
MOVED = binascii.crc_hqx(b"moved", 0) % 16384


class Node:
    def __init__(self, number):
        self.socket = socket.create_connection(("127.0.0.1", FIRST + number))
        self.replies = self.socket.makefile("rb")

    def send(self, *commands):
        self.socket.sendall(b"".join(
            b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
            for words in ([word if isinstance(word, bytes) else str(word).encode() for word in command]
                          for command in commands)))

    def ask(self, *commands):
        """The replies to commands that are sent at once; an error is a str."""
        self.send(*commands)
        return [self.reply() for _ in commands]

    def reply(self):
        line = self.replies.readline()
        if line[:1] == b"-":
            return line[1:].decode().strip()
        if line[:1] != b"$":
            return line[1:].strip()
        length = int(line[1:])
        return None if length < 0 else self.replies.read(length + 2)[:-2]

    def do(self, *command):
        (reply,) = self.ask(command)
        if isinstance(reply, str):
            sys.exit(f"{command}: {reply}")
        return reply.decode()

    def info(self, name):
        return dict(line.split(":", 1) for line in self.do("INFO", "all").split("\r\n") if ":" in line)[name]


def key(number):
    return b"{moved}%09d" % number if number % 20 < 2 else b"row%09d" % number


def value(number):
    return None if number % 2 else b"%09d " % number * 10


def slot(number):
    return MOVED if number % 20 < 2 else binascii.crc_hqx(key(number), 0) % 16384


NODES = [Node(number) for number in range(3)]
home = [0] * 8192 + [1] * 8192  # of a slot


def get(numbers, node=None):
    """Reads these rows, from their masters or from one node, and compares them."""
    while numbers:
        left = []
        for at in (0, 1) if node is None else (node,):
            mine = [number for number in numbers if node is not None or home[slot(number)] == at]
            for number, reply in zip(mine, NODES[at].ask(*[("GET", key(number)) for number in mine])):
                if isinstance(reply, str) and reply.startswith("MOVED") and node is None:
                    home[slot(number)] = int(reply.split(":")[-1]) - FIRST
                    left.append(number)
                elif reply != value(number):
                    sys.exit(f"{key(number)} is {reply} on node {at}")
        numbers = left


def batches(numbers, size=500):
    return [numbers[at:at + size] for at in range(0, len(numbers), size)]


def read_all(odd):
    numbers = list(range(odd, 2 * ROWS, 2))
    random.Random(1).shuffle(numbers)
    for batch in batches(numbers):
        get(batch)
    times = []
    for number in numbers[:2000]:
        start = time.perf_counter()
        get([number])
        times.append(time.perf_counter() - start)
    for batch in batches([number for number in numbers if home[slot(number)] == 0]):
        get(batch, 2)
    return statistics.median(times) * 1e6


def blocks():
    return sum(int(node.info("block_cache_data_" + what)) for node in NODES for what in ("hit", "miss"))


def reads():
    """Of all nodes: a master's and the replica's rows, and those that were read singly."""
    return ROWS + 2000 + sum(home[slot(number)] == 0 for number in range(1, 2 * ROWS, 2))


if ACTION == "setup":
    cluster = (f"{IDS[0]} 127.0.0.1 {FIRST} master - 0-8191\n{IDS[1]} 127.0.0.1 {FIRST + 1} master - 8192-16383\n"
               f"{IDS[2]} 127.0.0.1 {FIRST + 2} slave {IDS[0]}")
    for node, name in zip(NODES, IDS):
        node.do("CLUSTERX", "SETNODEID", name)
        node.do("CLUSTERX", "SETNODES", cluster, 1)
    while NODES[2].info("master_link_status") != "up":
        time.sleep(0.2)
elif ACTION == "write":
    for batch in batches(range(0, 2 * ROWS, 2)):
        for at in (0, 1):
            written = [("SET", key(number), value(number)) for number in batch if home[slot(number)] == at]
            if any(reply != b"OK" for reply in NODES[at].ask(*written)):
                sys.exit("not all rows were written")
    while NODES[2].info("master_repl_offset") != NODES[0].info("master_repl_offset"):
        time.sleep(0.2)
elif ACTION == "compact":
    for node in NODES:
        node.do("COMPACT")
    time.sleep(1)
    while any(node.info("is_compacting") == "yes" for node in NODES):
        time.sleep(0.2)
else:
    for node in NODES:
        node.do("READONLY")
    get([0, 1])  # learns where the slot is
    if ACTION == "read":
        hit = read_all(0)
        before = blocks()
        miss = read_all(1)
        print((blocks() - before) / reads(), round(hit), round(miss))
    else:
        source, target = home[MOVED], 1 - home[MOVED]
        control = Node(source)
        control.send(("CLUSTERX", "MIGRATE", MOVED, IDS[target], "SYNC"))
        count = 0
        while not select.select([control.socket], [], [], 0)[0]:
            get([random.randrange(ROWS // 10) * 20 + random.randrange(2) for _ in range(100)])
            count += 100
        if (reply := control.reply()) != b"OK":
            sys.exit(f"the slot was not moved: {reply}")
        for node in NODES:
            node.do("CLUSTERX", "SETSLOT", MOVED, "NODE", IDS[target], 2)
        get([random.randrange(2 * ROWS) for _ in range(10000)])
        print(f"{count:,} reads of the slot's rows while it moved")
