#!/usr/bin/env python3
"""Checks that includes go one way only, and that no layer outgrows its lines.

  tests/layers/check.py

tests/layers/layers.txt says which layer of the tree may include from which, and how
many lines it may have. Prints FILE:LINE and the problem for each `#include "..."` that
leads elsewhere, each layer that is too long, and, on stderr, the lines of all layers.
Exits with 0 if all is well, or with 1 if there is a problem.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# What counts as a line of the layer.
SOURCES = (".h", ".cc", ".inc", ".c", ".py", ".sh", ".txt", ".cmake", ".mk", ".in", ".rs", ".java", ".html")
# Written by programs, not people.
GENERATED = ("tests/golden/", "tests/fuzz/corpus/")
INCLUDE_FOLDERS = ["", "filter_policy/include", "docs/examples"]
INCLUDE = re.compile(r'\s*#\s*include\s+(?:"([^"]+)"|<(rocksdb/[^>]+)>)')


def lines_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return list(enumerate(file, 1))


def read_layers():
    """What each layer may include from, or "*", and how many lines it may have."""
    layers, limits = {}, {}
    for number, line in lines_of("tests/layers/layers.txt"):
        head, colon, allowed = line.partition("#")[0].strip().partition(":")
        if not head:
            continue
        name, _, limit = head.partition(" ")
        if not colon or not limit.isdigit() or name in layers:
            sys.exit(f"layers.txt:{number}: not a new LAYER LINES: WHAT...")
        if not os.path.isdir(os.path.join(ROOT, name)):
            sys.exit(f"layers.txt:{number}: there is no folder '{name}'")
        for what in allowed.split():
            if what not in layers and what != "*" and not what.endswith("/"):
                sys.exit(f"layers.txt:{number}: '{what}' is not a layer above '{name}'")
        layers[name], limits[name] = set(allowed.split()), int(limit)
    return layers, limits


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
    if target == layer or target in layers[layer]:
        return None
    return f"{layer} may not include from {target}"


def problems(layers, lines):
    """Yields what is wrong with includes. Adds the lines of each layer to `lines`."""
    for path in sorted(os.path.relpath(os.path.join(folder, name), ROOT)
                       for top in {name.split("/")[0] for name in layers}
                       for folder, _, names in os.walk(os.path.join(ROOT, top)) for name in names
                       if name.endswith(SOURCES)):
        if path.startswith(GENERATED):
            continue
        layer = layer_of(path, layers)
        if layer is None:
            yield f"{path}:1: is in no layer of layers.txt"
            continue
        of_file = lines_of(path)
        lines[layer] += len(of_file)
        if "*" in layers[layer]:
            continue
        for number, line in of_file:
            included = INCLUDE.match(line)
            problem = included and problem_of(included[1] or included[2], layer, layers)
            if problem:
                yield f"{path}:{number}: {problem}: {included[1] or included[2]}"


def main():
    layers, limits = read_layers()
    lines = dict.fromkeys(layers, 0)
    found = list(problems(layers, lines))
    found += [f"{layer} has {lines[layer]} lines, and may have {limits[layer]}: shorten it, or say in "
              "layers.txt that it may be longer" for layer in layers if lines[layer] > limits[layer]]
    for problem in found:
        print(problem)
    for layer in layers:
        print(f"{lines[layer]:6} of {limits[layer]:6}  {layer}", file=sys.stderr)
    print(f"{sum(lines.values()):6} lines in {len(layers)} layers, {len(found)} problems", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
