#!/usr/bin/env python3
"""What a filter costs where it is written: the CPU time of RocksDB's own
db_bench (package rocksdb-tools) for fillrandom and compact, with linebloom and
with RocksDB's filters, in alternated runs. Prints a table in Markdown.

  bench/write_path.py [--keys=N] [--runs=N] [--policies=NAME,...] [--folder=DIR]

Flush and compaction: RocksDB's own count of the CPU time of their jobs
(CompMergeCPU in db_bench's `stats`). Process: user and system time of the whole
of db_bench, with making keys, the log and the memtable. Ratios are to
rocksdb-bloom's medians.

Needs build/release (tools/run_tests.sh builds it). Writes into a temporary
folder (in --folder, default: the system's) and removes it.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARY = os.path.join(ROOT, "build/release/liblinebloom.so")

POLICIES = {
    "none": "nullptr",
    "rocksdb-bloom": "bloomfilter:10:false",
    "rocksdb-ribbon": "ribbonfilter:10:-1",
    "linebloom-none": "{id=linebloom;bits_per_key=10;build_effort=none}",
    "linebloom-fast": "{id=linebloom;bits_per_key=10;build_effort=fast}",
    "linebloom-balanced": "{id=linebloom;bits_per_key=10}",
    "linebloom-max": "{id=linebloom;bits_per_key=10;build_effort=max}",
}

OPTIONS = """[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
[CFOptions "default"]
[TableOptions/BlockBasedTable "default"]
  filter_policy={policy}
"""


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def jobs_cpu(output):
    """The CPU seconds of all flushes and compactions, from db_bench's stats."""
    head = re.search(r"^Level .*CompMergeCPU\(sec\).*$", output, re.MULTILINE)
    total = re.search(r"^ Sum .*$", output, re.MULTILINE)
    if not head or not total:
        sys.exit("write_path.py: no compaction statistics in db_bench's output")
    # Two words are a size with its unit ("Size", "Sum  12/0  1.5 GB").
    column = head.group().split().index("CompMergeCPU(sec)")
    return float(total.group().split()[column + 1])


def run(policy, keys, folder):
    with tempfile.TemporaryDirectory(prefix="write_path.", dir=folder) as work:
        options = os.path.join(work, "options.ini")
        with open(options, "w", encoding="utf-8") as file:
            file.write(OPTIONS.format(policy=POLICIES[policy]))
        before = children_cpu()
        result = subprocess.run(
            ["db_bench", f"--db={work}/db", f"--options_file={options}",
             "--benchmarks=fillrandom,compact,stats", f"--num={keys}", "--seed=1"],
            env={**os.environ, "LD_PRELOAD": LIBRARY}, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if result.returncode != 0:
            sys.exit(f"write_path.py: db_bench failed: {result.stderr[-500:]}")
        return jobs_cpu(result.stdout), children_cpu() - before


def cell(values, base):
    median = statistics.median(values)
    scatter = (100 * statistics.stdev(values) / statistics.mean(values)
               if len(values) > 1 else 0)
    return f"{median:.2f} | {scatter:.0f} % | {median / base:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--keys", type=int, default=5000000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--folder", help="where to write; default: the system's temporary folder")
    args = parser.parse_args()
    policies = args.policies.split(",")
    for policy in policies:
        if policy not in POLICIES:
            parser.error(f"unknown policy {policy}; there are {', '.join(POLICIES)}")
    times = {policy: [] for policy in policies}
    for number in range(args.runs):
        for policy in policies:
            print(f"\rrun {number + 1} of {args.runs}: {policy:20}", end="",
                  file=sys.stderr, flush=True)
            times[policy].append(run(policy, args.keys, args.folder))
    print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    print(f"`bench/write_path.py {' '.join(sys.argv[1:])}`: db_bench fillrandom and "
          f"compact, {args.keys:,} keys of 16 bytes, values of 100; CPU seconds, "
          f"medians of {args.runs} runs\n")
    print("| policy | flush and compaction, s | scatter | ratio "
          "| process, s | scatter | ratio |")
    print("| --- |" + " ---: |" * 6)
    base = "rocksdb-bloom" if "rocksdb-bloom" in times else policies[0]
    bases = [statistics.median(values) for values in zip(*times[base])]
    for policy in policies:
        jobs, process = zip(*times[policy])
        print(f"| {policy} | {cell(jobs, bases[0])} | {cell(process, bases[1])} |")


if __name__ == "__main__":
    main()
