#!/usr/bin/env python3
"""Runs hash_bench with repetitions in random order and prints its tables in
Markdown.

  bench/hash_tables.py [REPETITIONS]

Medians of CPU time in nanoseconds for each key. Needs build/release
(tools/run_tests.sh builds it).
"""
import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    if len(sys.argv) > 2:
        sys.exit("usage: hash_tables.py [REPETITIONS]")
    repetitions = sys.argv[1] if len(sys.argv) == 2 else "5"
    result = subprocess.run(
        [os.path.join(ROOT, "build/release/bench/hash_bench"),
         f"--benchmark_repetitions={repetitions}", "--benchmark_min_time=0.05",
         "--benchmark_enable_random_interleaving=true", "--benchmark_format=json"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    times = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for run in json.loads(result.stdout)["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        where, when, name, size = run["run_name"].split("/")
        times[f"{where}, {when}"][name][int(size)].append(run["cpu_time"])
    for table, hashes in times.items():
        sizes = sorted(next(iter(hashes.values())))
        print(f"**{table}**\n")
        print("| hash | " + " | ".join(f"{size} bytes" for size in sizes) + " |")
        print("| --- |" + " ---: |" * len(sizes))
        for name, by_size in hashes.items():
            cells = [f"{statistics.median(by_size[size]):.1f}" for size in sizes]
            print(f"| {name} | " + " | ".join(cells) + " |")
        print()


if __name__ == "__main__":
    main()
