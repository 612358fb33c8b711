"""Shared by the scripts that run RocksDB's own db_bench (package rocksdb-tools)
with several filter policies: the policies, db_bench with liblinebloom.so loaded
and the policy in an OPTIONS file, and alternating runs."""
import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARY = os.path.join(ROOT, "build/release/liblinebloom.so")
BASE = "rocksdb-bloom"

# RocksDB's option strings. Ribbon has Bloom's rate, and so 7.1 bits per key.
POLICIES = {
    "none": "nullptr",
    "rocksdb-bloom": "bloomfilter:10:false",
    "rocksdb-ribbon": "ribbonfilter:10:-1",
    "linebloom": "{id=linebloom;bits_per_key=10}",
    "linebloom-plain": "{id=linebloom;bits_per_key=10;line=plain}",
    "linebloom": "{id=linebloom;bits_per_key=10}",
}

OPTIONS = """[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
[CFOptions "default"]
[TableOptions/BlockBasedTable "default"]
  filter_policy={policy}
"""

# The output of db_bench, and its user plus system time in seconds.
Output = namedtuple("Output", "text cpu")


def stop(message):
    """Exits because of bad arguments or a missing requirement."""
    print(f"{script_name()}: {message}", file=sys.stderr)
    sys.exit(2)


def fail(message):
    """Exits because something failed."""
    sys.exit(f"{script_name()}: {message}")


def script_name():
    """The name that the user called: db_bench.sh calls db_bench.py."""
    python = os.path.basename(sys.argv[0])
    shell = os.path.splitext(python)[0] + ".sh"
    return shell if os.path.exists(os.path.join(ROOT, "bench", shell)) else python


def make_parser(description, keys, policies):
    """The flags that all scripts have."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=keys, help=f"default {keys:,}")
    parser.add_argument("--runs", type=int, default=5,
                        help="runs per policy, alternating; default 5")
    parser.add_argument("--policies", default=",".join(policies), metavar="POLICY,...",
                        help="names (" + ", ".join(POLICIES) + ") or NAME:=OPTION-STRING; "
                        "default  " + ",".join(policies))
    parser.add_argument("--folder", help="folder to write to; default: the system's temporary folder")
    return parser


def read_policies(text):
    """Parses --policies into {name: option string}."""
    policies = {}
    for item in text.split(","):
        name, sign, string = item.partition(":=")
        if not sign and name not in POLICIES:
            stop(f"--policies: unknown policy '{name}'; there are {', '.join(POLICIES)}, "
                 "and NAME:=OPTION-STRING")
        if name in policies or not name:
            stop(f"--policies: the name '{name}' is empty or used twice")
        policies[name] = string if sign else POLICIES[name]
    return policies


def check_arguments(args):
    """Fails early if something is missing."""
    for name in ("keys", "runs"):
        if getattr(args, name) < 1:
            stop(f"--{name}={getattr(args, name)}: must be 1 or more")
    if args.folder and not os.path.isdir(args.folder):
        stop(f"--folder={args.folder}: no such folder")
    if not shutil.which("db_bench"):
        stop("no db_bench; it is in Debian's package rocksdb-tools")
    if not os.path.exists(LIBRARY):
        stop(f"no {os.path.relpath(LIBRARY)}; tools/run_tests.sh builds it")


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Database:
    """A folder for one database with one policy."""

    def __init__(self, folder, policy):
        self.folder = folder
        self.policy = policy
        self.options = os.path.join(folder, "options.ini")
        with open(self.options, "w", encoding="utf-8") as file:
            file.write(OPTIONS.format(policy=policy))

    def bench(self, benchmarks, keys, *flags):
        """Runs db_bench's benchmarks on the database."""
        before = children_cpu()
        result = subprocess.run(
            ["db_bench", f"--db={self.folder}/db", f"--options_file={self.options}",
             f"--benchmarks={benchmarks}", f"--num={keys}", "--seed=1", *flags],
            env={**os.environ, "LD_PRELOAD": LIBRARY}, text=True, check=False,
            errors="replace", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if result.returncode != 0:
            fail(f"db_bench --benchmarks={benchmarks} failed: {result.stderr[-500:]}")
        self.check_policy()
        return Output(result.stdout + result.stderr, children_cpu() - before)

    def check_policy(self):
        """RocksDB silently treats an unknown option string as no policy; only the
        OPTIONS file that it writes shows that."""
        newest = max(name for name in os.listdir(f"{self.folder}/db")
                     if name.startswith("OPTIONS-"))
        with open(f"{self.folder}/db/{newest}", encoding="utf-8") as file:
            used = re.search(r"^\s*filter_policy=(.*)$", file.read(), re.MULTILINE)
        if self.policy != "nullptr" and (not used or used.group(1) == "nullptr"):
            fail(f"RocksDB doesn't recognize '{self.policy}' as a filter policy")


def alternate(policies, runs, folder, run):
    """{name: [run(database), ...]}. Each run goes through all policies, starting
    with a different one each time, so that changes on the machine affect them
    all alike."""
    results = {name: [] for name in policies}
    names = list(policies)
    for number in range(runs):
        for name in names[number % len(names):] + names[:number % len(names)]:
            print(f"\rrun {number + 1} of {runs}: {name:24}", end="", file=sys.stderr,
                  flush=True)
            with tempfile.TemporaryDirectory(prefix="db_bench.", dir=folder) as work:
                results[name].append(run(Database(work, policies[name])))
    print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    return results


def base_of(names):
    """The policy that ratios refer to."""
    return BASE if BASE in names else next(iter(names))


def scatter(values):
    """The coefficient of variation in per cent."""
    if len(values) < 2:
        return 0
    return 100 * statistics.stdev(values) / statistics.mean(values)


def print_table(heads, rows):
    """Prints an aligned Markdown table; the first column is left-aligned."""
    widths = [max(3, *(len(row[i]) for row in [heads] + rows)) for i in range(len(heads))]
    align = [str.ljust] + [str.rjust] * (len(heads) - 1)
    rule = ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]
    for row in [heads, rule] + rows:
        print("| " + " | ".join(pad(cell, width) for pad, cell, width
                                in zip(align, row, widths)) + " |")


def command_line():
    """The command line, for the heading of the output."""
    quoted = [f"'{word}'" if re.search(r"[{};&|$ ]", word) else word for word in sys.argv[1:]]
    return " ".join([f"bench/{script_name()}"] + quoted)
