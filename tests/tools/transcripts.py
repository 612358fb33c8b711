#!/usr/bin/env python3
"""Runs the tools as transcripts say and compares what they print.

  transcripts.py BIN_FOLDER... FILE.txt

A transcript consists of cases, each with a new folder:

  # Title
  $ command            run by bash; BIN_FOLDERs come first in its PATH
  line of stdout       * stands for anything in a line, ... alone for any lines; empty
                       lines don't count
  ! line of stderr
  ? 1                  the exit code, if it isn't 0
  refuse COMMAND => WORDS
                       exits with 2, prints one line, on stderr, with these words, and
                       changes nothing in the folder

A command that goes on to the next line ends with a backslash. In commands $GOLDEN is
tests/golden, and

  joined PATTERN       prints what matches in stdin, whose lines are joined by single
                       blanks; exits with 0
  value EXPRESSION...  evaluates Python expressions of r, the JSON on stdin, whose
                       members are attributes; near(a, b, share) compares
  each SUBCOMMANDS ARGUMENT...
                       runs linebloom's SUBCOMMANDS, their stdout into a file `text`,
                       and prints their exit codes
  options DATABASE FAMILY TABLE...
                       prints an options file: an option of the database, one of its
                       column family, and those of its tables

Tools' lines must not be wider than 80 columns, unless they name the folder or go to
`joined` or `value`. Exits with 0, or with 1 if anything differs.
"""
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

VALUE = r'''
import json, sys
class Object(dict):
    def __getattr__(self, name): return self[name]
def near(a, b, share): return abs(a - b) <= share * abs(b)
r = json.load(sys.stdin, object_hook=Object)
for expression in sys.argv[1:]:
    printed = eval(expression, globals())
    print(*printed) if isinstance(printed, tuple) else print(printed)
'''
OPTIONS = r'''[Version]\n  rocksdb_version=7.0.3\n  options_file_version=1.1\n[DBOptions]\n  %s\n[CFOptions "default"]\n  %s\n'''
SETUP = fr"""set -o pipefail
joined() {{ tr --squeeze-repeats ' \n' ' ' | grep --only-matching "$1" || true; }}
each() {{ for one in $1; do linebloom $one "${{@:2}}" > text; echo "$one: exit code $?"; done; }}
value() {{ python3 -c '{VALUE}' "$@"; }}
options() {{ printf '{OPTIONS}' "$1" "$2"; printf '  %s\n' '[TableOptions/BlockBasedTable "default"]' "${{@:3}}"; }}
"""
WIDTH = 80
PROGRAM = "linebloom "


def cases_of(path):
    """Yields (title, [(command, refused words or None, expected lines)])."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"\\\n *", "", file.read())
    for case in re.split("^# ", text, flags=re.MULTILINE)[1:]:
        title, *lines = case.splitlines()
        steps = []
        for line in filter(None, lines):
            if line.startswith("$ "):
                steps.append((line[2:], None, []))
            elif line.startswith("refuse "):
                steps.append((*line[len("refuse "):].split(" => "), []))
            else:
                steps[-1][2].append(line)
        yield title, steps


def fingerprint(folder):
    """Every file and folder below, with its contents and times."""
    found = []
    for top, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(top, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    found.append((path, os.stat(path).st_mtime_ns, file.read()))
    return sorted(found)


def matches(line, pattern):
    # Only * is special.
    return fnmatch.fnmatchcase(line, re.sub(r"([\[?])", r"[\1]", pattern))


def same(lines, patterns):
    if not patterns:
        return not lines
    if patterns[0] == "...":
        return any(same(lines[i:], patterns[1:]) for i in range(len(lines) + 1))
    return bool(lines) and matches(lines[0], patterns[0]) and same(lines[1:], patterns[1:])


def run(command, folder, path):
    environment = dict(os.environ, PATH=path, TMPDIR=folder, LC_ALL="C.UTF-8",
                       GOLDEN=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden"))
    done = subprocess.run(["bash", "-c", SETUP + command], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace",
                          check=False)
    # Some versions of bash say how a job of `set -m` has ended.
    err = [line for line in done.stderr.splitlines() if not re.match(r"\[\d+\][+-] +Exit \d+ ", line)]
    return done.returncode, done.stdout.splitlines(), err


def problem_of(step, folder, path):
    """What is wrong with the step, or None."""
    command, words, expected = step
    before = fingerprint(folder) if words is not None else None
    code, out, err = run(command, folder, path)
    printed = [line for line in out if line] + ["! " + line for line in err] + ([f"? {code}"] if code else [])
    wide = [line for line in out if len(line) > WIDTH and folder not in line
            and command.startswith(PROGRAM) and not re.search(" (value|joined) ", command)]
    if wide:
        return "wider than a terminal:\n" + "\n".join(wide)
    if words is None:
        return None if same(printed, expected) else "printed\n" + "\n".join(printed)
    if code != 2 or out or len(err) != 1 or words not in err[0]:
        return f"did not refuse with '{words}' but printed\n" + "\n".join(printed)
    return None if fingerprint(folder) == before else "changed the folder"


def main():
    *folders, transcript = sys.argv[1:]
    path = ":".join([os.path.abspath(folder) for folder in folders] + [os.environ["PATH"]])
    failed = count = 0
    for title, steps in cases_of(transcript):
        count += 1
        with tempfile.TemporaryDirectory(prefix="transcript.") as folder:
            for step in steps:
                problem = problem_of(step, folder, path)
                if problem:
                    failed += 1
                    print(f"{transcript}: {title}: `{step[0]}` {problem}\n", flush=True)
                    break
    print(f"{count} cases, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
