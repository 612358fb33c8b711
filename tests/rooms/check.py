#!/usr/bin/env python3
"""Checks that includes go one way only.

  tests/rooms/check.py [--small] [ROOT]

tests/rooms/rooms.txt says which room of the tree may include from which. Prints
FILE:LINE and the problem for each `#include "..."` that leads elsewhere. Tests
may include everything. Exits with 0 if all is well, with 1 if anything was
printed, or with 2 if rooms.txt or the arguments are wrong.

--small lists what may be too small to stand alone instead, and exits with 0:
folders of fewer than five units (files whose names differ only in their ending
are one), and headers below 150 lines that a single file outside of their own
unit includes.
"""
import os
import re
import sys

ROOTS = ["filter_policy", "table", "tools", "bench", "docs", "tests"]
INCLUDE_FOLDERS = ["", "filter_policy/include", "filter_policy/rebuild/include", "docs/examples"]
INCLUDE = re.compile(r'\s*#\s*include\s+(?:"([^"]+)"|<([a-z]+/[^>]+)>)')
SOURCES = (".h", ".cc", ".c", ".inc", ".py", ".sh")
MIN_UNITS = 5
MIN_LINES = 150


def stop(problem):
    print(f"check.py: {problem}", file=sys.stderr)
    sys.exit(2)


def read_rooms(path):
    """What each room may include from."""
    rooms = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, colon, allowed = line.partition(":")
            if not colon or name in rooms:
                stop(f"rooms.txt:{number}: not a new ROOM: WHAT...")
            allowed = allowed.split()
            for what in allowed:
                is_header = what.endswith(".h") and room_of(what, rooms)
                if not (what in rooms or what.endswith("/") or is_header):
                    stop(f"rooms.txt:{number}: '{what}' is not a room above '{name}'")
            rooms[name] = set(allowed)
    return rooms


def room_of(path, rooms):
    """The innermost room of the file, or None."""
    folder = os.path.dirname(path)
    while folder and folder not in rooms:
        folder = os.path.dirname(folder)
    return folder or None


def files_of(root):
    """The files of the tree, by folder."""
    for top in ROOTS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            yield os.path.relpath(folder, root), sorted(names)


def find(root, included):
    """The file of this tree that the include names, or None for a library's."""
    for folder in INCLUDE_FOLDERS:
        path = os.path.join(folder, included)
        if os.path.exists(os.path.join(root, path)):
            return path
    return None


def wrong_include(root, path, included, rooms):
    """What is wrong with the include, or None."""
    room = room_of(path, rooms)
    found = find(root, included)
    if found is None:
        library = included.split("/")[0] + "/"
        return None if library in rooms[room] else f"{room} may not include from {library}"
    target = room_of(found, rooms)
    if target is None:
        return f"{found} is in no room"
    if target == room or target in rooms[room] or found in rooms[room]:
        return None
    return f"{room} may not include from {target}"


def check_includes(root, rooms):
    for folder, names in files_of(root):
        if folder.split("/")[0] == "tests":
            continue
        for name in names:
            if not name.endswith((".h", ".cc", ".inc")):
                continue
            path = os.path.join(folder, name)
            if room_of(path, rooms) is None:
                yield f"{path}:1: is in no room of rooms.txt"
                continue
            with open(os.path.join(root, path), encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    match = INCLUDE.match(line)
                    included = match and (match[1] or match[2])
                    # Among files included with <...>, only RocksDB's matter.
                    if not included or match[2] and not included.startswith("rocksdb/"):
                        continue
                    problem = wrong_include(root, path, included, rooms)
                    if problem:
                        yield f"{path}:{number}: {problem}: {included}"


def small_folders(root):
    for folder, names in files_of(root):
        units = {os.path.splitext(name)[0] for name in names if name.endswith(SOURCES)}
        if 0 < len(units) < MIN_UNITS:
            yield f"{folder}: {len(units)} units"


def small_headers(root):
    users, lines = {}, {}
    for folder, names in files_of(root):
        for name in names:
            if not name.endswith((".h", ".cc", ".c", ".inc")):
                continue
            path = os.path.join(folder, name)
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read().splitlines()
            lines[path] = len(text)
            for match in filter(None, map(INCLUDE.match, text)):
                header = find(root, match[1] or match[2])
                if header and os.path.splitext(header)[0] != os.path.splitext(path)[0]:
                    users.setdefault(header, set()).add(path)
    for header, count in sorted(lines.items()):
        if header.endswith(".h") and count < MIN_LINES and len(users.get(header, ())) == 1:
            yield f"{header}: {count} lines, for {users[header].pop()} alone"


def main():
    arguments = sys.argv[1:]
    small = "--small" in arguments
    if small:
        arguments.remove("--small")
    if len(arguments) > 1:
        stop("usage: check.py [--small] [ROOT]")
    here = os.path.dirname(os.path.abspath(__file__))
    root = arguments[0] if arguments else os.path.join(here, "../..")
    if small:
        print(*small_folders(root), *small_headers(root), sep="\n")
        return
    rooms = read_rooms(os.path.join(root, "tests/rooms/rooms.txt"))
    for room in rooms:
        if not os.path.isdir(os.path.join(root, room)):
            stop(f"rooms.txt: there is no folder '{room}'")
    problems = list(check_includes(root, rooms))
    for problem in problems:
        print(problem)
    print(f"{len(rooms)} rooms, {len(problems)} problems", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
