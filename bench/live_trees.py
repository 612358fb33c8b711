#!/usr/bin/env python3
"""Runs live_tree on trees of several filters and prints tables in Markdown.

  bench/live_trees.py sweep FILE [FLAG-OF-LIVE_TREE...]
      how close `linebloom`, which finds its bits by itself, comes to the best fixed bits, by the share of
      lookups that hit, their skew, the size of the cache, and whole or partitioned filters. For fixed bits
      one tree, overwritten once, serves all cells; linebloom gets a tree for each, with the cell's lookups
      before and while it is overwritten. Takes 45 minutes of a core.
  bench/live_trees.py day FILE [...]
      the same while a tree grows and its lookups turn
  bench/live_trees.py shapes FILE [...]
      filters of one size in memory, in trees of several shapes

Each measurement is a line of JSON in FILE; those that it has aren't run again. Needs build/release
(tools/run_tests.sh builds it).
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

from tables import PROGRAMS, markdown

LIVE_TREE = os.path.join(PROGRAMS, "live_tree")
BLOOM, AUTO = "bloomfilter:10:false", "linebloom"
FIXED = {f"{{id=linebloom;bits_per_key={bits};level_aware=true}}": bits for bits in (2, 3, 4, 5, 6, 7, 8, 10, 12, 14)}
TEN_BITS = next(filters for filters, bits in FIXED.items() if bits == 10)
CACHES = [0.25, 0.4, 0.5, 0.75, 1, 1.5, 2]  # times filters and indexes of 10 bits
HITS = [0, 1, 3, 10, 20, 50, 90, 100]
LOADS = [f"{hits}{skew}" for skew in ("", ",zipf") for hits in HITS]
CELLS = [[partitioned, load, size] for partitioned in ("false", "true") for load in LOADS for size in CACHES]
FEWEST_READS = 100  # for a ratio to mean something
MEASURE = "measure=60k"


class Results:
    """What live_tree printed, by filters and the place of the measurement."""

    def __init__(self, path, flags):
        self.path, self.flags, self.lines = path, flags, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.lines = {tuple(map(json.dumps, (line["filters"], line["place"]))): line
                              for line in map(json.loads, file)}

    def find(self, filters, place):
        return self.lines.get((json.dumps(filters), json.dumps(place)))

    def reads(self, filters, place):
        """Reads of all kinds per 1,000 lookups."""
        line = self.find(filters, place)
        return 1000 * line["reads"] / line["lookups"]

    def run(self, filters, places, steps, flags=()):
        """Runs live_tree unless all places, one for each measurement, are there."""
        if all(self.find(filters, place) for place in places):
            return
        print(filters, *flags, *steps[:4], file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="live_trees.", dir=os.path.dirname(self.path) or ".") as work:
            output = subprocess.run(
                ["nice", LIVE_TREE, f"--folder={work}/db", f"--filters={filters}", *flags, *self.flags, *steps],
                check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        with open(self.path, "a", encoding="utf-8") as file:
            for place, line in zip(places, map(json.loads, output), strict=True):
                line["place"] = place
                self.lines[json.dumps(filters), json.dumps(place)] = line
                print(json.dumps(line), file=file)

    def compare(self, place):
        """linebloom's bits, its reads, the best fixed bits, their reads, and the ratio, or None if reads are few."""
        fixed = {bits: self.reads(filters, place) for filters, bits in FIXED.items() if self.find(filters, place)}
        best = min(fixed, key=fixed.get)
        few = 1000 * FEWEST_READS > fixed[best] * self.find(AUTO, place)["lookups"]
        own = self.reads(AUTO, place)
        return self.find(AUTO, place)["bits_per_key"], own, best, fixed[best], None if few else own / fixed[best]


def summarize(name, ratios):
    print(f"\n{name}: {len(ratios)} ratios where the best read {FEWEST_READS} blocks or more: most {max(ratios):.2f}, "
          f"median {statistics.median(ratios):.2f}, above 1.10: "
          f"{sum(ratio > 1.10 for ratio in ratios)}, above 1.25: {sum(ratio > 1.25 for ratio in ratios)}")


