#!/usr/bin/env python3
"""Parses the pages and pictures that the tools write.

  pages_test.py IO_COMPARE FILTER_DUMP
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)


def texts_of(svg):
    """All that is written or shows on hover."""
    return [element.text or "" for element in ElementTree.fromstring(svg).iter()
            if element.tag in (SVG + "text", SVG + "title")]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_page(path):
    """The pictures' texts, the data, and all of an HTML page."""
    html = read(path)
    pictures = re.findall(r"<svg .*?</svg>", html, re.DOTALL)
    assert html.count("<svg") == len(pictures) == html.count("<figcaption>")
    scripts = re.findall(r"<script(.*?)>(.*?)</script>", html, re.DOTALL)
    assert [kind for kind, _ in scripts] == [' type="application/json" id="data"']
    rest = html.replace("http://www.w3.org/2000/svg", "")
    for outside in ("src=", "href=", "url(", "@import", "http:", "https:"):
        assert outside not in rest, outside
    return [texts_of(svg) for svg in pictures], json.loads(scripts[0][1]), html


def three_digits(number):
    """As the tools print numbers between 0 and 99.95."""
    for digits in range(12):
        text = f"{number:.{digits}f}"
        if len(text.replace(".", "").lstrip("0")) >= 3:
            return text
    raise ValueError(number)


def check_comparison(io_compare, folder):
    policies = ["none", "rocksdb-bloom", "linebloom-levels",
                "{id=linebloom;bits_per_key=8;line=plain}"]
    labels = policies[:3] + ["linebloom [4]"]
    run(folder, io_compare, "--rows=20000", "--lookups=20000",
        "--policies=" + ";".join(policies), "--html=page.html", "--svg=page.svg")
    pictures, data, html = read_page(folder + "/page.html")
    reads, rates, latencies, levels, memory = pictures
    assert [result["policy"] for result in data["results"]] == policies
    for label, result in zip(labels, data["results"]):
        assert label in reads
        assert three_digits(result["reads_per_lookup"]) in reads
        assert label in latencies
        if result["filter_bytes"] == 0:
            continue
        assert any(text.startswith(f"{label}: ") for text in rates), label
        assert levels.count(label) == len(result["levels"])
        for level in result["levels"]:
            assert f"L{level['level']}" in levels
        for level, size in enumerate(result["filter_bytes_per_level"]):
            assert size == 0 or any(
                text.startswith(f"{label}, L{level}: ")
                and text.endswith(f", {size:,} bytes")
                for text in memory), (label, level)
    assert "io_compare --rows=20000" in html and data["machine"]["kernel"] in html
    together = set(texts_of(read(folder + "/page.svg")))
    for picture in pictures:
        assert set(picture) <= together


def check_trees(io_compare, filter_dump, folder):
    name = "a<b>&\"c'"  # markup
    run(folder, io_compare, "--rows=3000", "--lookups=10", "--db=" + name,
        "--keep", "--policies=none;linebloom")
    run(folder, filter_dump, f"--db={name}/policy2", f"--before={name}/policy1",
        "--html=tree.html", "--svg=tree.svg")
    pictures, data, html = read_page(folder + "/tree.html")
    assert data["before"] != data
    assert len(pictures) == 2
    files = sorted(file for file in os.listdir(f"{folder}/{name}/policy2")
                   if file.endswith(".sst"))
    for picture, expected in zip(pictures, ("no filter", "bits per key, ")):
        hovers = [text for text in picture if ".sst: " in text]
        assert sorted(text.split(":")[0] for text in hovers) == files
        assert all(expected in text for text in hovers)
    assert "<b>" not in html
    assert any(f"{name}/policy1: " in text
               for text in texts_of(read(folder + "/tree.svg")))


def main():
    io_compare, filter_dump = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        check_comparison(io_compare, folder)
        check_trees(io_compare, filter_dump, folder)


if __name__ == "__main__":
    main()
