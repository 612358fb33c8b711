#!/usr/bin/env python3
"""Checks that what the Markdown pages name is there.

  tests/docs/check.py links             relative links in all pages of the tree, and their
                                        #anchors. Doesn't follow links to other sites
  tests/docs/check.py metrics           the metrics and labels of the dashboard and the alerts
                                        in docs/grafana/; and docs/program.md has them all
  tests/docs/check.py tests BUILD_DIR   tests: what follows `ctest -R`, or stands in a column
                                        with that heading, where it may also be a script below
                                        tests/. A test that needs a newer RocksDB is there if
                                        the sources have it

Prints what is not. Exits with 0, or with 1 if it printed anything.
"""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # leaves no __pycache__ in the checkout
from snippets import ROOT, pages, read

# ---------------------------------------------------------------------------
# Links.

FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\((?![a-z]+:)([^)\s#]*)#?([^)\s]*)\)")
HEADING = re.compile(r"^#{1,6} +(.*)", re.MULTILINE)


def text_of(page):
    """The page without fenced blocks, whose lines are left blank."""
    return FENCED.sub(lambda block: "\n" * block[0].count("\n"), read(page))


def anchors(page):
    """The anchors that GitHub gives the headings of a page."""
    found = []
    for heading in HEADING.findall(text_of(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip())
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        repeated = found.count(anchor)
        found.append(f"{anchor}-{repeated}" if repeated else anchor)
    return found


def wrong_links():
    patterns = ("*.md", "docs/**/*.md", "packaging/**/*.md", "tests/**/*.md")
    for page in (page for each in patterns for page in glob.glob(each, root_dir=ROOT, recursive=True)):
        text = CODE.sub("", text_of(page))
        for link in LINK.finditer(text):
            path, anchor = link.groups()
            line = text.count("\n", 0, link.start()) + 1
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(ROOT, target)):
                yield f"{page}:{line}: {path}: no such file"
            elif anchor and target.endswith(".md") and anchor not in anchors(target):
                yield f"{page}:{line}: {path}#{anchor}: no such heading"


# ---------------------------------------------------------------------------
# Metrics.

LABELS = {"database", "column_family", "level", "policy"}


def named(pattern, *paths):
    return {name for path in paths for file in glob.glob(path, root_dir=ROOT)
            for name in re.findall(pattern, read(file))}


def wrong_metrics():
    exported = named(r'"(linebloom_\w+)"', "tools/dump/prometheus.cc")
    charts = "docs/grafana/*"
    labels = {label.strip() for group in named(r"by \(([^)]*)\)", charts) for label in group.split(",")}
    for problem, names in (
            ("no metrics are exported", set() if exported else {"tools/dump/prometheus.cc"}),
            ("no such metric", named(r"\blinebloom_\w+", charts) - exported),
            ("no such label", (labels | named(r"{{(\w+)}}", charts)) - LABELS),
            ("not in docs/program.md", exported - named(r"`(linebloom_\w+)`", "docs/program.md"))):
        if names:
            yield f"{problem}: {', '.join(sorted(names))}"


# ---------------------------------------------------------------------------
# Tests.

TEST = re.compile(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.MULTILINE)
INLINE = re.compile(r"`ctest(?: --preset release)? -R\s+(?:'([^']*)'|([^`]*))`")


def tests_on(page):
    """Yields (line, name)."""
    text = read(page)
    for found in INLINE.finditer(text):
        if found.group(1) or found.group(2):
            name = (found.group(1) or found.group(2)).replace("\\|", "|")
            yield text.count("\n", 0, found.start()) + 1, name
    column = None
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)]
        if "`ctest -R`" in cells:
            column = cells.index("`ctest -R`")
        elif not line.startswith("|"):
            column = None
        elif column:
            for name in re.findall(r"`([^`]*)`", cells[column]):
                yield number, name


def wrong_tests(build):
    listed = subprocess.run(["ctest", "-N", "--test-dir", build], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    tests = re.findall(r"^ *Test +#\d+: (.*)$", listed, re.MULTILINE)
    for source in glob.glob("tests/**/*.cc", root_dir=ROOT, recursive=True):
        tests += [".".join(test) for test in TEST.findall(read(source))]
    for page in pages():
        for number, name in tests_on(page):
            there = (os.path.exists(os.path.join(ROOT, name)) if name.startswith("tests/")
                     else any(re.search(name, test) for test in tests))
            if not there:
                yield f"{page}:{number}: no test is called {name}"


def main():
    checks = {"links": wrong_links, "metrics": wrong_metrics, "tests": wrong_tests}
    name = sys.argv[1] if sys.argv[1:] else ""
    if name not in checks or len(sys.argv) != (3 if name == "tests" else 2):
        sys.exit(__doc__)
    problems = list(checks[name](*sys.argv[2:]))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
