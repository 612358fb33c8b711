#!/usr/bin/env python3
"""Runs filter_bench with repetitions in random order and prints its tables in Markdown.

  bench/filter_bench.py [FILTER [REPETITIONS]]

FILTER is a regular expression for benchmark names (default: the filters of 1M keys; .../many and /large
take minutes to build). Cells are medians of CPU time in nanoseconds per key; in brackets, the ratio
to rocksdb-bloom in the same run and, for builds, also to rocksdb-ribbon. Scatter is the highest coefficient
of variation in the table. Needs build/release (tools/run_tests.sh builds it). With IN_TREE=PROGRAM, a
filter_bench that tests/plugin/run.sh --bench has linked with a RocksDB from source, the two take turns and
share the tables; ratios are to the filters of the same RocksDB.
"""
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict

from tables import PROGRAMS, markdown

POLICIES = ["rocksdb-bloom", "rocksdb-ribbon", "rocksdb-ribbon-10", "linebloom-plain", "linebloom",
            "linebloom-seeded", "linebloom-rate"]
COUNTERS = {"bits_per_key": ("bits/key", "{:.2f}"), "fpr_percent": ("false positives, %", "{:.4f}"),
            "memory_per_key": ("memory, bytes/key", "{:.2f}")}
TIMES = {"build": "build", "miss/threads:1": "miss", "hit/threads:1": "hit", "batch": "batch of 32",
         "miss/threads:2": "miss, 2 threads", "hit/threads:2": "hit, 2 threads"}


def run_programs(pattern, repetitions):
    """Yields the JSON of each run."""
    programs, rounds = [os.path.join(PROGRAMS, "filter_bench")], 1
    if os.environ.get("IN_TREE"):
        programs.append(os.environ["IN_TREE"])
        rounds, repetitions = int(repetitions), 1
    with tempfile.NamedTemporaryFile() as output:
        for program in programs * rounds:
            subprocess.run([program, f"--benchmark_filter={pattern}", f"--benchmark_repetitions={repetitions}",
                            "--benchmark_min_time=0.2", "--benchmark_enable_random_interleaving=true",
                            f"--benchmark_out={output.name}", "--benchmark_out_format=json"],
                           check=True, stdout=subprocess.DEVNULL)
            with open(output.name, encoding="utf-8") as file:
                yield json.load(file)


def read(outputs):
    """{place: {(rocksdb, policy): {what: [value of each repetition]}}}."""
    places = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for output in outputs:
        for run in output["benchmarks"]:
            what, *place = run["run_name"].split("/")
            if run["run_type"] != "iteration":
                continue
            row = places["build, " * (what == "build") + place[0]][output["context"]["rocksdb"], place[1]]
            row["/".join([what, *place[2:]])].append(run["cpu_time"])
            for counter in COUNTERS.keys() & run.keys():
                row[counter].append(run[counter])
    return places


def time_cell(rows, row, what):
    rocksdb, policy = row
    bases = ["rocksdb-bloom"] + ["rocksdb-ribbon"] * (what == "build")
    median = statistics.median(rows[row][what])
    ratios = [f"{median / statistics.median(rows[rocksdb, base][what]):.2f}" for base in bases
              if what in rows.get((rocksdb, base), {})]
    return f"{median:.1f}" + (f" ({', '.join(ratios)})" if ratios and policy not in bases else "")


def print_table(place, rows):
    scatter = max((100 * statistics.stdev(row[what]) / statistics.mean(row[what])
                   for row in rows.values() for what in TIMES if len(row.get(what, [])) > 1), default=0)
    several = len({rocksdb for rocksdb, _ in rows}) > 1
    counters, times = ([what for what in names if any(what in row for row in rows.values())]
                       for names in (COUNTERS, TIMES))
    heads = ["policy"] + ["RocksDB"] * several
    numbers = [COUNTERS[what][0] for what in counters] + [TIMES[what] for what in times]
    lines = []
    for row in sorted(rows, key=lambda row: (POLICIES.index(row[1]), row[0])):
        cells = [row[1]] + [row[0]] * several
        cells += [COUNTERS[what][1].format(rows[row][what][0]) if what in rows[row] else "-" for what in counters]
        lines.append(cells + [time_cell(rows, row, what) if what in rows[row] else "-" for what in times])
    print(f"**{place}** (scatter at most {scatter:.0f} %)\n\n{markdown(heads + numbers, lines, len(heads))}\n")


def main():
    if len(sys.argv) > 3 or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    pattern, repetitions = (sys.argv[1:] + ["/hot/", "7"][len(sys.argv) - 1:])[:2]
    variables = [f"{name}={os.environ[name]}" for name in ("BITS_PER_KEY", "LINEBLOOM_SIMD", "IN_TREE") if name in os.environ]
    print(f"`{' '.join([*variables, 'bench/filter_bench.py', *map(shlex.quote, sys.argv[1:])])}`\n")
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        cpus = re.findall(r"model name\s*:\s*(.*)", file.read())
    print(f"{cpus[0] if cpus else 'unknown CPU'}, {len(cpus)} CPUs\n")
    for place, rows in read(run_programs(pattern, repetitions)).items():
        print_table(place, rows)


if __name__ == "__main__":
    main()
