#!/usr/bin/env python3
"""Opens the pages that the tools write in a real browser, without a window.

  page_test.py CHROMIUM LINEBLOOM

What the page's script wrote is compared with the JSON that it had. Exits with 0, or 1
if something is wrong.
"""
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--enable-logging=stderr", "--window-size=500,3000", "--dump-dom"]


class Drawn(html.parser.HTMLParser):
    """What a reader of the drawn page has: texts by element, and attributes."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.attributes = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, tag):
        return [text for found, text in self.texts if found == tag]

    def values(self, tag, name):
        return [value for t, n, value in self.attributes if (t, n) == (tag, name)]


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done


def page_of(browser, folder, *command):
    """The JSON of the page that the command writes, and what the browser makes of it."""
    run(folder, *command, "--html=page.html")
    path = os.path.join(folder, "page.html")
    with open(path, encoding="utf-8") as file:
        written = file.read()
    for outside in ("src=", "@import", "url(", "http:", "https:"):
        assert outside not in written.replace("http://www.w3.org/2000/svg", ""), outside
    with tempfile.TemporaryDirectory() as profile:
        done = run(folder, browser, *FLAGS, f"--user-data-dir={profile}", "file://" + path)
    assert "CONSOLE" not in done.stderr, done.stderr  # the script's complaints
    drawn = Drawn(done.stdout)
    assert "NaN" not in " ".join(value or "" for _, _, value in drawn.attributes), path
    # Each picture has a name.
    assert drawn.values("svg", "aria-label") == drawn.all("h2") and all(drawn.all("h2"))
    data = json.loads(re.search(r'id="data">(.*?)</script>', written, re.DOTALL).group(1))
    assert data["about"]["versions"] in drawn.all("dd")[0]
    return data, drawn


def main():
    browser, linebloom = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        compare = (linebloom, "compare", "--rows=20000", "--lookups=2000", "--policies=none;linebloom:10")
        data, drawn = page_of(browser, folder, *compare)
        for result in data["results"]:
            assert result["label"] in drawn.all("text")
            assert f"{result['label']}: {result['data_block_reads']:,} blocks read in 2,000 lookups" in drawn.all("title")
        data, drawn = page_of(browser, folder, *compare, "--memory=100kB,1MB")
        assert {"linebloom:10", "MB of block cache"} <= set(drawn.all("text"))
        # A sign for each size, and one in the legend.
        assert len(drawn.values("path", "class")) == 2 * 3


if __name__ == "__main__":
    main()
