#!/usr/bin/env python3
"""Tests the snippets in the Markdown pages.

  tests/docs/snippets.py cpp FILE        writes all C++ snippets as one source file
  tests/docs/snippets.py c FILE          the same for C
  tests/docs/snippets.py run BUILD_DIR   runs or compares all others

A snippet is a fenced block in README.md, CONTRIBUTING.md, SECURITY.md or docs/. C++
and C need nothing: they are compiled (surroundings.h declares what they take for
granted) and statements are run (snippets_test.cc). Anything else has a comment
above it that says how it is tested:

  <!-- run -->                    bash runs it, or Python
  <!-- run, with A for B -->      the same with each B replaced by A: less data, for
                                  example. More of them follow a semicolon
  <!-- file: NAME -->             becomes a file for the snippets after it
  <!-- options -->                each line is an option that yields the filter it names, or
                                  all lines are sections of a file; db_bench then uses it
  <!-- output: COMMAND -->        the command prints exactly this
  <!-- output like: COMMAND -->   the command prints each heading of a table (without digits,
                                  and two blanks or more between columns), however wide
  <!-- lines in: FILE... -->      each line stands in one of them, which another test runs
  <!-- not run: REASON -->

The snippets of a page share a folder, with build/release and the tree's other
folders in it. Exits with 0, or with 1 if a snippet failed, or has no comment.
"""
import dataclasses
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SNIPPET = re.compile(r"(?:^ *<!-- ([a-z ]+)(?:[:,] ([^\n]*))? -->\n)?^( *)```(\w*)\n(.*?)^\3```$",
                     re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)
DEFINITION = re.compile(r"\s*(?!else|return)[\w:<>]+[ *&]+\w+\([^=;\n]*(\{|,)$", re.MULTILINE)
HEADING = re.compile(r"\S[^\d]*\S {2,}\D*$")


@dataclasses.dataclass
class Snippet:
    """A fenced block, and the rule and its argument from the comment above it."""
    page: str
    line: int
    language: str
    rule: str
    argument: str
    text: str

    def where(self):
        return f"{self.page}:{self.line}"


def pages():
    below_docs = glob.glob("docs/**/*.md", root_dir=ROOT, recursive=True)
    return sorted(["README.md", "CONTRIBUTING.md", "SECURITY.md", *below_docs])


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def snippets_of(page):
    text = read(page)
    for found in SNIPPET.finditer(text):
        rule, argument, indent, language, body = found.groups()
        line = text.count("\n", 0, found.start(5)) + 1
        body = re.sub(f"^{indent}", "", body, flags=re.MULTILINE)
        yield Snippet(page, line, language, rule, argument, body)


# ---------------------------------------------------------------------------
# C++ and C.


