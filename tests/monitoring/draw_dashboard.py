#!/usr/bin/python3
"""Draws a Grafana dashboard with what Prometheus has, for a look without Grafana.

  draw_dashboard.py DASHBOARD.json http://HOST:PORT SECONDS OUT.svg

Takes the panels' places, titles, units, queries and legends from the dashboard,
and the last SECONDS of their series from Prometheus. Needs python3-matplotlib.
"""
import json
import math
import sys
import time
import urllib.parse
import urllib.request

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.ticker import EngFormatter, FuncFormatter, PercentFormatter

from check_dashboard import legend, replace_variables

matplotlib.rcParams.update({"svg.hashsalt": "linebloom", "font.size": 9, "axes.titlesize": 10})
COLUMNS = 24  # of Grafana's grid
TICKS = {
    "percentunit": PercentFormatter(xmax=1),
    "ops": EngFormatter(unit="/s"),
    "bytes": EngFormatter(unit="B"),
    "short": FuncFormatter(lambda figure, _: f"{figure / 1e6:g} M" if figure >= 1e6 else f"{figure:,g}"),
}


def series_of(server, expression, seconds):
    """Labels, times and figures of each series; times are seconds before now."""
    now = time.time()
    url = f"{server}/api/v1/query_range?" + urllib.parse.urlencode(
        {"query": expression, "start": now - seconds, "end": now, "step": 1})
    with urllib.request.urlopen(url) as answer:
        result = json.load(answer)
    for series in result["data"]["result"]:
        points = [(float(at) - now, float(figure)) for at, figure in series["values"]]
        points = [point for point in points if math.isfinite(point[1])]
        if points:
            yield series["metric"], *zip(*points)


def draw(axes, panel, server, seconds):
    for target in panel["targets"]:
        expression = replace_variables(target["expr"])
        for labels, times, figures in series_of(server, expression, seconds):
            axes.plot(times, figures, linewidth=1.2, label=legend(target["legendFormat"], labels))
    axes.set_title(panel["title"], loc="left")
    axes.set_ylim(bottom=0, top=None if axes.dataLim.y1 > 0 else 1)
    axes.yaxis.set_major_formatter(TICKS[panel["fieldConfig"]["defaults"]["unit"]])
    axes.grid(linewidth=0.4)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("seconds before now", fontsize=8)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=4, frameon=False, fontsize=8)


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: draw_dashboard.py DASHBOARD.json http://HOST:PORT SECONDS OUT.svg")
    with open(sys.argv[1], encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    rows = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels)
    figure = pyplot.figure(figsize=(10, rows * 0.33), layout="constrained")
    grid = figure.add_gridspec(rows, COLUMNS)
    for panel in panels:
        place = panel["gridPos"]
        axes = figure.add_subplot(grid[place["y"]:place["y"] + place["h"],
                                       place["x"]:place["x"] + place["w"]])
        draw(axes, panel, sys.argv[2], int(sys.argv[3]))
    figure.savefig(sys.argv[4], metadata={"Date": None})


if __name__ == "__main__":
    main()
