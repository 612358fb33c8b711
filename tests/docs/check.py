#!/usr/bin/env python3
"""Checks that what the Markdown pages name is there.

  tests/docs/check.py links             relative links in all pages of the tree, and their
                                        #anchors. Doesn't follow links to other sites
  tests/docs/check.py tests BUILD_DIR   tests: what follows `ctest -R`, or stands in a last
                                        column with that heading. A test that needs a newer RocksDB
                                        is there if the sources have it

Prints what is not. Exits with 0, or with 1 if it printed anything.
"""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # leaves no __pycache__ in the checkout
from snippets import ROOT, pages, read

FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"^\|.* `ctest -R` \|\n((?:\|.*\n)+)", re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\((?![a-z]+:)([^)\s#]*)#?([^)\s]*)\)")
HEADING = re.compile(r"^#{1,6} +(.*)", re.MULTILINE)
TEST = re.compile(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.MULTILINE)
INLINE = re.compile(r"`ctest(?: --preset release)? -R\s+(?:'([^']*)'|([^`']+))`")


def text_of(page):
    """The page without fenced blocks, whose lines are left blank."""
    return FENCED.sub(lambda block: "\n" * block[0].count("\n"), read(page))


def anchors(page):
    """The anchors that GitHub gives the headings of a page."""
    texts = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(text_of(page)))
    return [re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-") for text in texts]


def wrong_links():
    patterns = ("*.md", "docs/**/*.md", "packaging/**/*.md", "tests/**/*.md")
    for page in (page for each in patterns for page in glob.glob(each, root_dir=ROOT, recursive=True)):
        for path, anchor in LINK.findall(CODE.sub("", text_of(page))):
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(ROOT, target)):
                yield f"{page}: {path}: no such file"
            elif anchor and target.endswith(".md") and anchor not in anchors(target):
                yield f"{page}: {path}#{anchor}: no such heading"


def tests_on(page):
    yield from (quoted or bare for quoted, bare in INLINE.findall(read(page)))
    for rows in TABLE.findall(read(page)):
        for row in rows.splitlines():
            yield from re.findall(r"`([^`]*)`", row.rstrip(" |").rpartition(" | ")[2])


def wrong_tests(build):
    listed = subprocess.run(["ctest", "-N", "--test-dir", build], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    tests = re.findall(r"^ *Test +#\d+: (.*)$", listed, re.MULTILINE)
    for source in glob.glob("tests/**/*.cc", root_dir=ROOT, recursive=True):
        tests += [".".join(test) for test in TEST.findall(read(source))]
    for page in pages():
        for name in tests_on(page):
            if not any(re.search(name.replace("\\|", "|"), test) for test in tests):
                yield f"{page}: no test is called {name}"


def main():
    checks = {"links": wrong_links, "tests": wrong_tests}
    problems = list(checks[sys.argv[1]](*sys.argv[2:]))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
