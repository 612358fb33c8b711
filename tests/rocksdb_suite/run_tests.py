#!/usr/bin/env python3
"""Runs RocksDB's tests without and with linebloom, and compares the results.

  run_tests.py --build=FOLDER --preload=LIBRARIES [--jobs=N] PROGRAM...

Called by tests/plugin/run.sh. FOLDER has the PROGRAMs; LD_PRELOAD gets LIBRARIES to use
linebloom. Each test runs in its own process, in an empty folder, for at most 10
minutes. A test that passes without and fails with linebloom must be listed in
expected_differences.txt, with a reason, and every listed test must fail. Prints
counts and everything unexpected; the output of failing tests is in FOLDER/log/.
Exits with 0 if all is as expected, otherwise with 1.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import re
import shutil
import subprocess
import sys

EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected_differences.txt")
SECONDS = 600


def tests_of(build, program):
    """The program's tests, by their names for --gtest_filter."""
    listed = subprocess.run([os.path.join(build, program), "--gtest_list_tests"], check=True,
                            text=True, stdout=subprocess.PIPE).stdout
    suite, tests = "", []
    for line in listed.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith("  ") and not name.startswith("DISABLED_"):
            tests.append((program, suite + name))
        elif name.endswith("."):
            suite = name
    return tests


def run(build, program, test, side, **variables):
    """True if the test passed."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", f"{program}_{test}_{side}")
    folder = os.path.join(build, "work", name)
    log = os.path.join(build, "log", name)
    os.makedirs(folder)
    command = [os.path.join(build, program), f"--gtest_filter={test}"]
    with open(log, "w+", encoding="utf-8", errors="replace") as output:
        try:
            code = subprocess.run(command, env={**os.environ, "TEST_TMPDIR": folder, **variables},
                                  stdout=output, stderr=output, cwd=folder, timeout=SECONDS,
                                  check=False).returncode
        except subprocess.TimeoutExpired:
            code = f"no end after {SECONDS} s"
        output.seek(0)
        text = output.read()
        output.write(f"\nexit code: {code}\n")
    shutil.rmtree(folder)
    passed = code == 0 and "[  PASSED  ] 1 test." in text
    if passed:
        os.remove(log)
    return passed


def read_expected(tests):
    """The tests that the file lists by `PROGRAM PATTERN`; comments give the reasons."""
    expected = set()
    with open(EXPECTED, encoding="utf-8") as file:
        for line in file:
            if line.strip() and line[0] != "#":
                program, pattern = line.split()
                names = fnmatch.filter((test for name, test in tests if name == program), pattern)
                expected.update((program, test) for test in names or [pattern])
    return expected


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    for name in ("work", "log"):
        shutil.rmtree(os.path.join(arguments.build, name), ignore_errors=True)
        os.makedirs(os.path.join(arguments.build, name))
    tests = [test for program in arguments.programs for test in tests_of(arguments.build, program)]

    def run_both(test):
        return (run(arguments.build, *test, "plain"),
                run(arguments.build, *test, "linebloom", LD_PRELOAD=arguments.preload))

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = dict(zip(tests, pool.map(run_both, tests)))
    expected = read_expected(tests)
    differences = {test for test, (plain, passed) in results.items() if plain and not passed}
    passed = [sum(sides) for sides in zip(*results.values())]
    print(f"{len(tests)} tests: {passed[0]} pass, {passed[1]} with linebloom")
    for problem, found in (
            ("fails without linebloom too", {test for test in tests if not results[test][0]}),
            ("NOT EXPECTED to fail with linebloom", differences - expected),
            ("NOT EXPECTED to pass with linebloom, or no longer there", expected - differences)):
        for program, test in sorted(found):
            print(f"{problem}: {program} {test}")
    sys.exit(differences != expected)


if __name__ == "__main__":
    main()
