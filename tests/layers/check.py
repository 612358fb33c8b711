#!/usr/bin/env python3
"""Checks that includes go one way only.

  tests/layers/check.py

tests/layers/layers.txt says which layer of the tree may include from which. Prints
FILE:LINE and the problem for each `#include "..."` that leads elsewhere. Tests
may include everything. Exits with 0 if all is well, or with 1 if anything was printed.
"""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
FOLDERS = ["filter_policy", "table", "tools", "bench", "docs"]
INCLUDE_FOLDERS = ["", "filter_policy/include", "docs/examples"]
INCLUDE = re.compile(r'\s*#\s*include\s+(?:"([^"]+)"|<(rocksdb/[^>]+)>)')


def lines_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return list(enumerate(file, 1))


def read_layers():
    """What each layer may include from."""
    layers = {}
    for number, line in lines_of("tests/layers/layers.txt"):
        name, colon, allowed = line.partition("#")[0].strip().partition(":")
        if not name:
            continue
        if not colon or name in layers:
            sys.exit(f"layers.txt:{number}: not a new LAYER: WHAT...")
        if not os.path.isdir(os.path.join(ROOT, name)):
            sys.exit(f"layers.txt:{number}: there is no folder '{name}'")
        for what in allowed.split():
            is_header = what.endswith(".h") and layer_of(what, layers)
            if not (what in layers or what.endswith("/") or is_header):
                sys.exit(f"layers.txt:{number}: '{what}' is not a layer above '{name}'")
        layers[name] = set(allowed.split())
    return layers


def layer_of(path, layers):
    """The innermost layer of the file, or None."""
    folder = os.path.dirname(path)
    while folder and folder not in layers:
        folder = os.path.dirname(folder)
    return folder or None


def problem_of(included, layer, layers):
    """What is wrong with the include, or None."""
    paths = [os.path.join(folder, included) for folder in INCLUDE_FOLDERS]
    found = next((path for path in paths if os.path.exists(os.path.join(ROOT, path))), None)
    if found is None:  # a library's
        target = included.split("/")[0] + "/"
    else:
        target = layer_of(found, layers)
    if target is None:
        return f"{found} is in no layer"
    if target == layer or target in layers[layer] or found in layers[layer]:
        return None
    return f"{layer} may not include from {target}"


def problems(layers):
    for path in sorted(path for folder in FOLDERS
                       for path in glob.glob(f"{folder}/**/*", root_dir=ROOT, recursive=True)
                       if path.endswith((".h", ".cc", ".inc"))):
        layer = layer_of(path, layers)
        if layer is None:
            yield f"{path}:1: is in no layer of layers.txt"
            continue
        for number, line in lines_of(path):
            included = INCLUDE.match(line)
            problem = included and problem_of(included[1] or included[2], layer, layers)
            if problem:
                yield f"{path}:{number}: {problem}: {included[1] or included[2]}"


def main():
    layers = read_layers()
    found = list(problems(layers))
    for problem in found:
        print(problem)
    print(f"{len(layers)} layers, {len(found)} problems", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
