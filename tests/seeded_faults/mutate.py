#!/usr/bin/env python3
"""Changes the library at random places and asks whether the unit tests notice.

  tests/seeded_faults/mutate.py COUNT [SEED]

Each mutant is one change in a copy of the tree: an operator, a constant, a condition
that is turned around, or a statement that is deleted. Prints what noticed each, or the
change if nothing did.
"""
import glob
import os
import random
import re
import resource
import sys

import run

ADAPTER = ["tests/filter_policy/filter_bits_test", "tests/filter_policy/threads_test",
           "tests/filter_policy/random_seed_test"]
# The programs that test the files whose names match, in this order.
PROGRAMS = [
    ("filter_policy/(line|sizing|filter)/",
     ["tests/filter_policy/line_test", "tests/filter_policy/filter_block_test"] + ADAPTER[:2]),
    ("filter_policy/filter_facts/", ["tests/filter_policy/filter_facts/filter_facts_test"]),
    ("filter_policy/rebuild/",
     ["tests/rebuild/rebuild_test", "tests/rebuild/failed_allocations_test"]),
    ("table/", ["tests/table/sst_test"]),
    ("", ADAPTER),
]
RULES = [  # what to find in a line of code, and what to put in its place
    (r" (<|>|<=|>=) ", {"<": "<=", ">": ">=", "<=": "<", ">=": ">"}),
    (r" (==|!=) ", {"==": "!=", "!=": "=="}),
    (r" (\+|-|\*|/) ", {"+": "-", "-": "+", "*": "/", "/": "*"}),
    (r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
    (r" (&|\||\^|<<|>>) ", {"&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<"}),
    (r"\b(true|false)\b", {"true": "false", "false": "true"}),
    (r"(?<![\w.])(\d+)(?![\w.'])", lambda number: str(int(number) + 1)),
    (r"\bif (\(.*\)) [^(]*$", lambda condition: f"(!{condition})"),
    (r"^ +((?!return|using|const|case|break|auto|static|for|while)[\w:.>*-]*"
     r"(?: [-+|&^]?= |\().*;)$", lambda _: ";"),
]


def programs_of(name):
    return next(programs for start, programs in PROGRAMS if re.match(start, name))


def mutants(root):
    found = []
    for path in sorted(glob.glob(os.path.join(root, "filter_policy", "**", "*.*"),
                                 recursive=True) + glob.glob(os.path.join(root, "table", "*.*"))):
        if not path.endswith((".cc", ".h", ".inc")) or re.search(
                "table.inc|line_tables|neon|/(include|override|c_api)", path):
            continue
        for at, line in enumerate(open(path, encoding="utf-8").read().split("\n")):
            code = re.sub(r'//.*|".*"', lambda text: " " * len(text[0]), line)
            if re.match(r" *(#|static_assert|template)", code):
                continue
            for rule, change in RULES:
                for match in re.finditer(rule, code):
                    begin, end = match.span(1)
                    new = change(line[begin:end]) if callable(change) else change[match[1]]
                    found.append((path, at, line[:begin] + new + line[end:]))
    return found


def main():
    root = run.ROOT
    copy = run.Copy()
    copy.refresh()
    copy.configure() or run.stop("cmake failed")
    copy.programs = sorted({program for _, programs in PROGRAMS for program in programs})
    copy.outcome() == run.DOES_NOT_COMPILE and run.stop(f"see {copy.log.name}")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    copy.outcome() and run.stop(f"the tests must pass without a mutant; see {copy.log.name}")
    # What takes longer never ends. Not by the clock: other programs may be running.
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    copy.cpu_seconds = 10 + 2 * int(used)
    everything = mutants(root)
    random.Random(int((sys.argv + ["1"])[2])).shuffle(everything)
    killed = survived = 0
    for path, at, line in everything:
        if killed + survived == int(sys.argv[1]):
            break
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        name = os.path.relpath(path, root)
        change = f"    -{lines[at].strip()}\n    +{line.strip()}\n"
        lines[at] = line
        copy.programs = programs_of(name)
        outcome = copy.outcome_of(name, "\n".join(lines))
        if outcome == run.DOES_NOT_COMPILE:
            continue
        killed += outcome is not None
        survived += outcome is None
        print(f"{name}:{at + 1}: {outcome or 'NOT NOTICED'}\n{change}", end="", flush=True)
    print(f"\n{killed} of {killed + survived} mutants killed, of {len(everything)} possible ones")


main()