def sweep(results, rows=250_000):
    results.run("linebloom:10", ["10 bits"], [f"write={rows}", "overwrite", "load=0", "cache=1M", "measure=1k"])
    tree = results.find("linebloom:10", "10 bits")
    unit = tree["filter_bytes"] + tree["index_bytes"]
    lookups = "200k" if "--statistics=false" in results.flags else "20k"  # a sample needs more
    for partitioned in ("false", "true"):
        flags = [f"--partitioned={partitioned}"]
        for filters in [BLOOM, *FIXED]:
            places = sorted((cell for cell in CELLS if cell[0] == partitioned and not results.find(filters, cell)),
                            key=lambda cell: cell[2])
            steps = [f"write={rows}", "overwrite"]
            for _, load, size in places:
                steps += [f"cache={size * unit:.0f}", f"load={load}", MEASURE]
            results.run(filters, places, steps, flags)
        for cell in CELLS:
            if cell[0] == partitioned:
                results.run(AUTO, [cell], [f"cache={cell[2] * unit:.0f}", f"write={rows}", f"load={cell[1]}",
                                           f"lookups={lookups}", "overwrite", MEASURE], flags)
    ratios, of_bloom = [], []
    columns = [(partitioned, skew) for partitioned in ("false", "true") for skew in ("", ",zipf")]
    lines = []
    for hits in HITS:
        texts = [str(hits)]
        for partitioned, skew in columns:
            of_caches = []
            for cell in CELLS:
                if cell[:2] == [partitioned, f"{hits}{skew}"]:
                    _, _, _, least, ratio = results.compare(cell)
                    if ratio:
                        of_caches.append(ratio)
                        of_bloom.append(results.reads(BLOOM, cell) / least)
            texts.append(f"{statistics.median(of_caches):.2f}, {max(of_caches):.2f}" if of_caches else "")
            ratios += of_caches
        lines.append(texts)
    print("Reads over those of the best fixed bits, median and most of the caches:\n")
    print(markdown(["hits, %", "whole", "whole, Zipf", "partitioned", "partitioned, Zipf"], lines))
    summarize("linebloom", ratios)
    summarize("Bloom, 10 bits", of_bloom)


def day(results, smallest=31_250, cache=250_000):
    steps, places = [f"cache={cache}", "load=0"], []

    def measure(change, step):
        steps.extend([step, MEASURE])
        places.append(f"{len(places) + 1}: {change}")

    for doubling in range(5):
        measure(f"grown to {smallest << doubling:,} rows", f"write={smallest << max(doubling - 1, 0)}")
    for load, change in (("50", "half hit"), ("0", "all miss")):
        measure(change, f"load={load}")
        for quarter in range(1, 5):
            measure(f"{25 * quarter} % overwritten", f"overwrite={smallest << 2}")
    for filters in [AUTO, *FIXED]:
        results.run(filters, places, steps)
    rows = []
    for place in places:
        bits, own, best, least, ratio = results.compare(place)
        texts = [f"{reads:,.{0 if reads >= 100 else 1}f}" for reads in (own, least, results.reads(TEN_BITS, place))]
        rows.append([place, texts[0], f"{bits:.1f}", str(best), texts[1], f"{ratio:.2f}" if ratio else "few reads", texts[2]])
    print(markdown(["measurement", "reads per 1,000", "bits", "best fixed bits", "their reads", "ratio", "reads of 10 bits"], rows))


def shapes(results, rows=250_000):
    steps = ["load=0", f"write={rows}", MEASURE, "overwrite", MEASURE, "overwrite", MEASURE]
    lines = []
    for shape in ("dynamic", "static", "universal", "in order"):
        flags = ["--in_order=true"] if shape == "in order" else [f"--shape={shape}"]
        places, cells = [[shape, times] for times in range(3)], [shape]
        for filters in (BLOOM, "ribbonfilter:14.746:-1", "{id=linebloom:plain;bits_per_key=10;level_aware=true}",
                        "linebloom:10", TEN_BITS):
            results.run(filters, places, steps, flags)
            cells.append(", ".join(f"{results.reads(filters, place):.3g}" for place in places))
        found = [results.find(filters, place) for place in places]
        cells += [", ".join(f"{line['bits_per_key']:.2f}" for line in found), ", ".join(str(line["runs"]) for line in found)]
        lines.append(cells)
    print(markdown(["shape", "Bloom", "Ribbon", "plain, by level", "linebloom", "linebloom, by level", "its bits per key",
                    "its sorted runs"], lines))


def main():
    commands = {"sweep": sweep, "day": day, "shapes": shapes}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](Results(sys.argv[2], sys.argv[3:]))


if __name__ == "__main__":
    main()
