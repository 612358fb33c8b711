#!/usr/bin/env python3
"""Runs RocksDB's tests without and with linebloom, and compares the results.

  run_tests.py --build=FOLDER --preload=LIBRARIES [--jobs=N] PROGRAM...

Called by run.sh. FOLDER has the PROGRAMs; LD_PRELOAD gets LIBRARIES to use
linebloom. Each test runs in its own process, in an empty folder, for at most 10
minutes. A test that passes without and fails with linebloom must be listed in
expected_differences.txt, with a reason, and every listed test must fail. Prints a
table and everything unexpected; the output of failing tests is in FOLDER/log/.
Exits with 0 if all is as expected, otherwise with 1.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected_differences.txt")
SECONDS = 600
# The override's message with LINEBLOOM_VERBOSE when it uses linebloom.
PUT_IN = re.compile(rb"linebloom_override: .* gets linebloom")


def tests_of(program):
    """The tests of a program, as names for --gtest_filter."""
    listed = subprocess.run([program, "--gtest_list_tests"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    suite, tests = "", []
    for line in listed.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith("  ") and not name.startswith("DISABLED_"):
            tests.append(suite + name)
        elif name.endswith("."):
            suite = name
    return tests


def run(arguments, program, test, side):
    """Returns if the test passed, and if linebloom was used."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", f"{program}_{test}_{side}")
    folder = os.path.join(arguments.build, "work", name)
    log = os.path.join(arguments.build, "log", name)
    os.makedirs(folder)
    environment = dict(os.environ, TEST_TMPDIR=folder)
    if side == "linebloom":
        environment.update(LD_PRELOAD=arguments.preload, LINEBLOOM_VERBOSE="1")
    command = [os.path.join(arguments.build, program), f"--gtest_filter={test}"]
    with open(log, "w+b") as output:
        try:
            code = subprocess.run(command, env=environment, stdout=output, stderr=output,
                                  cwd=folder, timeout=SECONDS, check=False).returncode
        except subprocess.TimeoutExpired:
            output.write(f"\nno end after {SECONDS} s\n".encode())
            code = -1
        output.seek(0)
        text = output.read()
    shutil.rmtree(folder)
    passed = code == 0 and b"[  PASSED  ] 1 test." in text
    if passed:
        os.remove(log)
    return passed, PUT_IN.search(text) is not None


def read_expected():
    """Reads lines of `PROGRAM TEST`; comments give the reasons."""
    expected = set()
    with open(EXPECTED, encoding="utf-8") as file:
        for line in file:
            if line.strip() and line[0] != "#":
                expected.add(tuple(line.split()))
    return expected


def print_table(programs, results, expected):
    form = "{:<32}{:>7}{:>10}{:>12}{:>14}{:>12}"
    print(form.format("", "", "passed", "with", "passed with", "expected"))
    print(form.format("program", "tests", "plain", "linebloom", "linebloom", "differences"))
    sums = [0] * 5
    for program in programs:
        of_program = [result for (name, _), result in results.items() if name == program]
        row = [len(of_program),
               sum(plain for plain, _, _ in of_program),
               sum(put_in for _, _, put_in in of_program),
               sum(passed for _, passed, _ in of_program),
               sum(name == program for name, _ in expected)]
        sums = [a + b for a, b in zip(sums, row)]
        print(form.format(program, *row))
    print(form.format("all", *sums))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()

    for name in ("work", "log"):
        folder = os.path.join(arguments.build, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    tests = [(program, test) for program in arguments.programs
             for test in tests_of(os.path.join(arguments.build, program))]

    def run_both(test):
        plain, _ = run(arguments, *test, "plain")
        passed, put_in = run(arguments, *test, "linebloom")
        return test, (plain, passed, put_in)

    results = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for test, result in pool.map(run_both, tests):
            results[test] = result
            if sys.stderr.isatty():
                print(f"\r{len(results)} of {len(tests)} tests ", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)

    expected = {test for test in read_expected() if test[0] in arguments.programs}
    differences = {test for test, (plain, passed, _) in results.items() if plain and not passed}
    print_table(arguments.programs, results, expected)
    for program, test in sorted(test for test, (plain, _, _) in results.items() if not plain):
        print(f"fails without linebloom too: {program} {test}")
    for program, test in sorted(differences - expected):
        print(f"NOT EXPECTED to fail with linebloom: {program} {test}")
    for program, test in sorted(expected - differences):
        print(f"NOT EXPECTED to pass with linebloom, or no longer there: {program} {test}")
    sys.exit(differences != expected)


if __name__ == "__main__":
    main()
