#!/usr/bin/env python3
"""Fills README.md's table, and draws its pictures, from the tables of the pages in docs/.

  bench/readme.py           writes README.md and docs/pictures/
  bench/readme.py --check   exits with 1 if they aren't what it would write; ctest runs this
"""
import math
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Label, name in filter_bench and in linebloom compare, color.
FILTERS = [("RocksDB Bloom", "rocksdb-bloom", "rocksdb-bloom", "#0072b2"),
           ("RocksDB Ribbon", "rocksdb-ribbon-10", "rocksdb-ribbon", "#d55e00"),
           ("**linebloom**", "linebloom", "linebloom", "#9c3d87"),
           ("**linebloom, `level_aware`**", "linebloom", "linebloom-levels", "#9c3d87")]
PLACE = re.compile(r"(<!-- figures: (\w+) -->\n).*?( *<!-- end -->)", re.DOTALL)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def table(page, heading, title):
    """{first cell: {column: number}} of the table below a heading whose title is `title`: the bold
    line above a table in Markdown, or its first column, in a fenced block too."""
    text = read(page).split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = iter(text.splitlines())
    line = next(line for line in lines if line.startswith((f"**{title}**", f"{title}  ", f"| {title} |")))
    if line.startswith(("**", "|")):
        split = lambda line: [cell.strip() for cell in line.strip("| ").split("|")]
        columns = split(line if line.startswith("|") else (next(lines), next(lines))[1])
        next(lines)
    else:
        split = lambda line: re.split(r" {2,}", line)
        columns = split(line)
    rows = {}
    for line in lines:
        if not line.strip() or line.startswith(("<!--", " ")):
            break
        cells = split(line)
        numbers = [re.match(r"[\d,]+(?:\.\d+)?(?![\d.])", cell) for cell in cells]
        rows.setdefault(cells[0], {column: float(number[0].replace(",", ""))
                                   for column, number in zip(columns, numbers) if number})
    return rows


PAGE = "docs/benchmarks.md"
HOT = "One filter of a million keys"


def readme_table():
    reads = table("docs/comparison.md", "What it printed", "Reads from disk")
    lookups, builds = table(PAGE, HOT, "hot"), table(PAGE, HOT, "build, hot")
    lines = ["| 10 bits per key | reads per 1,000 missing rows | reject a key | find a key | build, per key "
             "| memory to build, per key |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for label, name, compared, _ in FILTERS:
        lookup, build = lookups[name], builds[name]
        lines.append(f"| {label} | {1000 * reads[compared]['per lookup']:.1f} | {lookup['miss']:.1f} ns "
                     f"| {lookup['hit']:.1f} ns | {build['build']:.3g} ns | {build['memory, bytes/key']:.1f} B |")
    return "\n".join(lines)


def why_not_ribbon():
    lookups, builds = table(PAGE, HOT, "hot"), table(PAGE, HOT, "build, hot")
    times = [rows["rocksdb-ribbon-10"][column] / rows["linebloom"][column] for rows, column in (
        (lookups, "miss"), (lookups, "hit"), (builds, "build"), (builds, "memory, bytes/key"))]
    return ("**Why not Ribbon?** The same rate at the same memory takes Ribbon {:.1f} times as long to reject a key, {:.1f} times to\n"
            "find one, {:.1f} times to build one, and {:.1f} times the memory to build. **Why not Bloom?** For its rate linebloom takes\n"
            "{:.2g} bits per key, not 10.").format(*times, lookups["linebloom-rate"]["bits/key"])


def under_a_cache():
    reads = table("docs/memory.md", "The cliff", "MB of cache")
    return ("**Under a block cache of 2 MB**, which these filters and indexes don't fit into, 1,000 missing rows read "
            "{:.0f} blocks with\nBloom, {:.0f} with linebloom, and {:.0f} with the bits per key that suit the cache "
            "([how to choose them](docs/memory.md)).").format(
                *(reads[name]["2.0"] for name in ("Bloom, 10 bits", "`linebloom:10`", "the best of linebloom")))


def against():
    native = table(PAGE, "A RocksDB compiled for its CPU", "hot")
    many = table(PAGE, "Filters larger than a cache", "many")
    builds = table(PAGE, HOT, "build, hot")
    ratio = lambda rows, column, of, to: rows[of][column] / rows[to][column]
    return ("- A RocksDB *compiled for its CPU* has a faster Bloom: linebloom takes {:.1f} times as long to reject a key, {:.1f} times to\n"
            "  find one ([figures](docs/benchmarks.md#a-rocksdb-compiled-for-its-cpu)).\n"
            "- Building takes {:.1f} times Bloom's time.\n"
            "- With filters [far larger than the CPU's caches](docs/benchmarks.md#filters-larger-than-a-cache) a miss takes {:.2f} times Bloom's\n"
            "  time: a lookup loads two lines at once, not one.").format(
                ratio(native, "miss", "linebloom", "rocksdb-bloom"), ratio(native, "hit", "linebloom", "rocksdb-bloom"),
                ratio(builds, "build", "linebloom", "rocksdb-bloom"), ratio(many, "miss", "linebloom", "rocksdb-bloom"))


class Chart:
    """Points in a plane whose axes are logarithmic, as SVG."""
    WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 340, 48, 136, 56, 276

    def __init__(self, heading, across, up, ticks_across, ticks_up):
        self.across, self.up = ticks_across, ticks_up
        self.parts = [f'<text x="16" y="26" class="heading">{heading}</text>',
                      f'<text x="16" y="44" class="faint">{up} (up), {across} (right)</text>']
        for tick in ticks_across:
            self.parts.append(f'<path d="M{self.x(tick):.1f} {self.TOP}V{self.BOTTOM}" class="grid"/>'
                              f'<text x="{self.x(tick):.1f}" y="{self.BOTTOM + 18}" text-anchor="middle">{tick}</text>')
        for tick in ticks_up:
            self.parts.append(f'<path d="M{self.LEFT} {self.y(tick):.1f}H{self.WIDTH - self.RIGHT}" class="grid"/>'
                              f'<text x="{self.LEFT - 8}" y="{self.y(tick) + 4:.1f}" text-anchor="end">{tick}</text>')

    @staticmethod
    def share(value, ticks):
        return math.log(value / ticks[0]) / math.log(ticks[-1] / ticks[0])

    def x(self, value):
        return self.LEFT + self.share(value, self.across) * (self.WIDTH - self.RIGHT - self.LEFT)

    def y(self, value):
        return self.BOTTOM - self.share(value, self.up) * (self.BOTTOM - self.TOP)

    def line(self, points, label, color, down):
        """Through points (across, up), the last of which has the label, so many pixels lower."""
        path = "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in points)
        self.parts.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        x, y = self.x(points[-1][0]), self.y(points[-1][1])
        self.parts.append(f'<text x="{x + 8:.1f}" y="{y + 4 + down:.1f}">{label}</text>')

    def point(self, across, up, label, color, below=None):
        """With its label to the right, or so many pixels below it (above, if negative)."""
        x, y = self.x(across), self.y(up)
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{color}"/>')
        where = f'x="{x + 11:.1f}" y="{y + 4:.1f}"' if below is None else \
            f'x="{x:.1f}" y="{y + below:.1f}" text-anchor="middle"'
        self.parts.append(f'<text {where}>{label}</text>')

    def svg(self, foot):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.WIDTH}" height="{self.HEIGHT}" '
                f'viewBox="0 0 {self.WIDTH} {self.HEIGHT}" role="img">\n'
                '<style>text{font:13px sans-serif;fill:#1f2328}.heading{font-weight:bold;font-size:15px}'
                '.faint{fill:#59636e;font-size:12px}.grid{stroke:#d1d9e0}</style>\n'
                f'<rect width="{self.WIDTH}" height="{self.HEIGHT}" rx="6" fill="#ffffff"/>\n'
                + "\n".join(self.parts) + f'\n<text x="16" y="{self.HEIGHT - 16}" class="faint">{foot}</text>\n</svg>\n')


