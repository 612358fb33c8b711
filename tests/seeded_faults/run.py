#!/usr/bin/env python3
"""Puts the faults of faults.txt into a copy of the tree and runs the tests.

  tests/seeded_faults/run.py [--check] [TEXT]...

For each fault, or each whose name contains a TEXT: changes the copy, builds and runs
the tests of tree/, bits/ and policy/, then those of tests/rocksdb, which see filters
through RocksDB, until one fails, and prints which one did. The copy is
build/seeded_faults and is kept for the next run.

--check   only checks that every fault still applies, as ctest does

Exits with 0 if each fault was caught; with 1 if one was not, or no longer applies or
compiles; or with 2 after bad usage, or if the tests fail without a fault.
"""
import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys
import typing

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAULTS = os.path.join(ROOT, "tests/seeded_faults/faults.txt")
FOLDER = os.path.join(ROOT, "build/seeded_faults")
LOG = os.path.join(FOLDER, "log")
COPY = os.path.join(FOLDER, "source")
# Where the preset puts it, so that ccache has seen most of it before.
BUILD = os.path.join(COPY, "build/release")
# The quick ones first.
PROGRAMS = ["tests/filter_policy/bits_test", "tests/filter_policy/policy_test",
            "tests/rocksdb/oracle_test", "tests/rocksdb/rocksdb_test"]
DOES_NOT_COMPILE = "does not compile"
MAX_SECONDS = 1800


class Fault(typing.NamedTuple):
    name: str
    file: str
    old: str
    new: str

    def apply(self):
        """The file's text with the fault in it, or None if it does not apply."""
        with open(os.path.join(ROOT, self.file), encoding="utf-8") as file:
            text = file.read()
        return text.replace(self.old, self.new) if text.count(self.old) == 1 else None


def stop(problem):
    print(f"run.py: {problem}", file=sys.stderr)
    sys.exit(2)


def read_faults():
    with open(FAULTS, encoding="utf-8") as file:
        sections = re.split(r"^== ", file.read(), flags=re.M)[1:]
    for section in sections:
        lines = [line for line in section.splitlines() if line and line[0] != "#"]
        old = [line[1:] for line in lines[2:] if line[0] == "-"]
        new = [line[1:] for line in lines[2:] if line[0] == "+"]
        if len(lines) != 2 + len(old) + len(new) or not old or not new:
            stop(f"{FAULTS}: '{lines[0]}': expected a file, lines with -, lines with +")
        yield Fault(lines[0], lines[1], "\n".join(old), "\n".join(new))


def check(faults):
    """How many faults do not apply; says which."""
    stale = [fault for fault in faults if fault.apply() is None]
    for fault in stale:
        print(f"{fault.file}: the old text of '{fault.name}' must be found once")
    return len(stale)


def copy_if_changed(source, target):
    if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
        shutil.copy(source, target)


def run(*command):
    with open(LOG, "a+", encoding="utf-8", errors="replace") as log:
        log.write("$ " + " ".join(command) + "\n")
        log.flush()
        begin = log.tell()
        code = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
        log.seek(begin)
        return code, log.read()


def make_copy():
    """Brings the copy up to date without touching files that are the same."""
    shutil.copytree(ROOT, COPY, dirs_exist_ok=True, copy_function=copy_if_changed,
                    ignore=lambda folder, _: ["build", ".git"] if folder == ROOT else [])
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    if run("cmake", "-S", COPY, "--preset", "release", *launcher)[0] != 0:
        stop(f"cmake failed; see {LOG}")


def outcome():
    """The test that failed first, DOES_NOT_COMPILE, or None."""
    for name in PROGRAMS:
        if run("cmake", "--build", BUILD, "--target", os.path.basename(name))[0] != 0:
            return DOES_NOT_COMPILE
        code, text = run("timeout", str(MAX_SECONDS), os.path.join(BUILD, name),
                         "--gtest_fail_fast", "--gtest_brief=1")
        if code != 0:
            failed = re.search(r"^\[  FAILED  \] ([^ ,]+)", text, flags=re.M)
            return f"{name}: {failed[1]}" if failed else f"{name}: exit code {code}"
    return None


def run_all(faults):
    make_copy()
    sound = outcome()
    if sound:
        stop(f"the tests must pass without a fault, but: {sound}; see {LOG}")
    caught = 0
    for fault in faults:
        path = os.path.join(COPY, fault.file)
        with open(path, "w", encoding="utf-8") as file:
            file.write(fault.apply())
        noticed = outcome()
        shutil.copyfile(os.path.join(ROOT, fault.file), path)
        print(f"{fault.name}\n    {noticed or 'NOT CAUGHT'}", flush=True)
        caught += noticed is not None and noticed != DOES_NOT_COMPILE
    print(f"\n{caught} of {len(faults)} faults caught")
    return 0 if caught == len(faults) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("text", nargs="*")
    args = parser.parse_args()
    faults = [fault for fault in read_faults()
              if not args.text or any(text in fault.name for text in args.text)]
    if check(faults) > 0:
        return 1
    if args.check:
        print(f"{len(faults)} faults apply")
        return 0
    return run_all(faults)


if __name__ == "__main__":
    sys.exit(main())
