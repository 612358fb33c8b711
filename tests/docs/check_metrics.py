#!/usr/bin/env python3
"""Checks that the dashboard and the alerts in docs/grafana/ and the tables of
docs/monitoring.md name the metrics and labels that there are.

  tests/docs/check_metrics.py

Prints what differs. Exits with 0, or with 1 if it printed anything.
"""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
LABELS = {"database", "column_family", "level", "policy"}


def found(pattern, *paths):
    names = set()
    for path in paths:
        for name in glob.glob(os.path.join(ROOT, path)):
            with open(name, encoding="utf-8") as file:
                names.update(re.findall(pattern, file.read()))
    return names


def main():
    exported = found(r'Metric \w+[({]"(linebloom_\w+)"', "filter_policy/rocksdb/*", "tools/*/*.cc")
    charts = "docs/grafana/*"
    labels = {label.strip() for group in found(r"by \(([^)]*)\)", charts) for label in group.split(",")}
    problems = [
        ("no such metric", found(r"\blinebloom_\w+", charts) - exported),
        ("no such label", (labels | found(r"{{(\w+)}}", charts)) - LABELS),
        ("not in docs/monitoring.md", exported - found(r"`(linebloom_\w+)`", "docs/monitoring.md"))]
    for problem, names in problems:
        if names:
            print(f"{problem}: {', '.join(sorted(names))}")
    return 1 if not exported or any(names for _, names in problems) else 0


if __name__ == "__main__":
    sys.exit(main())
