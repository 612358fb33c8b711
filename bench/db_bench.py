#!/usr/bin/env python3
"""Runs RocksDB's own db_bench (package rocksdb-tools) with its Bloom and Ribbon
filters and with linebloom. Needs no RocksDB source tree.

  bench/db_bench.py [--keys=N] [--runs=N] [--policies=POLICY,...] [--json=FILE]
                    [--folder=DIR] [-- FLAG-OF-DB_BENCH...]

Each run goes through all policies. For each, it writes a database (fillrandom,
compact) and reads it: readmissing, readrandom, multireadrandom (batches of 32)
and readwhilewriting, each in its own process, with one lookup per key. Prints a
Markdown table:

  us/op     db_bench's wall time per operation, median of the runs
  scatter   coefficient of variation of these times
  ratio     to rocksdb-bloom's time in the same run, median of the runs
  from, to  the lowest and the highest of these ratios
  blocks/op data blocks that a lookup requested from the block cache or a file

fillrandom writes some keys more than once and omits e^-1 of them, 37 %;
readrandom and multireadrandom look those up too. Flags after -- go to db_bench
in every benchmark: --use_direct_reads, for example, measures the disk.

Any option string that RocksDB understands defines another policy:
--policies='rocksdb-bloom,mine:={id=linebloom;bits_per_key=12}'.

Needs build/release (tools/run_tests.sh builds it). Writes to a temporary folder
(in --folder; default: the system's) and removes it. Exits with 0, with 1 if
something failed, or with 2 after bad usage or if something is missing.
"""
import argparse
import json
import os
import re
import resource
import shlex
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

COMPARED = ["rocksdb-bloom", "rocksdb-ribbon", "linebloom"]
WRITES = ["fillrandom", "compact"]
# Flags of each reading benchmark. The one that also writes is last, because it
# changes the database.
READS = {
    "readmissing": [],
    "readrandom": [],
    "multireadrandom": ["--multiread_batched=true", "--batch_size=32"],
    "readwhilewriting": [],
}
# Compactions request blocks too, so the count means something only if nothing
# is written.
READS_ONLY = ["readmissing", "readrandom", "multireadrandom"]

# The output of db_bench, and its user plus system time in seconds.
Output = namedtuple("Output", "text cpu")


def stop(message):
    """Exits because of bad arguments or a missing requirement."""
    print(f"db_bench.py: {message}", file=sys.stderr)
    sys.exit(2)


def fail(message):
    """Exits because something failed."""
    sys.exit(f"db_bench.py: {message}")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=1000000, help="default 1,000,000")
    parser.add_argument("--runs", type=int, default=5,
                        help="runs per policy, alternating; default 5")
    parser.add_argument("--policies", default=",".join(COMPARED), metavar="POLICY,...",
                        help="names (" + ", ".join(POLICIES) + ") or NAME:=OPTION-STRING; "
                        "default: " + ",".join(COMPARED))
    parser.add_argument("--folder", help="folder to write to; default: the system's temporary folder")
    parser.add_argument("--json", metavar="FILE", help="write the figures of every run to FILE")
    parser.add_argument("flags", nargs="*", metavar="FLAG-OF-DB_BENCH")
    return parser.parse_args()


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


def micros_per_op(text, benchmark):
    found = re.search(rf"^{benchmark}\s*:\s*([0-9.]+) micros/op", text, re.MULTILINE)
    if not found:
        fail(f"no result of {benchmark} in db_bench's output: {text[-500:]}")
    return float(found.group(1))


def operations(text, benchmark):
    return int(re.search(rf"^{benchmark}\s*:.* ([0-9]+) operations", text,
                         re.MULTILINE).group(1))


def ticker(text, name):
    return int(re.search(rf"^rocksdb\.{re.escape(name)} COUNT : ([0-9]+)", text,
                         re.MULTILINE).group(1))


def measure(output, benchmark):
    """What the JSON says about one benchmark in one run, except process times,
    which cover everything that ran in the process."""
    result = {"micros_per_op": micros_per_op(output.text, benchmark)}
    if benchmark in READS_ONLY:
        blocks = sum(ticker(output.text, f"block.cache.data.{what}")
                     for what in ("hit", "miss"))
        result["data_blocks_per_op"] = blocks / operations(output.text, benchmark)
    return result


def run_all(database, keys, flags):
    """Returns the measurements of one run by benchmark."""
    output = database.bench(",".join(WRITES), keys, *flags)
    results = {name: measure(output, name) for name in WRITES}
    for name, own_flags in READS.items():
        # fillrandom's own seed would look up the keys that it wrote.
        output = database.bench(name, keys, "--seed=2", "--use_existing_db",
                                "--statistics", *own_flags, *flags)
        results[name] = {**measure(output, name), "cpu_seconds": output.cpu}
    return results


def column(runs, benchmark, what):
    return [run[benchmark][what] for run in runs if what in run[benchmark]]


def row(results, policy, benchmark):
    times = column(results[policy], benchmark, "micros_per_op")
    base = column(results[base_of(results)], benchmark, "micros_per_op")
    ratios = [time / other for time, other in zip(times, base)]
    blocks = column(results[policy], benchmark, "data_blocks_per_op")
    return [f"{statistics.median(times):,.{2 if times[0] < 1000 else 0}f}",
            f"{scatter(times):.0f} %", f"{statistics.median(ratios):.2f}",
            f"{min(ratios):.2f}", f"{max(ratios):.2f}",
            f"{statistics.median(blocks):.4f}" if blocks else "-"]


def print_results(results):
    rows = []
    for benchmark in WRITES + list(READS):
        for policy in results:
            rows.append([benchmark, policy, *row(results, policy, benchmark)])
    print_table(["benchmark", "policy", "us/op", "scatter", "ratio", "from", "to",
                 "blocks/op"], rows)


def version():
    """The version of the RocksDB that db_bench is linked with."""
    found = re.search(r"version ([0-9.]+)", os.popen("db_bench --version 2>&1").read())
    return found.group(1) if found else "unknown"


def command_line():
    """The command line, for the heading of the output."""
    return shlex.join(["bench/db_bench.py", *sys.argv[1:]])


def main():
    args = parse_arguments()
    policies = read_policies(args.policies)
    check_arguments(args)
    if args.json:
        try:
            open(args.json, "a", encoding="utf-8").close()
        except OSError as error:
            stop(f"--json={args.json}: {error.strerror}")
    results = alternate(policies, args.runs, args.folder,
                        lambda database: run_all(database, args.keys, args.flags))
    print(f"`{command_line()}`: db_bench of RocksDB {version()}, {args.keys:,} keys of 16 "
          f"bytes, values of 100, medians of {args.runs} alternated runs\n")
    print_results(results)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"rocksdb": version(), "keys": args.keys, "flags": args.flags,
                       "policies": policies, "runs": results}, file, indent=1)


if __name__ == "__main__":
    main()
