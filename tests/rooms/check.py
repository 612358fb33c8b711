#!/usr/bin/env python3
"""Checks that includes go one way only.

  tests/rooms/check.py

tests/rooms/rooms.txt says which room of the tree may include from which. Prints
FILE:LINE and the problem for each `#include "..."` that leads elsewhere. Tests
may include everything. Exits with 0 if all is well, or with 1 if anything was printed.
"""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
FOLDERS = ["filter_policy", "table", "tools", "bench", "docs"]
INCLUDE_FOLDERS = ["", "filter_policy/include", "filter_policy/rebuild/include", "docs/examples"]
INCLUDE = re.compile(r'\s*#\s*include\s+(?:"([^"]+)"|<(rocksdb/[^>]+)>)')


def lines_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return list(enumerate(file, 1))


def read_rooms():
    """What each room may include from."""
    rooms = {}
    for number, line in lines_of("tests/rooms/rooms.txt"):
        name, colon, allowed = line.partition("#")[0].strip().partition(":")
        if not name:
            continue
        if not colon or name in rooms:
            sys.exit(f"rooms.txt:{number}: not a new ROOM: WHAT...")
        if not os.path.isdir(os.path.join(ROOT, name)):
            sys.exit(f"rooms.txt:{number}: there is no folder '{name}'")
        for what in allowed.split():
            is_header = what.endswith(".h") and room_of(what, rooms)
            if not (what in rooms or what.endswith("/") or is_header):
                sys.exit(f"rooms.txt:{number}: '{what}' is not a room above '{name}'")
        rooms[name] = set(allowed.split())
    return rooms


def room_of(path, rooms):
    """The innermost room of the file, or None."""
    folder = os.path.dirname(path)
    while folder and folder not in rooms:
        folder = os.path.dirname(folder)
    return folder or None


def problem_of(included, room, rooms):
    """What is wrong with the include, or None."""
    paths = [os.path.join(folder, included) for folder in INCLUDE_FOLDERS]
    found = next((path for path in paths if os.path.exists(os.path.join(ROOT, path))), None)
    if found is None:  # a library's
        target = included.split("/")[0] + "/"
    else:
        target = room_of(found, rooms)
    if target is None:
        return f"{found} is in no room"
    if target == room or target in rooms[room] or found in rooms[room]:
        return None
    return f"{room} may not include from {target}"


def problems(rooms):
    for path in sorted(path for folder in FOLDERS
                       for path in glob.glob(f"{folder}/**/*", root_dir=ROOT, recursive=True)
                       if path.endswith((".h", ".cc", ".inc"))):
        room = room_of(path, rooms)
        if room is None:
            yield f"{path}:1: is in no room of rooms.txt"
            continue
        for number, line in lines_of(path):
            included = INCLUDE.match(line)
            problem = included and problem_of(included[1] or included[2], room, rooms)
            if problem:
                yield f"{path}:{number}: {problem}: {included[1] or included[2]}"


def main():
    rooms = read_rooms()
    found = list(problems(rooms))
    for problem in found:
        print(problem)
    print(f"{len(rooms)} rooms, {len(found)} problems", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
