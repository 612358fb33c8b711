"""Turns filter_bench's JSON into Markdown tables: filter_tables.py FILE...

Prints medians of CPU time in nanoseconds per key; in brackets, the ratio to
rocksdb-bloom in the same run and, for builds, also to rocksdb-ribbon. Scatter
is the highest coefficient of variation in the table. Where files are of more
than one RocksDB, each row names its own, and its ratios are to that RocksDB's
filters.
"""
import json
import re
import statistics
import sys
from collections import defaultdict

POLICIES = ["rocksdb-bloom", "rocksdb-ribbon", "rocksdb-ribbon-10", "linebloom-plain",
            "linebloom", "linebloom-seeded", "linebloom-rate"]
COLUMNS = {
    "build": "build",
    "miss/threads:1": "miss",
    "hit/threads:1": "hit",
    "batch": "batch of 32",
    "miss/threads:2": "miss, 2 threads",
    "hit/threads:2": "hit, 2 threads",
}
COUNTERS = {
    "bits_per_key": ("bits/key", "{:.2f}"),
    "fpr_percent": ("false positives, %", "{:.4f}"),
    "memory_per_key": ("memory, bytes/key", "{:.2f}"),
}


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = re.findall(r"model name\s*:\s*(.*)", file.read())
    return f"{names[0] if names else 'unknown CPU'}, {len(names)} CPUs"


def read_runs(paths):
    """{place: {(rocksdb, policy): {what: [run]}}}, with one run per repetition."""
    runs = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for path in paths:
        with open(path, encoding="utf-8") as file:
            output = json.load(file)
        for run in output["benchmarks"]:
            if run["run_type"] != "iteration":
                continue
            parts = run["run_name"].split("/")
            if parts[0] == "dry":
                continue
            what, place, policy = parts[:3]
            threads = [p for p in parts if p.startswith("threads:")]
            if what == "build":
                place = f"build, {place}"
            row = output["context"]["rocksdb"], policy
            runs[place][row]["/".join([what] + threads)].append(run)
    return runs


def times(runs):
    return [run["cpu_time"] for run in runs]


def scatter(rows):
    """The highest coefficient of variation of a table's times, in per cent."""
    return max((100 * statistics.stdev(times(runs)) / statistics.mean(times(runs))
                for whats in rows.values() for runs in whats.values()
                if len(runs) > 1), default=0)


def time_cell(rows, row, what):
    """A median, with its ratio to RocksDB's filters in brackets."""
    if what not in rows[row]:
        return "-"
    rocksdb, policy = row
    median = statistics.median(times(rows[row][what]))
    bases = ["rocksdb-bloom"] + (["rocksdb-ribbon"] if what == "build" else [])
    ratios = [f"{median / statistics.median(times(rows[rocksdb, base][what])):.2f}"
              for base in bases if what in rows.get((rocksdb, base), {})]
    if policy in bases or not ratios:
        return f"{median:.1f}"
    return f"{median:.1f} ({', '.join(ratios)})"


def counter_cell(whats, counter, form):
    values = [run[counter] for runs in whats.values() for run in runs
              if counter in run]
    return form.format(values[0]) if values else "-"


def rank(row):
    rocksdb, policy = row
    return POLICIES.index(policy), rocksdb


def print_table(place, rows):
    columns = [what for what in COLUMNS
               if any(what in whats for whats in rows.values())]
    counters = [name for name in COUNTERS
                if any(name in run for whats in rows.values()
                       for runs in whats.values() for run in runs)]
    print(f"**{place}** (scatter at most {scatter(rows):.0f} %)\n")
    several = len({rocksdb for rocksdb, _ in rows}) > 1
    heads = ["policy"] + (["RocksDB"] if several else [])
    numbers = [COUNTERS[name][0] for name in counters] + [COLUMNS[c] for c in columns]
    print("| " + " | ".join(heads + numbers) + " |")
    print("|" + " --- |" * len(heads) + " ---: |" * len(numbers))
    for row in sorted(rows, key=rank):
        rocksdb, policy = row
        cells = [policy] + ([rocksdb] if several else [])
        cells += [counter_cell(rows[row], name, COUNTERS[name][1]) for name in counters]
        cells += [time_cell(rows, row, what) for what in columns]
        print("| " + " | ".join(cells) + " |")
    print()


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: filter_tables.py FILE...")
    print(f"{cpu_model()}\n")
    for place, rows in read_runs(sys.argv[1:]).items():
        print_table(place, rows)


if __name__ == "__main__":
    main()
