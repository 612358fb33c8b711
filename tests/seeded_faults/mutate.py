#!/usr/bin/env python3
"""Changes filter_policy/ at random places and asks whether the unit tests notice.

  tests/seeded_faults/mutate.py COUNT [SEED]

Each mutant is one change in a copy of the tree: an operator, a constant, a condition
that is turned around, or a statement that is deleted. Prints those that survive.
"""
import glob
import os
import random
import re
import sys

import run

PROGRAMS = ["filter_bits_test", "threads_test"]
PROGRAMS_OF_FILTERS = PROGRAMS + ["line_test", "filter_block_test"]  # without RocksDB
# Tests that take long, most of them of rates.
WITHOUT = ("*StatesItsExactRate*:*FalsePositiveRate*:*ExpectedRate*:*NeverDeniesAKey*:*ForRate*:"
           "*Poisoned*:HeatProfileTest.*:OptimizeFiltersForMemoryTest.*:*BuiltInBlocksTest.*:"
           "*BatchesGoOn*")
LONGEST_SECONDS = 300
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


def paths_of(programs):
    return [os.path.join("tests", "filter_policy", name) for name in programs]


def mutants(root):
    found = []
    for path in sorted(glob.glob(os.path.join(root, "filter_policy", "**", "*.*"),
                                 recursive=True)):
        if not path.endswith((".cc", ".h", ".inc")) or re.search(
                "table.inc|line_tables|neon|/(include|override|rebuild|filter_facts|c_api)", path):
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
    root = os.path.abspath(os.path.join(run.HERE, "..", ".."))
    copy = run.Copy(root)
    copy.refresh()
    copy.configure() or run.stop("cmake failed")
    copy.programs = paths_of(PROGRAMS_OF_FILTERS)
    copy.seconds, copy.without = LONGEST_SECONDS, WITHOUT
    copy.outcome() and run.stop(f"the tests must pass without a mutant; see {copy.log.name}")
    everything = mutants(root)
    random.Random(int((sys.argv + ["1"])[2])).shuffle(everything)
    killed = survived = 0
    for path, at, line in everything:
        if killed + survived == int(sys.argv[1]):
            break
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        name = os.path.relpath(path, root)
        place = f"{name}:{at + 1}\n    -{lines[at].strip()}\n    +{line.strip()}"
        lines[at] = line
        copy.programs = paths_of(PROGRAMS_OF_FILTERS if re.match(
            "filter_policy/(line|sizing|filter)/", name) else PROGRAMS)
        outcome = copy.outcome_of(name, "\n".join(lines))
        killed += outcome not in (None, run.DOES_NOT_COMPILE)
        survived += outcome is None
        if outcome is None:
            print(place, flush=True)
    print(f"\n{killed} of {killed + survived} mutants killed, of {len(everything)} possible ones")


main()
