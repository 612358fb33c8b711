#!/usr/bin/env python3
"""Measures what a filter costs when it is written: the CPU time of RocksDB's own
db_bench (package rocksdb-tools) for fillrandom and compact, with linebloom and
with RocksDB's filters, in alternating runs. Prints a Markdown table.

  bench/write_path.py [--keys=N] [--runs=N] [--policies=NAME,...] [--folder=DIR]

Flush and compaction: RocksDB's own count of the CPU time of these jobs
(CompMergeCPU in db_bench's `stats`). Process: user plus system time of all of
db_bench, including generating keys, the log and the memtable. Ratios are to
rocksdb-bloom's medians.

Needs build/release (tools/run_tests.sh builds it). Writes to a temporary folder
(in --folder; default: the system's) and removes it.
"""
import re
import statistics

from db_bench_runs import (alternate, base_of, check_arguments, command_line, fail,
                           make_parser, print_table, read_policies, scatter)

POLICIES = ["none", "rocksdb-bloom", "rocksdb-ribbon", "linebloom-plain",
            "linebloom"]


def jobs_cpu(output):
    """The CPU seconds of all flushes and compactions, from db_bench's stats."""
    head = re.search(r"^Level .*CompMergeCPU\(sec\).*$", output, re.MULTILINE)
    total = re.search(r"^ Sum .*$", output, re.MULTILINE)
    if not head or not total:
        fail("no compaction statistics in db_bench's output")
    # A size and its unit are two words ("Size", "Sum  12/0  1.5 GB").
    column = head.group().split().index("CompMergeCPU(sec)")
    return float(total.group().split()[column + 1])


def cells(values, base):
    median = statistics.median(values)
    return [f"{median:.2f}", f"{scatter(values):.0f} %", f"{median / base:.3f}"]


def main():
    args = make_parser(__doc__, 5000000, POLICIES).parse_args()
    policies = read_policies(args.policies)
    check_arguments(args)

    def run(database):
        output = database.bench("fillrandom,compact,stats", args.keys)
        return jobs_cpu(output.text), output.cpu

    times = alternate(policies, args.runs, args.folder, run)
    print(f"`{command_line()}`: db_bench fillrandom and "
          f"compact, {args.keys:,} keys of 16 bytes, values of 100; CPU seconds, "
          f"medians of {args.runs} runs\n")
    bases = [statistics.median(values) for values in zip(*times[base_of(times)])]
    rows = []
    for policy in policies:
        jobs, process = zip(*times[policy])
        rows.append([policy, *cells(jobs, bases[0]), *cells(process, bases[1])])
    print_table(["policy", "flush and compaction, s", "scatter", "ratio",
                 "process, s", "scatter", "ratio"], rows)


if __name__ == "__main__":
    main()
