#!/usr/bin/env python3
"""Checks that includes go one way only.

  tests/rooms/check.py

tests/rooms/rooms.txt says which room of the tree may include from which. Prints
FILE:LINE and the problem for each `#include "..."` that leads elsewhere. Tests
may include everything. Exits with 0 if all is well, with 1 if anything was
printed, or with 2 if rooms.txt is wrong.
"""
import os
import re
import sys

ROOTS = ["filter_policy", "table", "tools", "bench", "docs"]
INCLUDE_FOLDERS = ["", "filter_policy/include", "filter_policy/rebuild/include", "docs/examples"]
INCLUDE = re.compile(r'\s*#\s*include\s+(?:"([^"]+)"|<([a-z]+/[^>]+)>)')


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


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
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