def write_source(language, path):
    """One file for all snippets: their #includes, then each in a scope of its own."""
    includes, bodies, runs = set(), [], []
    for snippet in (snippet for page in pages() for snippet in snippets_of(page)):
        code = INCLUDE.sub("", snippet.text)
        if snippet.language != language or not code.strip():
            continue
        includes.update(INCLUDE.findall(snippet.text))
        code = f'#line {snippet.line} "{snippet.page}"\n{code}'
        name = "snippet_" + re.sub(r"\W", "_", snippet.where())
        if language == "c":
            bodies.append(f"void {name}(rocksdb_block_based_table_options_t* table) {{\n{code}}}\n")
        elif DEFINITION.match(code, code.index("\n") + 1):
            bodies.append(f"namespace {name} {{\n{code}}}\n")
        else:
            bodies.append(f"namespace {name} {{\nvoid Run() {{\n{code}}}\n}}\n")
            uses_db = "true" if re.search(r"\bdb\b", snippet.text) else "false"
            runs.append(f'    {{"{name}", {name}::Run, {uses_db}}},\n')
    before, after = "#include <rocksdb/c.h>\n", ""
    if language == "cpp":
        before = '#include "tests/docs/surroundings.h"\nusing namespace linebloom::surroundings;\n'
        after = ("const std::vector<Statements>& linebloom::surroundings::AllStatements() {\n"
                 "  static const std::vector<Statements> all = {\n" + "".join(runs) + "  };\n  return all;\n}\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*sorted(includes), before, *bodies, after]))


# ---------------------------------------------------------------------------
# Everything else.


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

    def run(self, command):
        """Returns the exit code, and what the command prints, stdout first."""
        result = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=self.path,
                                env=self.environment, capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr

    def must_run(self, command):
        code, printed = self.run(command)
        if code != 0:
            raise Failed(f"exit code {code}:\n{printed[-4000:]}")

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w", encoding="utf-8") as file:
            file.write(text)

    def check(self, snippet):
        if snippet.rule == "run":
            text = replaced(snippet)
            if snippet.language == "python":
                text = f"{sys.executable} - << 'END_OF_SNIPPET'\n{text}END_OF_SNIPPET"
            self.must_run(text)
        elif snippet.rule == "file":
            self.write(snippet.argument, snippet.text)
        elif snippet.rule == "options":
            self.check_options(snippet.text)
        elif snippet.rule in ("output", "output like"):
            self.check_output(snippet)
        elif snippet.rule == "lines in":
            check_lines(snippet.text, snippet.argument)
        elif snippet.rule != "not run":
            raise Failed("nothing says how to test it; see tests/docs/snippets.py")

    def check_options(self, text):
        if text.startswith("["):
            return self.check_options_file(text)
        for line in text.splitlines():
            self.check_options_file("[DBOptions]\n  listeners=linebloom_level_sizes\n"
                                    f'[TableOptions/BlockBasedTable "default"]\n  {line}\n')

    def check_options_file(self, sections):
        before, table, after = sections.partition("[TableOptions")
        self.write("snippet.ini", "[Version]\n  rocksdb_version=7.0.3\n  options_file_version=1.1\n" +
                   before + '[CFOptions "default"]\n' + table + after)
        self.must_run("linebloom check-options snippet.ini; LD_PRELOAD=$LD_LIBRARY_PATH/liblinebloom.so"
                      " db_bench --options_file=snippet.ini --db=snippet.db --num=1000"
                      " --benchmarks=fillrandom,flush; linebloom dump snippet.db | grep 'linebloom\\|RocksDB Bloom'")

    def check_output(self, snippet):
        code, printed = self.run(snippet.argument)
        if code > 1:
            raise Failed(f"`{snippet.argument}`: exit code {code}:\n{printed}")
        if snippet.rule == "output" and printed.rstrip() != snippet.text.rstrip():
            raise Failed(f"`{snippet.argument}` printed\n{printed}")
        headings = [line.split() for line in printed.splitlines()]
        for line in snippet.text.splitlines():
            if HEADING.match(line) and line.split() not in headings:
                raise Failed(f"`{snippet.argument}` did not print '{line}' but\n{printed}")


def replaced(snippet):
    """The text with the replacements of its comment: `with A for B; C for D`."""
    text = snippet.text
    for part in snippet.argument.removeprefix("with ").split("; ") if snippet.argument else []:
        new, old = part.split(" for ", 1)
        if old not in text:
            raise Failed(f"there is no '{old}' to be replaced")
        text = text.replace(old, new)
    return text


def check_lines(text, paths):
    there = {line.strip() for path in paths.split() for line in read(path).splitlines()}
    for line in text.splitlines():
        if line.strip() and line.strip() not in there:
            raise Failed(f"no line '{line.strip()}' in {paths}")


def run(build):
    count, failures = 0, 0
    for page in pages():
        with tempfile.TemporaryDirectory(prefix="snippets.") as path:
            folder = Folder(path, os.path.abspath(build))
            for snippet in snippets_of(page):
                if snippet.language in ("cpp", "c"):
                    continue
                count += 1
                try:
                    folder.check(snippet)
                except Failed as failure:
                    failures += 1
                    print(f"{snippet.where()}: {failure}", flush=True)
    print(f"{failures} of {count} snippets failed")
    return 1 if failures else 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] in ("cpp", "c"):
        return write_source(*sys.argv[1:])
    if len(sys.argv) == 3 and sys.argv[1] == "run":
        return run(sys.argv[2])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