def rate_picture():
    lookups = table(PAGE, HOT, "hot")
    chart = Chart("Rejecting a missing key: rate against time", "ns of CPU time for a key",
                  "false positives, %", [5, 10, 20, 40], [0.1, 0.3, 1, 2])
    for name, label, color, below in (
            ("rocksdb-bloom", "Bloom", FILTERS[0][3], -14), ("rocksdb-ribbon", "Ribbon", FILTERS[1][3], None),
            ("rocksdb-ribbon-10", "Ribbon", FILTERS[1][3], None), ("linebloom", "linebloom", FILTERS[2][3], None),
            ("linebloom-plain", "line=plain", FILTERS[2][3], -14), ("linebloom-rate", "linebloom", FILTERS[2][3], 24)):
        if name in lookups:
            row = lookups[name]
            chart.point(row["miss"], row["false positives, %"], f"{label}, {row['bits/key']:.2g} bits", color, below)
    return chart.svg("One filter of a million keys, packaged RocksDB: docs/benchmarks.md")


def memory_picture():
    reads = table("docs/memory.md", "The cliff", "MB of cache")
    chart = Chart("Reads of missing rows under one block cache", "MB of cache",
                  "blocks of all kinds read per 1,000 lookups", [1, 1.5, 2, 2.5, 3], [1, 10, 100, 1000])
    for name, label, color, down in (("Bloom, 10 bits", "Bloom, 10 bits", FILTERS[0][3], -5),
                                     ("the best of Bloom, 3 to 16 bits", "Bloom, best bits", "#6bb1dc", 5),
                                     ("`linebloom:10`", "linebloom, 10 bits", FILTERS[2][3], -5),
                                     ("the best of linebloom", "linebloom, best", "#5e1f4e", 5)):
        points = [(float(size), value) for size, value in reads[name].items()]
        chart.line([point for point in points if point[0] <= 3], label, color, down)
    return chart.svg("Whole filters and indexes in the cache: docs/memory.md")


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    places = {"table": readme_table, "ribbon": why_not_ribbon, "cache": under_a_cache, "against": against}
    files = {"README.md": PLACE.sub(lambda place: place[1] + places[place[2]]() + "\n" + place[3], read("README.md")),
             "docs/pictures/rate.svg": rate_picture(),
             "docs/pictures/memory.svg": memory_picture()}
    wrong = [path for path, text in files.items()
             if not os.path.exists(os.path.join(ROOT, path)) or read(path) != text]
    if sys.argv[1:]:
        sys.exit("\n".join(f"{path} isn't what bench/readme.py writes" for path in wrong) or 0)
    for path in wrong:
        with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
            file.write(files[path])


if __name__ == "__main__":
    main()
