#!/usr/bin/env python3
"""Opens the pages that the tools write in a real browser, without a window.

  page_test.py LINEBLOOM MAKE_FILES

Each page is drawn 400 and 1200 pixels wide, light and dark, and printed. What its
script wrote is compared with the JSON that it had. Exits with 0, 1 if
something is wrong, or 77 if there is no Chromium.
"""
import html.parser
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as ElementTree

SKIPPED = 77
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--enable-logging=stderr"]
SVG = "{http://www.w3.org/2000/svg}"


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done


def browse(page, *flags):
    """Standard output; fails if the page's script has anything to complain of."""
    with tempfile.TemporaryDirectory() as profile:
        done = run(os.path.dirname(page), CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *flags,
                   "file://" + page)
    assert "CONSOLE" not in done.stderr, done.stderr
    return done.stdout


class Parser(html.parser.HTMLParser):
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

    def all(self, *tags):
        return [text for tag, text in self.texts if tag in tags]

    def values(self, tag, name):
        return [value for t, n, value in self.attributes if (t, n) == (tag, name)]


class Page:
    """A page as written, as drawn, and its pictures as the SVG that it saves."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            written = file.read()
        self.data = json.loads(re.search(r'id="data">(.*?)</script>', written, re.DOTALL).group(1))
        rest = written.replace("http://www.w3.org/2000/svg", "")
        for outside in ("src=", "@import", "url(", "http:", "https:"):
            assert outside not in rest, outside
        self.drawn = Parser(browse(path, "--dump-dom"))
        self.hovers = self.drawn.all("title")
        self.words = self.drawn.all("text")
        assert "NaN" not in " ".join(value or "" for _, _, value in self.drawn.attributes), path
        self.saved = urllib.parse.unquote(self.drawn.values("a", "href")[0].split(",", 1)[1])
        texts = [element.text or "" for element in ElementTree.fromstring(self.saved).iter(SVG + "text")]
        assert set(self.words) <= set(texts)
        # Each picture has a name, its words, and says how to read it.
        pictures = self.drawn.values("svg", "aria-label")
        assert pictures == self.drawn.all("h2") and all(pictures)
        assert self.drawn.values("svg", "role") == ["img"] * len(pictures)
        assert len(self.drawn.all("figcaption")) == len(pictures)
        facts = dict(zip(self.drawn.all("dt"), self.drawn.all("dd")))
        about = self.data["about"]
        assert facts["measured"] == f"{about['date']}, {about['versions']}"
        for name, fact in self.data.get("facts", {}).items():
            assert facts[name] == fact
        self.facts = facts
        check_window(path)


def check_window(path):
    """Nothing leaves a window of 400 or 1200 pixels, and the ground is light or dark as
    the reader wants it; it can be printed."""
    name = path[:-len(".html")]
    # The browser's own window has at least 500 pixels.
    frames = "".join(
        f'<iframe src="{os.path.basename(path)}" style="border:0;width:{width}px;height:3200px" '
        "onload=\"const page=this.contentDocument;this.title=page.documentElement.scrollWidth+' '+"
        "getComputedStyle(page.body).backgroundColor\"></iframe>" for width in (400, 1200))
    with open(name + "-frames.html", "w", encoding="utf-8") as file:
        file.write('<!DOCTYPE html><meta name="color-scheme" content="light dark">'
                   f'<body style="margin:0;width:1600px">{frames}')
    for scheme, ground in enumerate(("rgb(20, 23, 26)", "rgb(255, 255, 255)")):
        flags = ["--allow-file-access-from-files", f"--blink-settings=preferredColorScheme={scheme}"]
        drawn = Parser(browse(name + "-frames.html", "--dump-dom", *flags))
        assert drawn.values("iframe", "title") == [f"400 {ground}", f"1200 {ground}"], (path, scheme)
    browse(path, f"--print-to-pdf={name}.pdf")
    with open(name + ".pdf", "rb") as file:
        assert file.read(5) == b"%PDF-"


def check_comparison(linebloom, folder):
    policies = ["none", "bloomfilter:10", "{id=linebloom;bits_per_key=10;level_aware=true}",
                "{id=linebloom;bits_per_key=8;line=plain}"]
    labels = policies[:2] + ["linebloom:10 levels", "linebloom:8 plain"]
    run(folder, linebloom, "compare", "--rows=20000", "--lookups=20000",
        "--policies=" + ";".join(policies), "--html=page.html")
    page = Page(folder + "/page.html")
    assert [result["policy"] for result in page.data["results"]] == policies
    assert len(page.drawn.all("h2")) == 1
    assert page.data["result"] == page.drawn.all("p")[:1]
    assert "20,000 rows" in page.facts["database"] and "cores" in page.facts["machine"]
    numbers = [float(word.replace(",", "")) for word in page.words if re.fullmatch(r"[\d,]+(\.\d+)?", word)]
    for label, result in zip(labels, page.data["results"]):
        assert result["label"] == label and label in page.words
        # In three digits.
        assert any(math.isclose(number, 1000 * result["reads_per_lookup"], rel_tol=0.005) for number in numbers)
        assert f"{label}: {result['data_block_reads']:,} blocks read in 20,000 lookups" in page.hovers
    # Policies have one colour each.
    assert len(set(page.drawn.values("path", "stroke"))) == len(policies)


def check_memory(linebloom, folder):
    command = ("compare", "--rows=20000", "--lookups=1000", "--policies=bloomfilter:10;linebloom:7")
    run(folder, linebloom, *command, "--memory=100kB,1MB", "--html=memory.html")
    page = Page(folder + "/memory.html")
    assert len(page.drawn.all("h2")) == 1
    assert {"bloomfilter:10", "linebloom:7", "MB of block cache"} <= set(page.words)
    assert "whole filters and indexes" in page.facts["cache"]
    # A sign for each size, and one in the legend.
    assert len(page.drawn.values("path", "class")) == 2 * 3
    run(folder, linebloom, *command, "--memory=100kB", "--hit_ratio=0.5", "--html=one.html")
    assert len(Page(folder + "/one.html").drawn.values("path", "class")) == 2


def check_trees(linebloom, make_files, folder):
    name = "a<b>&\"c'"  # markup
    os.mkdir(f"{folder}/{name}")
    for number, kind in enumerate(("none", "full"), 1):
        run(folder, make_files, "db", f"{name}/policy{number}", f"kind={kind}")
    run(folder, linebloom, "dump", f"{name}/policy2", f"--before={name}/policy1", "--html=tree.html")
    page = Page(folder + "/tree.html")
    headings = page.drawn.all("h2")
    assert [heading.split(": ")[:2] for heading in headings] == [
        ["Before", f"{name}/policy1"], ["After", f"{name}/policy2"]]
    assert page.facts["after"].startswith(f"{name}/policy2: ")
    for policy, expected in (("policy1", " rows, no filter"), ("policy2", "bits per key, ")):
        files = {file for file in os.listdir(f"{folder}/{name}/{policy}") if file.endswith(".sst")}
        assert {text.split(":")[0] for text in page.hovers if expected in text} == files


def main():
    if CHROMIUM is None:
        print("skipped: no Chromium. tools/install_dependencies.sh --browser installs it.")
        sys.exit(SKIPPED)
    linebloom, make_files = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        check_comparison(linebloom, folder)
        check_memory(linebloom, folder)
        check_trees(linebloom, make_files, folder)


if __name__ == "__main__":
    main()
