#!/usr/bin/env python3
"""Checks that the tests which the Markdown pages name exist.

  tests/docs/check_tests.py BUILD_DIR

A name is what follows `ctest -R`, or stands in a column with that heading, where
it may also be a script below tests/. Prints the names that match no test of
BUILD_DIR, nor one in the sources that needs a newer RocksDB; exits with 0, or with 1
if it printed anything.
"""
import glob
import os
import re
import subprocess
import sys

from snippets import ROOT, pages, read

TEST = re.compile(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.MULTILINE)
INLINE = re.compile(r"`ctest(?: --preset release)? -R\s+(?:'([^']*)'|([^`]*))`")


def names_on(page):
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


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    listed = subprocess.run(["ctest", "-N", "--test-dir", sys.argv[1]], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    tests = re.findall(r"^ *Test +#\d+: (.*)$", listed, re.MULTILINE)
    for source in glob.glob(os.path.join(ROOT, "tests/**/*.cc"), recursive=True):
        tests += [".".join(test) for test in TEST.findall(read(source))]
    sound = True
    for page in pages():
        for number, name in names_on(page):
            there = (os.path.exists(os.path.join(ROOT, name)) if name.startswith("tests/")
                     else any(re.search(name, test) for test in tests))
            if not there:
                print(f"{page}:{number}: no test is called {name}")
                sound = False
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
