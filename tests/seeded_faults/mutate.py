#!/usr/bin/env python3
"""Changes the library at random places and reports which tests notice.

  tests/seeded_faults/mutate.py COUNT [SEED [TEXT]]

Each mutant is one change in a copy of the tree: an operator, a constant, a condition
that is turned around, or a statement that is deleted. Runs the unit tests of the file
and, if they pass, the database tests, which take minutes. Prints each change and what
noticed it. With TEXT, changes only files whose names contain it.
"""
import argparse
import glob
import os
import random
import re
import resource
import sys

sys.dont_write_bytecode = True  # leaves no __pycache__ in the checkout
import run

ADAPTER = ["tests/filter_policy/levels_test", "tests/filter_policy/policy_test"]
# The unit tests of the files whose names match.
PROGRAMS = [
    ("filter_policy/(line|filter)/",
     ["tests/filter_policy/line_test", "tests/filter_policy/filter_test"] + ADAPTER),
    ("table/", ["tests/table/table_test", "tests/table/failed_allocations_test"]),
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
    return next(programs for start, programs in PROGRAMS if re.match(start, name)) + run.PROGRAMS


def run_unchanged(copy):
    """Runs each program and limits its CPU time: what takes twice as long never ends."""
    for program in sorted({program for _, programs in PROGRAMS for program in programs}) + run.PROGRAMS:
        copy.programs = [program]
        copy.build()
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        outcome = copy.outcome()
        outcome and run.stop(f"without a change: {outcome}; see {copy.log.name}")
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        copy.cpu_seconds[program] = 10 + 2 * int(used)


def mutants(root):
    found = []
    for path in sorted(glob.glob(os.path.join(root, "filter_policy", "**", "*.*"),
                                 recursive=True) + glob.glob(os.path.join(root, "table", "*.*"))):
        if not path.endswith((".cc", ".h", ".inc")) or re.search(
                "table.inc|solved_rates|neon|/(include|override|c_api)", path):
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
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("text", nargs="?", default="")
    args = parser.parse_args()
    copy = run.Copy()
    copy.refresh()
    copy.configure() or run.stop("cmake failed")
    run_unchanged(copy)
    everything = [mutant for mutant in mutants(run.ROOT) if args.text in mutant[0]]
    random.Random(args.seed).shuffle(everything)
    noticed = {"unit tests": 0, "database tests": 0, "nothing": 0}
    for path, at, line in everything:
        if sum(noticed.values()) == args.count:
            break
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        name = os.path.relpath(path, run.ROOT)
        change = f"    -{lines[at].strip()}\n    +{line.strip()}\n"
        lines[at] = line
        copy.programs = programs_of(name)
        outcome = copy.outcome_of(name, "\n".join(lines))
        if outcome == run.DOES_NOT_COMPILE:
            continue
        by_databases = outcome is not None and outcome.startswith(tuple(run.PROGRAMS))
        noticed["nothing" if outcome is None else
                "database tests" if by_databases else "unit tests"] += 1
        print(f"{name}:{at + 1}: {outcome or 'NOT NOTICED'}\n{change}", end="", flush=True)
    print(f"\n{len(everything)} possible changes; noticed by "
          + ", ".join(f"{who}: {changes}" for who, changes in noticed.items()))


main()
