#!/usr/bin/env python3
"""Checks that the figures on the pages are those that commands printed.

  tests/docs/figures.py [--fill]

--fill puts the right figures into the pages; run it twice, since some pages quote
others, and see if the words around them still fit. figures.txt ties sentences of
pages to cells of tables. Its lines are

  NAME = PAGE / HEADING / N     the N-th table, or table of a fenced block, under a heading
  == PAGE                       the lines below are about all figures of this page
  == some of PAGE               the same, but it may have others
  some {1.23} words             as on the page but for the braces; in the lines below it,
    EXPRESSION; EXPRESSION      indented, what each figure in braces is, in Python
  ~ REGEX                       what this matches is no figure of a measurement

NAME['cell', 'cell', 'column'] is the first number of the column in the row that has
these cells, 'column#2' the second one, and NAME[2, 'column'] is of the second row. A
figure has to be the value, rounded to as many digits; a value that is true or false
has to be true; a list has one value for each of several figures. said(PAGE, TEXT) is
true if the page has the text. A number outside of code, or a word such as 'a third',
that no line mentions is an error. Prints what is wrong; exits with 0, or with 1 if it
printed anything.
"""
import itertools
import os
import re
import statistics
import sys

from snippets import ROOT, read

CLAIMS = "tests/docs/figures.txt"
IN_BRACES = re.compile(r"\{([\w., ]+)\}")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
FIGURE = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?|\b(?:half|halves|twice|(?:an?|one|two|three|four)"
                    r"[ -](?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|twent\w+)s?)\b")
# Code, comments, addresses; names with numbers, and dates.
NO_FIGURES = re.compile(r"```.*?```|`[^`]*`|<!--.*?-->|\]\([^)]*\)|RocksDB (?:before |from )?\d[\d.]*|Debian \d+"
                        r"|AVX-?\d+|x86-64|C\+\+\d+|\bL\d\b|\d{4}-\d\d-\d\d", re.DOTALL)


class Wrong(Exception):
    pass


def number(text):
    return float(text.replace(",", ""))


def numbers(text):
    return [number(each) for each in NUMBER.findall(text)]


def plain(text):
    return " ".join(text.split())


class Table:
    def __init__(self, name, rows):
        self.name, self.columns, self.rows = name, rows[0], rows[1:]

    def __getitem__(self, where):
        *cells, column = where
        column, _, which = column.partition("#")
        if column not in self.columns:
            raise Wrong(f"{self.name} has no column '{column}'")
        if isinstance(cells[0], int):
            found = self.rows[cells[0] - 1:cells[0]]
        else:
            found = [row for row in self.rows if all(cell in row for cell in cells)]
        if len(found) != 1:
            raise Wrong(f"{self.name} has {len(found)} rows with {cells}")
        return numbers(found[0][self.columns.index(column)])[int(which or 1) - 1]

    def each(self, column, unless=()):
        """All numbers of a column, but for rows whose first cell has one of these words."""
        return [each for row in self.rows if not any(word in row[0] for word in unless)
                for each in numbers(row[self.columns.index(column)])]


# ---------------------------------------------------------------------------
# What expressions may call.


def times(table, *cells):
    """Of Bloom's time: a miss, a hit, a batch."""
    return [table[(*cells, column)] for column in ("miss#2", "hit#2", "batch of 32#2")]


def paired(first, second):
    return [each for pair in zip(first, second) for each in pair]


def costs(lookups, builds, other_lookups, other_builds, *cells):
    """linebloom's times on two CPUs: the lookups', and building, also of Ribbon's."""
    return paired(*(times(one, "linebloom", *cells) + [two[("linebloom", *cells, column)] for column in
                                                       ("build#2", "build#3")]
                    for one, two in ((lookups, builds), (other_lookups, other_builds))))


def per_filter(live, *rows):
    """Reads per 1,000 filters that keys met, of rows of live_tree's table."""
    return [live[row, "measured"] / live[row, "filters met"] for row in rows]


def of_bloom(live, *rows):
    """The same, of what Bloom reads."""
    return [reads / statistics.mean(per_filter(live, 1, 2, 3)) for reads in per_filter(live, *rows)]


def said(path, text):
    return text in plain(read(path))


def pays_after(more_ns, bits_saved):
    """Seconds in memory until bits per key have paid for CPU time per key, by the prices in
    RocksDB's blog (2021-12-29): dollars for three years of a thread, and of a GB."""
    hours = 3 * 365 * 24
    per_watt = 0.35 * hours / 1000
    per_ns = (30 + 3.5 * per_watt) / 1e9
    per_bit = (8 + 0.375 * per_watt) / 2**33
    return per_ns / per_bit * more_ns / bits_saved


def pays(builds, lookups, policy, bloom_build, bloom_miss, *cells):
    """By how many ns the policy builds and rejects slower than Bloom, the bits that it saves of
    Bloom's 10, and when these have paid for it."""
    build = builds[(policy, *cells, "build")] - bloom_build
    miss = lookups[(policy, *cells, "miss")] - bloom_miss
    saved = 10 - lookups[(policy, *cells, "bits/key")]
    return [build, abs(miss), saved, round(pays_after(build + miss, saved), -1)]


# ---------------------------------------------------------------------------
# The pages.


