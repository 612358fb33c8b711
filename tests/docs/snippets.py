#!/usr/bin/env python3
"""Tests the snippets in the Markdown pages.

  tests/docs/snippets.py list            each snippet, and how it is tested
  tests/docs/snippets.py cpp FILE        writes all C++ snippets as one source file
  tests/docs/snippets.py c FILE          the same for C
  tests/docs/snippets.py run BUILD_DIR   runs or compares all others

A snippet is a fenced block in README.md, CONTRIBUTING.md, SECURITY.md or docs/. C++
and C need nothing: they are compiled (surroundings.h has what they take for
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
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RULES = ("run", "file", "options", "output", "output like", "lines in", "not run")
COMPILED = ("cpp", "c")
COMMENT = re.compile(r"\s*<!-- ([a-z ]+)(?:[:,] (.*))? -->$")
HEADING = re.compile(r"\S[^\d]*\S {2,}\D*$")


class Snippet:
    """A fenced block: its page, first line, language, rule with argument, and text."""

    def __init__(self, page, line, language, rule, argument, text):
        self.page, self.line, self.language = page, line, language
        self.rule, self.argument, self.text = rule, argument, text

    def where(self):
        return f"{self.page}:{self.line}"


def pages():
    names = [os.path.join("docs", name) for name in os.listdir(os.path.join(ROOT, "docs"))]
    for folder, _, files in os.walk(os.path.join(ROOT, "docs")):
        names += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files]
    names += ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
    return sorted({name for name in names if name.endswith(".md")})


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def rule_above(lines, fence):
    found = COMMENT.match(lines[fence - 1]) if fence > 0 else None
    if found and found.group(1) in RULES:
        return found.group(1), found.group(2) or ""
    return None, ""


def snippets_of(page):
    lines = read(page).splitlines()
    number = 0
    while number < len(lines):
        fence = re.match(r"( *)```(\w*)$", lines[number])
        if fence:
            indent = fence.group(1)
            end = lines.index(indent + "```", number + 1)
            text = "".join(line[len(indent):] + "\n" for line in lines[number + 1:end])
            rule, argument = rule_above(lines, number)
            yield Snippet(page, number + 2, fence.group(2), rule, argument, text)
            number = end
        number += 1


def all_snippets():
    return [snippet for page in pages() for snippet in snippets_of(page)]


# ---------------------------------------------------------------------------
# C++ and C.

DEFINITION = re.compile(r"(?!else|return)[\w:<>]+[ *&]+\w+\([^=;]*(\{|,)$")


def cpp_source(snippets):
    """One file: each snippet in a namespace of its own, statements as a function."""
    includes, bodies, table = [], [], []
    for snippet in snippets:
        lines = snippet.text.splitlines()
        headers = [line for line in lines if line.startswith("#include")]
        includes += headers
        # Keeps the numbers of lines.
        code = ["" if line in headers else line for line in lines]
        first = next((line for line in code if line), None)
        if first is None:
            continue
        name = "snippet_" + re.sub(r"\W", "_", snippet.where())
        begin = f'#line {snippet.line} "{snippet.page}"\n'
        if DEFINITION.match(first):
            bodies.append(f"namespace {name} {{\n{begin}" + "\n".join(code) + "\n}\n")
        else:
            bodies.append(f"namespace {name} {{\nvoid Run() {{\n{begin}" + "\n".join(code) + "\n}\n}\n")
            uses_db = "true" if re.search(r"\bdb\b", snippet.text) else "false"
            table.append(f'    {{"{snippet.where()}", {name}::Run, {uses_db}}},\n')
    return ('#include "tests/docs/surroundings.h"\n' + "\n".join(sorted(set(includes))) +
            "\n\nusing namespace linebloom::surroundings;\n\n" + "\n".join(bodies) +
            "\nconst std::vector<Statements>& linebloom::surroundings::AllStatements() {\n"
            "  static const std::vector<Statements> all = {\n" + "".join(table) +
            "  };\n  return all;\n}\n")


def c_source(snippets):
    includes = ["#include <rocksdb/c.h>"]
    bodies = []
    for snippet in snippets:
        lines = snippet.text.splitlines()
        includes += [line for line in lines if line.startswith("#include")]
        code = "\n".join("" if line.startswith("#include") else line for line in lines)
        name = "snippet_" + re.sub(r"\W", "_", snippet.where())
        bodies.append(f"void {name}(rocksdb_block_based_table_options_t* table);\n"
                      f"void {name}(rocksdb_block_based_table_options_t* table) {{\n"
                      f'#line {snippet.line} "{snippet.page}"\n{code}\n}}\n')
    return "\n".join(includes) + "\n\n" + "\n".join(bodies)


def write_source(language, path):
    snippets = [snippet for snippet in all_snippets() if snippet.language == language]
    text = cpp_source(snippets) if language == "cpp" else c_source(snippets)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# ---------------------------------------------------------------------------
# Everything else.


class Failed(Exception):
    pass


def make_folder(build):
    """A folder where the commands of the pages find what they name."""
    folder = tempfile.mkdtemp(prefix="snippets.")
    os.mkdir(os.path.join(folder, "build"))
    os.symlink(build, os.path.join(folder, "build/release"))
    for name in ("tests", "tools", "bench", "docs"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    return folder


def shell(command, folder, build):
    """What the command prints, stdout first."""
    # DESTDIR keeps what `cmake --install` writes inside the folder, whoever runs this.
    environment = dict(os.environ, HOME=folder, TMPDIR=folder, TEST_TMPDIR=folder, LC_ALL="C.UTF-8",
                       LD_LIBRARY_PATH=build, DESTDIR=os.path.join(folder, "root"),
                       PATH=f"{build}/tools:{os.environ['PATH']}:/usr/sbin:/sbin")
    result = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


def check_shell(command, folder, build):
    code, out, err = shell(command, folder, build)
    if code != 0:
        raise Failed(f"exit code {code}:\n{out[-2000:]}{err[-2000:]}")


def replaced(snippet):
    """The text with the replacements of its comment: `with A for B; C for D`."""
    text = snippet.text
    for part in re.sub(r"^with ", "", snippet.argument).split("; ") if snippet.argument else []:
        new, old = part.split(" for ", 1)
        if old not in text:
            raise Failed(f"there is no '{old}' to be replaced")
        text = text.replace(old, new)
    return text


def check_options_file(sections, folder, build):
    before, table, after = sections.partition("[TableOptions")
    with open(os.path.join(folder, "snippet.ini"), "w", encoding="utf-8") as file:
        file.write("[Version]\n  rocksdb_version=7.0.3\n  options_file_version=1.1\n" + before +
                   '[CFOptions "default"]\n' + table + after)
    check_shell("filter_dump --check_options=snippet.ini; LD_PRELOAD=$LD_LIBRARY_PATH/liblinebloom.so"
                " db_bench --options_file=snippet.ini --db=snippet.db --num=1000"
                " --benchmarks=fillrandom,flush; filter_dump --db=snippet.db | grep linebloom",
                folder, build)


def check_options(text, folder, build):
    if text.startswith("["):
        return check_options_file(text, folder, build)
    for line in text.splitlines():
        check_options_file("[DBOptions]\n  listeners=linebloom_level_sizes\n"
                           f'[TableOptions/BlockBasedTable "default"]\n  {line}\n', folder, build)


def check_lines(text, paths):
    there = {line.strip() for path in paths.split() for line in read(path).splitlines()}
    for line in text.splitlines():
        if line.strip() and line.strip() not in there:
            raise Failed(f"no line '{line.strip()}' in {paths}")


def check_output(snippet, folder, build):
    _, out, err = shell(snippet.argument, folder, build)
    printed = out + err
    if snippet.rule == "output" and printed.rstrip() != snippet.text.rstrip():
        raise Failed(f"`{snippet.argument}` printed\n{printed}")
    printed_headings = [" ".join(line.split()) for line in printed.splitlines()]
    for line in snippet.text.splitlines():
        if HEADING.match(line) and " ".join(line.split()) not in printed_headings:
            raise Failed(f"`{snippet.argument}` did not print '{line}' but\n{printed}")


def check(snippet, folder, build):
    if snippet.rule == "run":
        text = replaced(snippet)
        if snippet.language == "python":
            text = f"{sys.executable} - << 'END_OF_SNIPPET'\n{text}END_OF_SNIPPET"
        check_shell(text, folder, build)
    elif snippet.rule == "file":
        with open(os.path.join(folder, snippet.argument), "w", encoding="utf-8") as file:
            file.write(snippet.text)
    elif snippet.rule == "options":
        check_options(snippet.text, folder, build)
    elif snippet.rule in ("output", "output like"):
        check_output(snippet, folder, build)
    elif snippet.rule == "lines in":
        check_lines(snippet.text, snippet.argument)
    elif snippet.rule is None:
        raise Failed("nothing says how to test it; see tests/docs/snippets.py")


def run_page(page, build):
    sound = True
    folder = make_folder(build)
    try:
        for snippet in snippets_of(page):
            if snippet.language in COMPILED:
                continue
            try:
                check(snippet, folder, build)
            except Failed as failure:
                print(f"{snippet.where()}: {failure}", flush=True)
                sound = False
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)
    return sound


def run(build):
    results = [run_page(page, os.path.abspath(build)) for page in pages()]
    print(f"{sum(snippet.language not in COMPILED for snippet in all_snippets())} snippets on "
          f"{len(results)} pages")
    return 0 if all(results) else 1


def print_list():
    for snippet in all_snippets():
        if snippet.language in COMPILED:
            how = "compiled"
        else:
            how = f"{snippet.rule}: {snippet.argument}" if snippet.argument else snippet.rule
        print(f"{snippet.where():28} {how}")


def main():
    command = sys.argv[1:2]
    if command == ["list"] and len(sys.argv) == 2:
        return print_list()
    if command in (["cpp"], ["c"]) and len(sys.argv) == 3:
        return write_source(sys.argv[1], sys.argv[2])
    if command == ["run"] and len(sys.argv) == 3:
        return run(sys.argv[2])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
