#!/usr/bin/env python3
"""Draws the README's picture from the tables in docs/, as SVG on stdout.

  bench/readme_picture.py > docs/pictures/readme.svg

ctest compares the file with what this prints.
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests/docs"))
from figures import named_tables

FILTERS = [("RocksDB's Bloom", "bloomfilter:10:false", "rocksdb-bloom", "#0072b2"),
           ("RocksDB's Ribbon", "ribbonfilter:14.746:-1", "rocksdb-ribbon", "#d55e00"),
           ("linebloom:10", "linebloom:10", "linebloom", "#b3509c"),
           ("linebloom, level_aware", "{id=linebloom;level_aware=true}", "linebloom-levels", "#a87000")]
WIDTH, COLUMN, LABEL, BAR, ROW = 960, 480, 170, 230, 22


class Picture:
    def __init__(self):
        self.parts = []

    def text(self, x, y, text, style=""):
        self.parts.append(f'<text x="{x}" y="{y}" {style}>{text}</text>')

    def chart(self, x, y, heading, what, bars, most):
        """Horizontal bars: (label, value, color); returns where the chart ends."""
        self.text(x, y, heading, 'class="heading"')
        self.text(x, y + 17, what, 'class="faint"')
        y += 28
        for label, value, color in bars:
            width = max(BAR * value / most, 1)
            self.text(x + LABEL - 8, y + 15, label, 'text-anchor="end"')
            self.parts.append(f'<rect x="{x + LABEL}" y="{y + 3}" width="{width:.1f}" height="16" fill="{color}"/>')
            self.text(x + LABEL + round(width) + 6, y + 15, f"{value:.3g}")
            y += ROW
        return y + 30

    def svg(self, height):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
                f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Reads and times with each filter">\n'
                '<style>text{font:13px sans-serif;fill:#1f2328}.heading{font-weight:bold;font-size:15px}'
                '.faint{fill:#59636e;font-size:12px}</style>\n'
                f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n' + "\n".join(self.parts) + "\n</svg>")


def main():
    name = named_tables()
    live, laid_out, ratios = name["live"], name["reads"], name["ratios"]
    picture = Picture()
    reads = [(label, sum(per_filter(live, row, phase) for phase in (0, 1, 2)) / 3, color)
             for row, (label, _, _, color) in enumerate(FILTERS)]
    y = picture.chart(16, 30, "Disk reads in a live tree", "per 1,000 filters that missing keys met, mean of "
                      "three phases", reads, reads[0][1])
    picture.chart(16, y, "Disk reads in a tree laid out level by level", "per 1,000 lookups of missing rows",
                  [(label, 1000 * laid_out[row, "per lookup"], color) for label, _, row, color in FILTERS],
                  1000 * laid_out["rocksdb-bloom", "per lookup"])
    y = 30
    for heading, row in (("CPU time compared with a packaged RocksDB", 1), ("CPU time compared with a RocksDB compiled for its CPU", 6)):
        bars = [(what, ratios[row, column], "#b3509c") for what, column in (
            ("rejecting a key", "miss"), ("finding one", "hit"), ("rejecting, in batches", "batch of 32"),
            ("building", "build"))]
        y = picture.chart(COLUMN + 16, y, heading, "linebloom's, in multiples of RocksDB's Bloom filter", bars, 6.5)
    picture.text(16, y, "10 bits per key, 2,000,000 rows, in the live tree overwritten twice; RocksDB 7.8.3, Intel Xeon "
                 "(Emerald Rapids, AVX-512), 2026-11-23", 'class="faint"')
    print(picture.svg(y + 14))


def per_filter(live, row, phase):
    at = 3 * row + phase + 1
    return live[at, "measured"] / live[at, "filters met"]


if __name__ == "__main__":
    main()
