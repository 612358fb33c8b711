#!/usr/bin/env python3
"""Measures what heat-aware filters save under skewed lookups.

  bench/heat_savings.py [ROWS [SKEW]...]

Runs linebloom compare with ROWS (default: 10,000,000) for each SKEW (default: even,
80/20, 95/5 and zipf:0.99), in files of 8 MiB, and prints a table for
docs/runs/2026-11-23.md. Needs build/release and 3 GB in the current folder. The
times of lookups are not measured, so a busy machine does no harm.
"""
import json
import os
import subprocess
import sys

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../build/release/tools/linebloom compare")
SKEWS = ["", "80/20", "95/5", "zipf:0.99"]


def compare(rows, skew):
    command = [TOOL, f"--rows={rows}", f"--skew={skew}", "--file_size=8MiB",
               "--lookups=4M", "--rounds=1", "--json=-",
               "--policies=linebloom-levels;linebloom-heat"]
    return json.loads(subprocess.run(command, check=True, text=True,
                                     stdout=subprocess.PIPE).stdout)


def ratio_cell(levels, heat):
    """The ratio of reads, with two standard deviations."""
    if levels == 0 or heat == 0:
        return "-"
    ratio = heat / levels
    return f"{ratio:.3f} ± {2 * ratio * (1 / levels + 1 / heat) ** 0.5:.3f}"


def row_of(skew, report):
    levels, heat = report["results"]
    reads = [result["data_block_reads"] for result in (levels, heat)]
    return (f"| {skew or 'even'} | {levels['filter_bytes']:,} "
            f"| {heat['filter_bytes'] / levels['filter_bytes']:.4f} "
            f"| {levels['reads_per_lookup']:.6f} | {heat['reads_per_lookup']:.6f} "
            f"| {ratio_cell(*reads)} |")


def main():
    if len(sys.argv) > 1 and not sys.argv[1].isdigit():
        sys.exit("usage: heat_savings.py [ROWS [SKEW]...]")
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    print("| skew | bytes of filters: level_aware | heat_aware, of that "
          "| reads per missing row: level_aware | heat_aware | ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for skew in sys.argv[2:] or SKEWS:
        print(skew or "even", file=sys.stderr)
        print(row_of(skew, compare(rows, skew)), flush=True)


if __name__ == "__main__":
    main()
