"""Runs RocksDB's own db_bench (package rocksdb-tools) with its Bloom and Ribbon
filters and with linebloom. Needs no RocksDB source tree.

  bench/db_bench.sh [--keys=N] [--runs=N] [--policies=POLICY,...] [--json=FILE]
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
import json
import os
import re
import statistics

from db_bench_runs import (alternate, base_of, check_arguments, command_line, fail,
                           make_parser, print_table, read_policies, scatter, stop)

POLICIES = ["rocksdb-bloom", "rocksdb-ribbon", "linebloom"]

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


def main():
    parser = make_parser(__doc__, 1000000, POLICIES)
    parser.add_argument("--json", metavar="FILE", help="write the figures of every run to FILE")
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
