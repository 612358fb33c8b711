"""RocksDB's own db_bench (package rocksdb-tools) with its Bloom and Ribbon
filters and with linebloom. Needs no source tree of RocksDB.

  bench/db_bench.sh [--keys=N] [--runs=N] [--policies=POLICY,...] [--json=FILE]
                    [--folder=DIR] [-- FLAG-OF-DB_BENCH...]

For each policy in turn: fillrandom and compact, then in processes of their own
readmissing, readrandom, multireadrandom (in batches of 32) and readwhilewriting
on that database, as many lookups as keys each; and all of that again for each
run. Prints a table in Markdown:

  us/op     db_bench's wall time of an operation, the median of the runs
  scatter   their coefficient of variation
  ratio     to rocksdb-bloom's time in the same run, the median of the runs
  from, to  the least and the largest of these ratios
  blocks/op data blocks that a lookup asked for, from the block cache or a file

fillrandom writes some keys more than once and leaves out e^-1 of them, 37 %,
which readrandom and multireadrandom ask for all the same. What stands behind
-- goes to db_bench with every benchmark, so --use_direct_reads measures the
disk.

Another policy, from any option string that RocksDB takes:
--policies='rocksdb-bloom,mine:={id=linebloom;bits_per_key=12}'.

Needs build/release (tools/run_tests.sh builds it). Writes into a temporary
folder (in --folder, default: the system's) and removes it. Exit code 0; 1:
something failed; 2: bad usage, or something is missing.
"""
import json
import os
import re
import statistics

from db_bench_runs import (alternate, base_of, check_arguments, command_line, fail,
                           make_parser, print_table, read_policies, scatter, stop)

POLICIES = ["rocksdb-bloom", "rocksdb-ribbon", "linebloom"]

WRITES = ["fillrandom", "compact"]
# What each reading benchmark is given; the one that writes too is the last,
# because it changes the database.
READS = {
    "readmissing": [],
    "readrandom": [],
    "multireadrandom": ["--multiread_batched=true", "--batch_size=32"],
    "readwhilewriting": [],
}
# A compaction asks for blocks too, so their count says something only where
# nothing is written.
READS_ONLY = ["readmissing", "readrandom", "multireadrandom"]


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
    """What the JSON has of one benchmark in one run, apart from process times,
    which are those of all that ran in the process."""
    result = {"micros_per_op": micros_per_op(output.text, benchmark)}
    if benchmark in READS_ONLY:
        blocks = sum(ticker(output.text, f"block.cache.data.{what}")
                     for what in ("hit", "miss"))
        result["data_blocks_per_op"] = blocks / operations(output.text, benchmark)
    return result


def run_all(database, keys, flags):
    """{benchmark: what was measured} of one run."""
    output = database.bench(",".join(WRITES), keys, *flags)
    results = {name: measure(output, name) for name in WRITES}
    for name, own_flags in READS.items():
        # With the seed of fillrandom they would ask for the keys that it wrote.
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
    """Of the RocksDB that db_bench is linked with."""
    found = re.search(r"version ([0-9.]+)", os.popen("db_bench --version 2>&1").read())
    return found.group(1) if found else "unknown"


def main():
    parser = make_parser(__doc__, 1000000, POLICIES)
    parser.add_argument("--json", metavar="FILE", help="write every run's figures here")
    parser.add_argument("flags", nargs="*", metavar="FLAG-OF-DB_BENCH")
    args = parser.parse_args()
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
