#!/usr/bin/env python3
"""Puts the faults of faults.txt into a copy of the tree and runs the tests.

  tests/seeded_faults/run.py [--root DIR] [--suite NAME]... [--list | --check] [TEXT]...

For each fault, or each whose name contains a TEXT: changes the copy, builds the
tests of the suites that must notice it, runs each suite by itself until a test
fails, and prints which one did.

  unit     the programs of tests/filter_policy, tests/table and tests/rebuild
  rocksdb  only those of tests/rocksdb, which see filters through RocksDB

--root    the tree to copy and test, for instance an older commit; by default this
          one. The copy is DIR/build/seeded_faults and is kept for the next run.
--suite   only this suite; may be repeated
--list    prints the names of the faults
--check   only checks that every fault still applies, as ctest does

Exits with 0 if each suite caught each fault that it must notice; with 1 if one did
not, or if a fault no longer applies or compiles; or with 2 after bad usage, or if
the tests fail without a fault.
"""
import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SUITES = {
    "unit": {
        "filter_policy": ["line_test", "filter_block_test", "filter_bits_test",
                          "listener_memory_test"],
        "table": ["sst_test"],
        "rebuild": ["rebuild_test"],
    },
    "rocksdb": {"rocksdb": ["oracle_test", "rocksdb_test"]},
}
DOES_NOT_COMPILE = "does not compile"
LONGEST_SECONDS = 1800


class Fault:
    def __init__(self, name, suites, file, old, new):
        self.name, self.suites, self.file, self.old, self.new = name, suites, file, old, new

    def apply(self, root):
        """The file's text with the fault in it, or None if it does not apply."""
        with open(os.path.join(root, self.file), encoding="utf-8") as file:
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
        old = [line[1:] for line in lines[3:] if line[0] == "-"]
        new = [line[1:] for line in lines[3:] if line[0] == "+"]
        if len(lines) != 3 + len(old) + len(new) or not old or not new:
            stop(f"{path}: '{lines[0]}': expected suites, a file, lines with -, lines with +")
        suites = lines[1].split()
        if not set(suites) <= set(SUITES):
            stop(f"{path}: '{lines[0]}': '{lines[1]}' are not suites")
        faults.append(Fault(lines[0], suites, lines[2], "\n".join(old), "\n".join(new)))
    return faults


def check(faults, root):
    """How many faults do not apply; says which."""
    stale = [fault for fault in faults if fault.apply(root) is None]
    for fault in stale:
        print(f"{fault.file}: the old text of '{fault.name}' must be found once")
    return len(stale)


class Copy:
    """A copy of the tree in which one file at a time is changed."""

    def __init__(self, root):
        self.root = root
        self.folder = os.path.join(root, "build", "seeded_faults")
        self.source = os.path.join(self.folder, "source")
        # Where the preset puts it, so that ccache has seen most of it before.
        self.build_folder = os.path.join(self.source, "build", "release")
        self.jobs = str(os.cpu_count())
        os.makedirs(self.build_folder, exist_ok=True)
        self.log = open(os.path.join(self.folder, "log"), "w", encoding="utf-8")

    def refresh(self):
        """Brings the copy up to date without touching files that are the same."""
        shutil.copytree(self.root, self.source, dirs_exist_ok=True,
                        copy_function=self.copy_if_changed,
                        ignore=lambda folder, _: ["build", ".git"] if folder == self.root else [])

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

    def programs(self, suite):
        """Folder and name of the suite's programs, as far as this tree has them."""
        for folder, names in SUITES[suite].items():
            path = os.path.join(self.root, "tests", folder, "CMakeLists.txt")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            yield from ((folder, name) for name in names if f"({name}" in text)

    def build(self, suite):
        return self.run(["cmake", "--build", self.build_folder, "--parallel", self.jobs, "--target"]
                        + [name for _, name in self.programs(suite)])[0] == 0

    def first_failure(self, suite):
        """The test of the suite that failed first, or None."""
        for folder, name in self.programs(suite):
            program = os.path.join(self.build_folder, "tests", folder, name)
            code, text = self.run(["timeout", str(LONGEST_SECONDS), program,
                                   "--gtest_fail_fast", "--gtest_brief=1"])
            if code != 0:
                failed = re.search(r"^\[  FAILED  \] ([^ ,]+)", text, flags=re.M)
                return f"{name}: {failed[1]}" if failed else f"{name}: exit code {code}"
        return None

    def outcome(self, suite):
        if not self.build(suite):
            return DOES_NOT_COMPILE
        return self.first_failure(suite)

    def outcomes(self, fault, suites):
        """What each of the suites says with the fault in the copy."""
        path = os.path.join(self.source, fault.file)
        text = fault.apply(self.root)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        outcomes = {suite: self.outcome(suite) for suite in suites}
        shutil.copyfile(os.path.join(self.root, fault.file), path)
        return outcomes


def print_row(name, outcomes, nothing):
    print(name)
    for suite, outcome in outcomes.items():
        print(f"    {suite:8} {outcome or nothing}")
    sys.stdout.flush()


def run_all(faults, root, suites):
    copy = Copy(root)
    copy.refresh()
    if not copy.configure():
        stop(f"cmake failed; see {copy.log.name}")
    sound = {suite: copy.outcome(suite) for suite in suites}
    print_row("without a fault", sound, "passes")
    if any(sound.values()):
        stop(f"the tests must pass without a fault; see {copy.log.name}")
    caught = dict.fromkeys(suites, 0)
    expected = dict.fromkeys(suites, 0)
    for fault in faults:
        outcomes = copy.outcomes(fault, [suite for suite in suites if suite in fault.suites])
        print_row(fault.name, outcomes, "NOT CAUGHT")
        for suite, outcome in outcomes.items():
            expected[suite] += 1
            caught[suite] += outcome is not None and outcome != DOES_NOT_COMPILE
    print(f"\n{len(faults)} faults: " + ", ".join(
        f"{suite} caught {caught[suite]} of {expected[suite]}" for suite in suites))
    return 0 if caught == expected else 1


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--help", action="store_true")
    parser.add_argument("--root", default=os.path.join(HERE, "..", ".."))
    parser.add_argument("--suite", action="append", choices=list(SUITES))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("text", nargs="*")
    args = parser.parse_args()
    if args.help:
        print(__doc__)
        return 0
    root = os.path.abspath(args.root)
    suites = args.suite or list(SUITES)
    faults = [fault for fault in read_faults(os.path.join(HERE, "faults.txt"))
              if set(suites) & set(fault.suites)
              and (not args.text or any(text in fault.name for text in args.text))]
    if args.list:
        print("\n".join(fault.name for fault in faults))
        return 0
    if check(faults, root) > 0:
        return 1
    if args.check:
        print(f"{len(faults)} faults apply")
        return 0
    return run_all(faults, root, suites)


sys.exit(main())
