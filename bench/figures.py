#!/usr/bin/env python3
"""Figures of the pages in docs/, none of which is pasted by hand.

  bench/figures.py           fills README.md's figures and draws docs/pictures/ from the pages' tables
  bench/figures.py --check   exits with 1 if they aren't what it would write; ctest runs this
  bench/figures.py --fill TEXT
      runs the commands on the pages that contain TEXT, in the repository's folder, and puts what each
      prints between its `<!-- $ COMMAND -->` and the next `<!-- end -->`

Drawing needs python3-matplotlib (tools/install_dependencies.sh --figures); filling needs build/release
(tools/run_tests.sh builds it) and an otherwise idle machine. A picture's metadata have the points that it
shows: --check compares those and needs no matplotlib.
"""
import glob
import html
import json
import os
import re
import subprocess
import sys

from tables import ROOT, markdown

PAGE = "docs/benchmarks.md"
COMPARED = ("docs/program.md", "Compare reads")
HOT = "One filter of a million keys"
# In every picture: RocksDB's Bloom and Ribbon; linebloom with a number of bits, and with its own; the best.
BLUE, ORANGE, PINK, PURPLE, GREY = "#0072b2", "#d55e00", "#c27fb5", "#7b1f68", "#59636e"
# Label, name in filter_bench and in linebloom compare.
FILTERS = [("RocksDB Bloom", "rocksdb-bloom", "bloomfilter:10"),
           ("RocksDB Ribbon", "rocksdb-ribbon-10", "ribbonfilter:14.746:-1"),
           ("**linebloom**", "linebloom", "linebloom:10"),
           ("**linebloom, by level**", "linebloom", "linebloom:10 levels")]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
        file.write(text)


def table(page, heading, title):
    """{first cell: {column: number}} of the table below a heading whose title is `title`: the bold
    line above a table in Markdown, or its first column, in a fenced block too."""
    text = read(page).split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = iter(text.splitlines())
    line = next(line for line in lines if line.startswith((f"**{title}**", f"{title}  ", f"| {title} |")))
    is_markdown = line.startswith(("**", "|"))

    def cells_of(line):
        return [cell.strip() for cell in line.strip("| ").split("|")] if is_markdown else re.split(r" {2,}", line)

    if line.startswith("**"):
        next(lines)
        line = next(lines)
    columns = cells_of(line)
    if is_markdown:
        next(lines)
    rows = {}
    for line in lines:
        if not line.strip() or line.startswith(("<!--", " ")):
            break
        cells = cells_of(line)
        numbers = [re.match(r"[\d,]+(?:\.\d+)?(?![\d.])", cell) for cell in cells]
        rows.setdefault(cells[0], {column: float(number[0].replace(",", ""))
                                   for column, number in zip(columns, numbers) if number})
    return rows


def readme_table():
    reads = table(*COMPARED, "Reads per 1,000")
    lookups, builds = table(PAGE, HOT, "hot"), table(PAGE, HOT, "build, hot")
    rows = [["the bound for any filter: 2^-10", f"{100 / 2**10:.3f} %", *[""] * 5]]
    for label, name, compared in FILTERS:
        lookup, build = lookups[name], builds[name]
        rows.append([label, "" if compared.endswith("levels") else f"{lookup['false positives, %']:.3f} %",
                     f"{reads[compared]['reads']:.1f}", f"{lookup['miss']:.1f} ns", f"{lookup['hit']:.1f} ns",
                     f"{build['build']:.3g} ns", f"{build['memory, bytes/key']:.1f} B"])
    return markdown(["10 bits per key", "false positives", "reads per 1,000 missing rows", "reject a key", "find a key",
                     "build, per key", "memory to build"], rows)


def in_a_database():
    times = table(*COMPARED, "Reads per 1,000")
    bloom, ours = times["bloomfilter:10"], times["linebloom:10"]
    reads = table("docs/memory.md", "The cliff", "MB of cache")
    return ("**In a database** on a disk, with filters in memory, a lookup of a missing row takes {:.1f} us with Bloom and {:.1f} with "
            "linebloom,\nand 99 of 100 take at most {:.0f} and {:.1f} ([figures](docs/program.md#compare-reads)); writing "
            "[takes as long](docs/benchmarks.md#the-write-path).\n**In a block cache of 2 MB**, too small for filters and "
            "indexes, 1,000 missing rows read {:.0f} blocks with Bloom's 10\nbits, {:.0f} with 10 of linebloom's, and {:.0f} with the "
            "{:g} that [it chooses by itself](docs/memory.md).").format(
                bloom["mean us"], ours["mean us"], bloom["p99 us"], ours["p99 us"],
                *(reads[name]["2"] for name in ("bloomfilter:10", "linebloom:10", "linebloom", "bits of linebloom")))


