#!/usr/bin/env python3
"""Measures what level-aware filters achieve in a database filled by RocksDB's
own db_bench.

  bench/live_tree.py [ROWS]

For each policy db_bench writes ROWS (default: 6,000,000) rows in random order,
waits for compactions and looks up a million missing ones. Levels are small
(level 1 of 10 MiB), so that a few million rows make four sorted runs. Prints a
table for docs/benchmarks.md. The shape of the tree differs slightly from run to
run, because RocksDB decides when to compact what. Needs build/release and the
package rocksdb-tools; works in a folder inside the current one.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                     "build/release")
LOOKUPS = 1_000_000
SIZES = "listeners=linebloom_level_sizes"
POLICIES = [
    ("rocksdb-bloom", "bloomfilter:10", ""),
    ("linebloom", "linebloom:10", ""),
    ("level_aware by size_ratio", "{id=linebloom;level_aware=true}", ""),
    ("level_aware by sizes", "{id=linebloom;level_aware=true}", SIZES),
]
OPTIONS = """[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
  {listeners}
[CFOptions "default"]
  write_buffer_size=2097152
  max_bytes_for_level_base=10485760
  target_file_size_base=2097152
  compression=kNoCompression
[TableOptions/BlockBasedTable "default"]
  filter_policy={policy}
"""


def db_bench(folder, rows, *flags):
    command = ["db_bench", f"--db={folder}/db", f"--num={rows}",
               f"--options_file={folder}/options.ini", "--value_size=50", *flags]
    preload = {"LD_PRELOAD": f"{BUILD}/liblinebloom.so"}
    return subprocess.run(command, env=os.environ | preload, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True).stdout


def ticker(output, name):
    return int(re.search(rf"{re.escape(name)} COUNT : (\d+)", output).group(1))


def dump(folder):
    path = f"{folder}/filters.json"
    subprocess.run([f"{BUILD}/tools/filter_dump", f"--db={folder}/db",
                    f"--json={path}"], check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        return json.load(file)["totals"][0]


def measure(policy, listeners, rows):
    with tempfile.TemporaryDirectory(dir=".", prefix="live_tree.") as folder:
        with open(f"{folder}/options.ini", "w", encoding="utf-8") as file:
            file.write(OPTIONS.format(policy=policy, listeners=listeners))
        db_bench(folder, rows, "--seed=1",
                 "--benchmarks=fillrandom,waitforcompaction")
        output = db_bench(folder, rows, "--seed=2", f"--reads={LOOKUPS}",
                          "--use_existing_db", "--statistics",
                          "--disable_auto_compactions",
                          "--benchmarks=readmissing")
        return ticker(output, "rocksdb.bloom.filter.full.positive"), dump(folder)


def main():
    if len(sys.argv) > 2 or not all(word.isdigit() for word in sys.argv[1:]):
        sys.exit("usage: live_tree.py [ROWS]")
    rows = int(sys.argv[1]) if len(sys.argv) == 2 else 6_000_000
    print("| filters | bits per key: all | by level, from the top | false "
          "positives per 1,000 lookups | predicted |")
    print("| --- | ---: | --- | ---: | ---: |")
    for name, policy, listeners in POLICIES:
        print(name, file=sys.stderr)
        false_positives, family = measure(policy, listeners, rows)
        levels = ", ".join(f"L{level['level']} {level['bits_per_key']:.1f}"
                           for level in family["levels"])
        print(f"| {name} | {family['all']['bits_per_key']:.2f} | {levels} "
              f"| {1000 * false_positives / LOOKUPS:.1f} "
              f"| {1000 * family['all']['reads_per_missing_row']:.1f} |")


if __name__ == "__main__":
    main()
