"""Turns filter_bench's JSON into Markdown tables: filter_tables.py FILE.

Prints medians of CPU time in nanoseconds per key; in brackets, the ratio to
rocksdb-bloom in the same run and, for builds, also to rocksdb-ribbon. Scatter
is the highest coefficient of variation in the table.
"""
import json
import re
import statistics
import sys
from collections import defaultdict

POLICIES = ["rocksdb-bloom", "rocksdb-ribbon", "linebloom-plain",
            "linebloom-plain-seeded", "linebloom", "linebloom-seeded"]
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
    "bits_per_halving": ("bits/halving", "{:.2f}"),
    "cache_lines": ("cache lines", "{:.1f}"),
    "memory_per_key": ("memory, bytes/key", "{:.2f}"),
}


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = re.findall(r"model name\s*:\s*(.*)", file.read())
    return f"{names[0] if names else 'unknown CPU'}, {len(names)} CPUs"


def read_runs(path):
    """{place: {policy: {what: [run]}}}, with one run per repetition."""
    runs = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    with open(path, encoding="utf-8") as file:
        for run in json.load(file)["benchmarks"]:
            if run["run_type"] != "iteration":
                continue
            parts = run["run_name"].split("/")
            if parts[0] == "dry":
                continue
            what, place, policy = parts[:3]
            threads = [p for p in parts if p.startswith("threads:")]
            # Builds with filters from outside RocksDB go into one table.
            if what == "build" and not place.startswith("all-"):
                place = f"build, {place}"
            runs[place][policy]["/".join([what] + threads)].append(run)
    return runs


def times(runs):
    return [run["cpu_time"] for run in runs]


def scatter(policies):
    """The highest coefficient of variation of a table's times, in per cent."""
    return max((100 * statistics.stdev(times(runs)) / statistics.mean(times(runs))
                for whats in policies.values() for runs in whats.values()
                if len(runs) > 1), default=0)


def time_cell(policies, policy, what):
    """A median, with its ratio to RocksDB's filters in brackets."""
    if what not in policies[policy]:
        return "-"
    median = statistics.median(times(policies[policy][what]))
    bases = ["rocksdb-bloom"] + (["rocksdb-ribbon"] if what == "build" else [])
    ratios = [f"{median / statistics.median(times(policies[base][what])):.2f}"
              for base in bases if what in policies.get(base, {})]
    if policy in bases or not ratios:
        return f"{median:.1f}"
    return f"{median:.1f} ({', '.join(ratios)})"


def counter_cell(whats, counter, form):
    values = [run[counter] for runs in whats.values() for run in runs
              if counter in run]
    return form.format(values[0]) if values else "-"


def rank(policy):
    """The sort key in a table; filters from outside RocksDB come last."""
    return (POLICIES + [policy]).index(policy), policy


def print_table(place, policies):
    columns = [what for what in COLUMNS
               if any(what in whats for whats in policies.values())]
    counters = [name for name in COUNTERS
                if any(name in run for whats in policies.values()
                       for runs in whats.values() for run in runs)]
    print(f"**{place}** (scatter at most {scatter(policies):.0f} %)\n")
    heads = [COUNTERS[name][0] for name in counters] + [COLUMNS[c] for c in columns]
    print("| policy | " + " | ".join(heads) + " |")
    print("| --- |" + " ---: |" * len(heads))
    for policy in sorted(policies, key=rank):
        whats = policies[policy]
        cells = [counter_cell(whats, name, COUNTERS[name][1]) for name in counters]
        cells += [time_cell(policies, policy, what) for what in columns]
        print(f"| {policy} | " + " | ".join(cells) + " |")
    print()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: filter_tables.py FILE")
    print(f"{cpu_model()}\n")
    for place, policies in read_runs(sys.argv[1]).items():
        print_table(place, policies)


if __name__ == "__main__":
    main()
