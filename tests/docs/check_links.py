#!/usr/bin/env python3
"""Checks that every relative link in the Markdown pages resolves.

  tests/docs/check_links.py [ROOT]

Prints FILE:LINE and what is wrong for each link to a file or folder that doesn't
exist, and for each #anchor that no heading of its page has. Looks at every *.md
file below ROOT (default: this repository) except in build folders. Doesn't
follow links to other sites. Exits with 0, or with 1 if it printed anything.
"""
import os
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`]*`")


def pages(root):
    """The Markdown files below `root`."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != "build" and not name.startswith(".")]
        for name in sorted(files):
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def text_lines(path):
    """Yields (number, line) for all lines outside fenced code blocks."""
    fenced = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced:
                yield number, line


def anchors(path):
    """The anchors that GitHub gives the headings of a page."""
    found = []
    for _, line in text_lines(path):
        heading = re.match(r"#{1,6} +(.*)", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1).strip())
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            repeated = found.count(anchor)
            found.append(f"{anchor}-{repeated}" if repeated else anchor)
    return found


def problem_of(page, link):
    """What is wrong with `link` on `page`, or None."""
    path, _, anchor = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(target):
        return "no such file"
    if anchor and target.endswith(".md") and anchor not in anchors(target):
        return "no such heading"
    return None


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../..")
    sound = True
    for page in pages(os.path.normpath(root)):
        for number, line in text_lines(page):
            for link in LINK.findall(CODE.sub("", line)):
                if re.match(r"[a-z]+:", link):
                    continue
                problem = problem_of(page, link)
                if problem:
                    print(f"{os.path.relpath(page, root)}:{number}: {link}: {problem}")
                    sound = False
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