def cells_of(line, fenced):
    if fenced:
        return re.split(r" {2,}", line.rstrip())
    return [cell.strip() for cell in line.strip()[1:-1].split("|")] if line.startswith("|") else []


def tables_below(page, heading):
    """The rows of the tables between a heading and the next one."""
    tables, fenced, inside, last = [], False, False, []
    for line in page.splitlines():
        if line.startswith("```"):
            fenced, last = not fenced, []
            continue
        mark = None if fenced else re.match(r"#+ (.*)", line)
        if mark:
            inside = mark.group(1) == heading
        if fenced and line.startswith(" "):
            continue  # belongs to the row above
        cells = cells_of(line, fenced) if inside else []
        if len(cells) > 1 and not re.fullmatch(r"[ |:-]+", line):
            if len(last) != len(cells):
                tables.append([])
            tables[-1].append(cells)
        last = cells
    return tables


def table_of(name, source):
    path, heading, which = source.split(" / ")
    tables = tables_below(read(path), heading)
    if len(tables) < int(which):
        raise Wrong(f"{path} has {len(tables)} tables under '{heading}'")
    return Table(f"{name}, {path}", tables[int(which) - 1])


def named_tables():
    """The tables that figures.txt names, by these names."""
    above = itertools.takewhile(lambda line: not line.startswith("== "), read(CLAIMS).splitlines())
    definitions = [line.split(" = ") for line in above if " = " in line]
    return {name: table_of(name, source) for name, source in definitions}


class Page:
    """A page, and which of its words lines of figures.txt mention."""

    def __init__(self, path, names):
        self.path, self.names = path, names
        self.text = read(self.path)
        self.covered = []

    def cover(self, regex):
        spans = [match.span() for match in re.finditer(regex, plain(self.text))]
        self.covered += spans
        if not spans:
            raise Wrong(f"nothing on the page matches '{regex}'")

    def check(self, claim, expressions, filling):
        words = IN_BRACES.sub(r"\1", claim)
        if words not in plain(self.text):
            raise Wrong(f"the page no longer says '{words}'")
        self.cover(re.escape(words))
        figures, values = IN_BRACES.findall(claim), []
        for expression in expressions:
            value = eval(expression, {**globals(), **self.names})
            values += [(each, expression) for each in (value if isinstance(value, list) else [value])]
        if len(figures) != len(values):
            raise Wrong(f"'{claim}' has {len(figures)} figures and {len(values)} values")
        problem, right = None, []
        for figure, (value, expression) in zip(figures, values):
            if value is False:
                raise Wrong(f"'{words}': {figure}, but not {expression}")
            digits = len(figure.partition(".")[2])
            fits = value is True or abs(number(figure) - value) <= 0.5 * 10**-digits + 1e-9
            right.append(figure if fits else f"{value:,.{digits}f}")
            if not fits:
                problem = problem or f"'{words}': {figure}, but {expression} is {value:.5g}"
        if problem and not filling:
            raise Wrong(problem)
        if problem:
            self.fill(claim, right)

    def fill(self, claim, right):
        """Puts the right figures into the page and into figures.txt."""
        figures = iter(right)
        new = IN_BRACES.sub(lambda _: "{" + next(figures) + "}", claim)
        words = IN_BRACES.sub(r"\1", claim).split()
        new_words = iter(IN_BRACES.sub(r"\1", new).split())
        there = re.search(r"\s+".join(map(re.escape, words)), self.text).group()
        here = re.sub(r"\S+", lambda _: next(new_words), there)
        self.text = self.text.replace(there, here)
        for file, old, now in ((self.path, there, here), (CLAIMS, claim, new)):
            content = read(file).replace(old, now)
            with open(os.path.join(ROOT, file), "w", encoding="utf-8") as opened:
                opened.write(content)

    def figures_left(self):
        """Every figure outside of code, comments and addresses that no line mentions."""
        whole = plain(self.text)
        masked = NO_FIGURES.sub(lambda match: " " * len(match.group()), whole)
        for match in FIGURE.finditer(masked):
            if not any(begin <= match.start() and match.end() <= end for begin, end in self.covered):
                around = whole[max(match.start() - 50, 0):match.end() + 40]
                yield f"no line of figures.txt mentions '{match.group()}' in '{around}'"


def check_line(page, line, below, filling):
    if line.startswith("~ "):
        page.cover(line[2:])
    elif line.strip() and not line.startswith((" ", "#")):
        expressions = itertools.takewhile(lambda each: each.startswith(" "), below)
        page.check(line, [each.strip() for each in ";".join(expressions).split(";") if each.strip()], filling)


def problems(lines, filling):
    page, whole = None, []
    try:
        names = named_tables()
    except Wrong as wrong:
        yield f"figures.txt: {wrong}"
        return
    for at, line in enumerate(lines):
        try:
            if line.startswith("== "):
                page = Page(line.split()[-1], names)
                whole += [] if "some of" in line else [page]
            elif page:
                check_line(page, line, lines[at + 1:], filling)
        except (Wrong, IndexError, NameError, SyntaxError) as wrong:
            yield f"figures.txt:{at + 1}: {wrong}"
    for page in whole:
        yield from (f"{page.path}: {problem}" for problem in page.figures_left())


def main():
    if sys.argv[1:] not in ([], ["--fill"]):
        sys.exit(__doc__)
    found = list(problems(read(CLAIMS).splitlines(), filling=bool(sys.argv[1:])))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