def printed():
    """The last sentence that compare prints."""
    page, heading = COMPARED
    block = read(page).split(f"\n## {heading}\n", 1)[1].split("```\n")[1]
    return f"<!-- not run: {page} has it all -->\n```\n{block.strip().split(chr(10) * 2)[-1]}\n```"


def against():
    native = table(PAGE, "A RocksDB compiled for its CPU", "hot")
    many = table(PAGE, "Filters larger than a cache", "many")
    builds = table(PAGE, HOT, "build, hot")

    def ratio(rows, column):
        return rows["linebloom"][column] / rows["rocksdb-bloom"][column]

    return ("- A RocksDB *compiled for its CPU* has a faster Bloom: linebloom takes {:.1f} times as long to reject a key, {:.1f} times to\n"
            "  find one ([figures](docs/benchmarks.md#a-rocksdb-compiled-for-its-cpu)).\n"
            "- Building a filter takes {:.1f} times Bloom's time.\n"
            "- With filters [far larger than the CPU's caches](docs/benchmarks.md#filters-larger-than-a-cache) a miss takes {:.2f} times Bloom's\n"
            "  time, because a lookup loads two lines, not one.").format(
                ratio(native, "miss"), ratio(native, "hit"), ratio(builds, "build"), ratio(many, "miss"))


def rate_picture():
    lookups = table(PAGE, HOT, "hot")
    series = []
    for name, label, color, where in (
            ("rocksdb-bloom", "Bloom", BLUE, [0, 9]), ("rocksdb-ribbon", "Ribbon", ORANGE, [8, -3]),
            ("rocksdb-ribbon-10", "Ribbon", ORANGE, [8, -3]), ("linebloom", "linebloom", PINK, [8, -3]),
            ("linebloom-rate", "linebloom", PINK, [0, -16])):
        row = lookups[name]
        series.append({"label": f"{label}, {row['bits/key']:.2g} bits", "where": where, "color": color,
                       "points": [[row["miss"], row["false positives, %"]]]})
    return {"title": "Rejecting a missing key: rate against time", "size": [6, 4],
            "x": ["ns of CPU time for a key", [5, 10, 20, 40]], "source": "One filter of a million keys, packaged RocksDB",
            "panels": [{"y": ["false positives, %", [0.1, 0.3, 1, 2]], "series": series}]}


def memory_picture():
    reads = table("docs/memory.md", "The cliff", "MB of cache")
    series = [{"label": label, "where": [8, down], "color": color, "points": [[float(size), value] for size, value in reads[name].items()]}
              for name, label, color, down in (("bloomfilter:10", "Bloom, 10 bits", BLUE, 0),
                                               ("ribbonfilter:14.746:-1", "Ribbon, 10 bits", ORANGE, 6),
                                               ("linebloom:10", "linebloom, 10 bits", PINK, -6),
                                               ("linebloom", "linebloom,\nits own bits", PURPLE, -6))]
    return {"title": "Reads of missing rows under one block cache", "size": [6, 4],
            "x": ["MB of cache", [1, 2, 3, 4]], "source": "Whole filters and indexes in the cache",
            "panels": [{"y": ["blocks of all kinds read per 1,000 lookups", [0.1, 1, 10, 100, 1000]], "series": series}]}


