#!/usr/bin/env python3
"""Tests the snippets in the Markdown pages.

  tests/docs/snippets.py cpp FILE        writes all of C++ and C as one source file of C++
  tests/docs/snippets.py run BUILD_DIR   runs or compares all others

A snippet is a fenced block in README.md, CONTRIBUTING.md, SECURITY.md or docs/. C++
needs nothing: it is compiled (surroundings.h declares what it takes for granted) and
run (snippets_test.cc); C is compiled. Anything else has a comment above it that says
how it is tested:

  <!-- run -->                    bash runs it, or Python
  <!-- run, with A for B -->      the same with each B replaced by A: less data, for
                                  example. More of them follow a semicolon
  <!-- file: NAME -->             becomes a file for the snippets after it
  <!-- options -->                the sections of an OPTIONS file, or an option of its table,
                                  with which db_bench writes linebloom's filters
  <!-- output like: COMMAND -->   the command prints each line without digits, which vary,
                                  however wide its columns
  <!-- lines in: FILE... -->      each line stands in one of them, which another test runs
  <!-- not run: REASON -->

The snippets of a page share a folder, with build/release and the tree's other
folders in it. Exits with 0, or with 1 if a snippet failed, or has no comment.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SNIPPET = re.compile(r"(?:^<!-- ([a-z ]+)(?:[:,] ([^\n]*))? -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)
WORDS = re.compile(r"\D*[A-Za-z]\D*$")
OPTIONS = """[Version]
  rocksdb_version=7.0.3
  options_file_version=1.1
{}[CFOptions "default"]
[TableOptions/BlockBasedTable "default"]
{}"""
USE_OPTIONS = """linebloom check-options snippet.ini
LD_PRELOAD=$LD_LIBRARY_PATH/liblinebloom.so db_bench --options_file=snippet.ini --db=snippet.db --num=1000 \\
  --benchmarks=fillrandom,flush
linebloom dump snippet.db | grep linebloom"""


def pages():
    return sorted(["README.md", "CONTRIBUTING.md", "SECURITY.md", *glob.glob("docs/**/*.md", root_dir=ROOT, recursive=True)])


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def snippets_of(page):
    """Yields (line, language, rule, argument of the rule, text)."""
    text = read(page)
    for found in SNIPPET.finditer(text):
        rule, argument, language, body = found.groups()
        yield text.count("\n", 0, found.start(4)) + 1, language, rule, argument, body


def write_source(path):
    """One file for all snippets: their #includes, then each in a function of its own."""
    includes, bodies, runs = set(), [], []
    for page in pages():
        for line, language, _, _, text in snippets_of(page):
            if language not in ("cpp", "c"):
                continue
            name = re.sub(r"\W", "_", f"snippet_{page}_{line}")
            includes.update(INCLUDE.findall(text))
            argument = "rocksdb_block_based_table_options_t* table" if language == "c" else ""
            bodies.append(f'void {name}({argument}) {{\n#line {line} "{page}"\n{INCLUDE.sub("", text)}}}\n')
            if language == "cpp":
                uses_db = "true" if re.search(r"\bdb\b", text) else "false"
                # Whatever else it is about, a policy is there.
                has_policy = "false" if re.search("linebloom|policy", text) else "true"
                runs.append(f'    {{"{name}", {name}, {uses_db}, {has_policy}}},\n')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([
            *sorted(includes), '#include "tests/docs/surroundings.h"', "namespace linebloom::surroundings {",
            *bodies, "const std::vector<Statements> kAllStatements = {\n", *runs, "};\n}"]))


class Failed(Exception):
    pass


class Folder:
    """The folder of a page, where commands find what they name."""

    def __init__(self, path, build):
        self.path = path
        # DESTDIR keeps what `cmake --install` writes inside the folder, even for root.
        self.environment = dict(
            os.environ, HOME=path, TMPDIR=path, TEST_TMPDIR=path, LC_ALL="C.UTF-8",
            LD_LIBRARY_PATH=build, DESTDIR=os.path.join(path, "root"),
            PATH=f"{build}/tools:{os.environ['PATH']}:/usr/sbin:/sbin")
        os.mkdir(os.path.join(path, "build"))
        os.symlink(build, os.path.join(path, "build/release"))
        for name in ("tests", "tools", "bench", "docs"):
            os.symlink(os.path.join(ROOT, name), os.path.join(path, name))

    def run(self, command, most=0):
        """Returns what the command prints, stdout first. Its exit code is at most that."""
        result = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=self.path,
                                env=self.environment, capture_output=True, text=True, check=False)
        printed = result.stdout + result.stderr
        if result.returncode > most:
            raise Failed(f"`{command}`: exit code {result.returncode}:\n{printed[-4000:]}")
        return printed

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w", encoding="utf-8") as file:
            file.write(text)

    def check(self, language, rule, argument, text):
        if rule == "run":
            text = replaced(text, argument)
            if language == "python":
                text = f"{sys.executable} - << 'END_OF_SNIPPET'\n{text}END_OF_SNIPPET"
            self.run(text)
        elif rule == "file":
            self.write(argument, text)
        elif rule == "options":
            sections, _, table = text.rpartition('[TableOptions/BlockBasedTable "default"]\n')
            self.write("snippet.ini", OPTIONS.format(sections or "[DBOptions]\n", table))
            self.run(USE_OPTIONS)
        elif rule == "output like":
            check_lines(filter(WORDS.match, text.splitlines()), self.run(argument, most=1))
        elif rule == "lines in":
            check_lines(text.splitlines(), "\n".join(map(read, argument.split())))
        elif rule != "not run":
            raise Failed("nothing says how to test it; see tests/docs/snippets.py")


def replaced(text, argument):
    """The text with the replacements of its comment: `with A for B; C for D`."""
    for part in argument.removeprefix("with ").split("; ") if argument else []:
        new, old = part.split(" for ", 1)
        if old not in text:
            raise Failed(f"there is no '{old}' to be replaced")
        text = text.replace(old, new)
    return text


def check_lines(lines, printed):
    there = {" ".join(line.split()) for line in printed.splitlines()}
    for line in lines:
        if line.strip() and " ".join(line.split()) not in there:
            raise Failed(f"there is no line '{line.strip()}' in\n{printed}")


def run(build):
    count, failures = 0, 0
    for page in pages():
        with tempfile.TemporaryDirectory(prefix="snippets.") as path:
            folder = Folder(path, os.path.abspath(build))
            for line, language, *snippet in snippets_of(page):
                if language in ("cpp", "c"):
                    continue
                count += 1
                try:
                    folder.check(language, *snippet)
                except Failed as failure:
                    failures += 1
                    print(f"{page}:{line}: {failure}", flush=True)
    print(f"{failures} of {count} snippets failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit({"cpp": write_source, "run": run}[sys.argv[1]](sys.argv[2]))
