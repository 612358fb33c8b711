#!/usr/bin/env python3
"""Puts the faults of faults.txt into a copy of the tree and runs the tests.

  tests/seeded_faults/run.py [--check] [TEXT]...

For each fault, or each whose name contains a TEXT: changes the copy, builds the
programs of tests/rocksdb, which see filters through RocksDB, and the tests of
tree/, bits/ and policy/, runs them until a test fails, and prints which one did. The copy
is build/seeded_faults and is kept for the next run.

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

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# The quick ones first.
PROGRAMS = ["tests/filter_policy/bits_test", "tests/filter_policy/policy_test",
            "tests/rocksdb/oracle_test", "tests/rocksdb/rocksdb_test"]
DOES_NOT_COMPILE = "does not compile"
MAX_SECONDS = 1800


class Fault:
    def __init__(self, name, file, old, new):
        self.name, self.file, self.old, self.new = name, file, old, new

    def apply(self):
        """The file's text with the fault in it, or None if it does not apply."""
        with open(os.path.join(ROOT, self.file), encoding="utf-8") as file:
            text = file.read()
        return text.replace(self.old, self.new) if text.count(self.old) == 1 else None


def stop(problem, code=2):
    print(f"run.py: {problem}", file=sys.stderr)
    sys.exit(code)


def read_faults(path):
    faults = []
    with open(path, encoding="utf-8") as file:
        sections = re.split(r"^== ", file.read(), flags=re.M)[1:]
    for section in sections:
        lines = [line for line in section.splitlines() if line and line[0] != "#"]
        old = [line[1:] for line in lines[2:] if line[0] == "-"]
        new = [line[1:] for line in lines[2:] if line[0] == "+"]
        if len(lines) != 2 + len(old) + len(new) or not old or not new:
            stop(f"{path}: '{lines[0]}': expected a file, lines with -, lines with +")
        faults.append(Fault(lines[0], lines[1], "\n".join(old), "\n".join(new)))
    return faults


def check(faults):
    """How many faults do not apply; says which."""
    stale = [fault for fault in faults if fault.apply() is None]
    for fault in stale:
        print(f"{fault.file}: the old text of '{fault.name}' must be found once")
    return len(stale)


class Copy:
    """A copy of the tree in which one file at a time is changed."""

    def __init__(self):
        self.folder = os.path.join(ROOT, "build", "seeded_faults")
        self.source = os.path.join(self.folder, "source")
        # Where the preset puts it, so that ccache has seen most of it before.
        self.build_folder = os.path.join(self.source, "build", "release")
        self.jobs = str(os.cpu_count())
        os.makedirs(self.build_folder, exist_ok=True)
        self.log = open(os.path.join(self.folder, "log"), "w", encoding="utf-8")

    def refresh(self):
        """Brings the copy up to date without touching files that are the same."""
        shutil.copytree(ROOT, self.source, dirs_exist_ok=True, copy_function=self.copy_if_changed,
                        ignore=lambda folder, _: ["build", ".git"] if folder == ROOT else [])

    @staticmethod
    def copy_if_changed(source, target):
        if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
            shutil.copyfile(source, target)
            shutil.copymode(source, target)

    def configure(self):
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        return self.run(["cmake", "-S", self.source, "-B", self.build_folder, "-G", "Ninja",
                         "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
                        + launcher)[0] == 0

    def run(self, command):
        self.log.write("$ " + " ".join(command) + "\n")
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", errors="replace", check=False)
        self.log.write(done.stdout)
        self.log.flush()
        return done.returncode, done.stdout

    def build(self):
        return self.run(["cmake", "--build", self.build_folder, "--parallel", self.jobs, "--target"]
                        + [os.path.basename(name) for name in PROGRAMS])[0] == 0

    def outcome(self):
        """The test that failed first, DOES_NOT_COMPILE, or None."""
        if not self.build():
            return DOES_NOT_COMPILE
        for name in PROGRAMS:
            program = os.path.join(self.build_folder, name)
            code, text = self.run(["timeout", str(MAX_SECONDS), program, "--gtest_fail_fast",
                                   "--gtest_brief=1"])
            if code != 0:
                failed = re.search(r"^\[  FAILED  \] ([^ ,]+)", text, flags=re.M)
                return f"{name}: {failed[1]}" if failed else f"{name}: exit code {code}"
        return None

    def outcome_of(self, name, text):
        """The same with another text in the file."""
        path = os.path.join(self.source, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        outcome = self.outcome()
        shutil.copyfile(os.path.join(ROOT, name), path)
        return outcome


def run_all(faults):
    copy = Copy()
    copy.refresh()
    if not copy.configure():
        stop(f"cmake failed; see {copy.log.name}")
    sound = copy.outcome()
    if sound:
        stop(f"the tests must pass without a fault, but: {sound}; see {copy.log.name}")
    caught = 0
    for fault in faults:
        outcome = copy.outcome_of(fault.file, fault.apply())
        print(f"{fault.name}\n    {outcome or 'NOT CAUGHT'}", flush=True)
        caught += outcome is not None and outcome != DOES_NOT_COMPILE
    print(f"\n{caught} of {len(faults)} faults caught")
    return 0 if caught == len(faults) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("text", nargs="*")
    args = parser.parse_args()
    faults = [fault for fault in read_faults(os.path.join(HERE, "faults.txt"))
              if not args.text or any(text in fault.name for text in args.text)]
    if check(faults) > 0:
        return 1
    if args.check:
        print(f"{len(faults)} faults apply")
        return 0
    return run_all(faults)


if __name__ == "__main__":
    sys.exit(main())