def day_picture():
    rows = table(PAGE, "Bits that it finds by itself", "measurement")
    panels = []
    for label, ticks, columns in (
            ("reads per 1,000 lookups", [10, 100, 1000, 3000],
             ("reads per 1,000", "their reads", "reads of 10 bits")),
            ("bits per key", [2, 4, 8, 16], ("bits", "best fixed bits"))):
        panels.append({"y": [label, ticks], "series": [
            {"label": name, "where": [8, above], "color": color,
             "points": [[float(place.split(":")[0]), row[column]] for place, row in rows.items()
                        if row[column] >= ticks[0]]}  # what reads next to nothing would squeeze the rest
            for name, above, color, column in zip(("linebloom", "best fixed bits", "10 bits"), (-10, 0, 5), (PURPLE, GREY, PINK), columns)]})
    return {"title": "A tree that grows, and whose lookups turn", "size": [8, 6], "panels": panels,
            "x": ["", [float(place.split(":")[0]) for place in rows], [place.split(": ")[1] for place in rows]],
            "source": "linebloom without a number, and the best fixed bits of the moment"}


PLACES = {"table": readme_table, "database": in_a_database, "printed": printed, "against": against}
PICTURES = {"docs/pictures/rate.svg": rate_picture, "docs/pictures/memory.svg": memory_picture,
            "docs/pictures/day.svg": day_picture}


def draw(path, picture):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "linebloom", "font.size": 9})
    from matplotlib import pyplot
    panels = picture["panels"]
    figure, all_axes = pyplot.subplots(len(panels), sharex=True, squeeze=False, figsize=picture["size"], layout="constrained")
    figure.suptitle(picture["title"], fontsize=11)
    for axes, panel in zip(all_axes.flat, panels):
        for axis, (label, ticks, *names) in ((axes.xaxis, picture["x"]), (axes.yaxis, panel["y"])):
            name = axis.axis_name
            axes.set(**{f"{name}label": label, f"{name}scale": "linear" if names else "log", f"{name}lim": (ticks[0], ticks[-1])})
            axis.set_ticks(ticks, *names or [[f"{tick:g}" for tick in ticks]])
            axis.set_minor_locator(matplotlib.ticker.NullLocator())
            if names:
                axis.set_tick_params(rotation=90)
        axes.grid(color="#d1d9e0")
        axes.spines[["top", "right"]].set_visible(False)
        for one in panel["series"]:
            axes.plot(*zip(*one["points"]), color=one["color"], marker="o", clip_on=False)
            axes.annotate(one["label"], one["points"][-1], one["where"], textcoords="offset points",
                          horizontalalignment="left" if one["where"][0] else "center")
    figure.supxlabel(picture["source"], color="#59636e", fontsize=8)
    figure.savefig(os.path.join(ROOT, path), bbox_inches="tight",
                   metadata={"Date": None, "Description": json.dumps(picture)})
    pyplot.close(figure)


def is_drawn(path, picture):
    """The picture shows these points."""
    found = os.path.exists(os.path.join(ROOT, path)) and re.search(r"<dc:description>(.*?)</dc:description>", read(path), re.DOTALL)
    return bool(found) and html.unescape(found[1]) == json.dumps(picture)


def fill(text):
    """Runs the commands that contain `text`."""
    found = False

    def run(place):
        nonlocal found
        head, command, end = place.groups()
        if text not in command:
            return place.group()
        found = True
        print(command, file=sys.stderr)
        output = subprocess.run(["bash", "-c", command], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        return f"{head}{output.stdout.strip()}\n{end}"

    for path in sorted(glob.glob("docs/**/*.md", root_dir=ROOT, recursive=True)):
        page = read(path)
        filled = re.sub(r"(<!-- \$ (.*?) -->\n).*?(<!-- end -->)", run, page, flags=re.DOTALL)
        if filled != page:
            write(path, filled)
    if not found:
        sys.exit(f"figures.py: no command contains '{text}'")


def main():
    if sys.argv[1:2] == ["--fill"] and len(sys.argv) == 3:
        return fill(sys.argv[2])
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    old = read("README.md")
    readme = re.sub(r"(<!-- figures: (\w+) -->\n).*?( *<!-- end -->)",
                    lambda place: f"{place[1]}{PLACES[place[2]]()}\n{place[3]}", old, flags=re.DOTALL)
    pictures = {path: picture() for path, picture in PICTURES.items()}
    wrong = [path for path, picture in pictures.items() if not is_drawn(path, picture)]
    if sys.argv[1:]:
        wrong += ["README.md"] if readme != old else []
        sys.exit("\n".join(f"{path} isn't what bench/figures.py writes" for path in wrong) or 0)
    write("README.md", readme)
    for path in wrong:
        draw(path, pictures[path])


if __name__ == "__main__":
    main()
