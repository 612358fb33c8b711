#!/usr/bin/env python3
"""Fills the pages in docs/ with the output of their commands, so that no figure is
pasted by hand.

  bench/fill_docs.py [TEXT]

Runs the commands that contain TEXT (default: all, about an hour) in the
repository's folder, one after another, and puts the standard output of each
between its `<!-- $ COMMAND -->` and the next `<!-- end -->`. Needs
build/release (tools/run_tests.sh builds it) and an otherwise idle machine. For a
run on another day, replace the date; bench/readme.py then fills README.md from the
tables.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = sorted(glob.glob(os.path.join(ROOT, "docs/*.md")) +
               glob.glob(os.path.join(ROOT, "docs/runs/*.md")))
PLACE = re.compile(r"(<!-- \$ (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(place, text):
    head, command, end = place.groups()
    if text not in command:
        return place.group()
    print(command, file=sys.stderr)
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True)
    return f"{head}{result.stdout.strip()}\n{end}"


def main():
    if len(sys.argv) > 2:
        sys.exit("usage: fill_docs.py [TEXT]")
    text = sys.argv[1] if len(sys.argv) == 2 else ""
    found = False
    for path in PAGES:
        with open(path, encoding="utf-8") as file:
            page = file.read()
        if not any(text in command for _, command, _ in PLACE.findall(page)):
            continue
        found = True
        page = PLACE.sub(lambda place: fill(place, text), page)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
    if not found:
        sys.exit(f"fill_docs.py: no command contains '{text}'")


if __name__ == "__main__":
    main()
