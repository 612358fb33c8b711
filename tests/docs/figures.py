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
    EXPRESSION; EXPRESSION      indented, what each figure in braces is
  ~ REGEX                       what this matches is no figure of a measurement

NAME['cell', 'cell', 'column'] is the first number of the column in the row that has
these cells, 'column#2' the second one, and NAME[2, 'column'] is of the second row. A
figure has to be the value, rounded to as many digits; an expression that is true or
false has to be true; said(PAGE, TEXT) is true if the page has the text. A number outside of code, or a word such as 'a third', that no
line mentions is an error. Prints what is wrong; exits with 0, or with 1 if it
printed anything.
"""
import itertools
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
IN_BRACES = re.compile(r"\{([\w., ]+)\}")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
FIGURE = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?|\b(?:half|halves|twice|(?:an?|one|two|three|four)"
                    r"[ -](?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|twent\w+)s?)\b")


CLAIMS = os.path.join(HERE, "figures.txt")
with open(CLAIMS, encoding="utf-8") as claims:
    LINES = claims.read().splitlines()


class Wrong(Exception):
    pass


def number(text):
    return float(text.replace(",", ""))


def plain(text):
    return " ".join(text.split())


CALLED = ("numbers", "per_filter", "bloom", "pays_after")


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

    def least(self, column):
        return min(each for row in self.rows for each in numbers(row[self.columns.index(column)]))


def numbers(text):
    return [number(each) for each in NUMBER.findall(text)]


# What expressions may call.


def per_filter(live, row):
    """Reads per 1,000 filters that keys met, of a row of live_tree's table."""
    return live[row, "measured"] / live[row, "filters met"]


def bloom(live):
    return sum(per_filter(live, row) for row in (1, 2, 3)) / 3


def pays_after(more_ns, bits_saved):
    """Seconds in memory until bits per key have paid for CPU time per key, by the prices in
    RocksDB's blog (2021-12-29): dollars for three years of a thread, and of a GB."""
    hours = 3 * 365 * 24
    per_watt = 0.35 * hours / 1000
    per_ns = (30 + 3.5 * per_watt) / 1e9
    per_bit = (8 + 0.375 * per_watt) / 2**33
    return per_ns / per_bit * more_ns / bits_saved


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


class Checker:
    def __init__(self, root, filling=False):
        self.root, self.filling = root, filling
        self.pages, self.names, self.covered, self.errors = {}, {}, {}, []

    def page(self, path):
        if path not in self.pages:
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                self.pages[path] = file.read()
        return self.pages[path]

    def define(self, name, source):
        path, heading, which = source.split(" / ")
        tables = tables_below(self.page(path), heading)
        if len(tables) < int(which):
            raise Wrong(f"{path} has {len(tables)} tables under '{heading}'")
        self.names[name] = Table(f"{name}, {path}", tables[int(which) - 1])

    def claim(self, path, text, expressions):
        page, words = plain(self.page(path)), IN_BRACES.sub(r"\1", text)
        if words not in page:
            raise Wrong(f"the page no longer says '{words}'")
        self.cover(path, re.escape(words))
        figures = IN_BRACES.findall(text)
        values = [self.value(each) for each in expressions]
        if len(figures) != len(values):
            raise Wrong(f"'{text}' has {len(figures)} figures and {len(values)} expressions")
        wrong, right = "", list(figures)
        for i, (figure, value) in enumerate(zip(figures, values)):
            if value is False:
                raise Wrong(f"'{words}': {figure}, but not {expressions[i]}")
            if value is not True:
                digits = len(figure.partition(".")[2])
                if abs(number(figure) - value) > 0.5 * 10 ** -digits + 1e-9:
                    right[i] = f"{value:,.{digits}f}"
                    wrong = wrong or f"'{words}': {figure}, but {expressions[i]} is {value:.5g}"
        if wrong and self.filling:
            self.fill(path, text, right)
        elif wrong:
            raise Wrong(wrong)

    def fill(self, path, text, right):
        """Puts the right figures into the page and into figures.txt."""
        left = iter(right)
        new = IN_BRACES.sub(lambda _: "{" + next(left) + "}", text)
        words = IN_BRACES.sub(r"\1", text).split()
        new_words = iter(IN_BRACES.sub(r"\1", new).split())
        there = re.search(r"\s+".join(map(re.escape, words)), self.page(path)).group()
        here = re.sub(r"\S+", lambda _: next(new_words), there)
        self.pages[path] = self.page(path).replace(there, here)
        for file, old, now in ((os.path.join(self.root, path), there, here), (CLAIMS, text, new)):
            with open(file, encoding="utf-8") as opened:
                content = opened.read()
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(content.replace(old, now))

    def value(self, expression):
        scope = dict(self.names, said=self.said, **{each: globals()[each] for each in CALLED})
        try:
            return eval(expression, scope)
        except (IndexError, NameError, SyntaxError) as error:
            raise Wrong(f"{expression}: {error}") from error

    def said(self, path, text):
        return text in plain(self.page(path))

    def cover(self, path, regex):
        spans = [match.span() for match in re.finditer(regex, plain(self.page(path)))]
        self.covered[path] += spans
        if not spans:
            raise Wrong(f"nothing on the page matches '{regex}'")

    def check_rest(self, path):
        """Every figure outside of code, comments and addresses is mentioned."""
        whole = plain(self.page(path))
        masked = re.sub(r"`[^`]*`|<!--.*?-->|\]\([^)]*\)", lambda m: " " * len(m.group()),
                        re.sub(r"```.*?```", lambda m: " " * len(m.group()), whole))
        for match in FIGURE.finditer(masked):
            if not any(a <= match.start() and match.end() <= b for a, b in self.covered[path]):
                around = whole[max(match.start() - 50, 0):match.end() + 40]
                self.errors.append(f"{path}: no line of figures.txt mentions '{match.group()}' in '{around}'")

    def define_all(self):
        for line in itertools.takewhile(lambda each: not each.startswith("== "), LINES):
            definition = re.match(r"(\w+) = (.*)", line)
            try:
                if definition:
                    self.define(*definition.groups())
            except Wrong as wrong:
                self.errors.append(f"figures.txt: {wrong}")

    def check_line(self, path, at):
        line = LINES[at]
        if line.startswith("~ "):
            self.cover(path, line[2:])
        elif line.strip() and not line.startswith((" ", "#")):
            below = list(itertools.takewhile(lambda each: each.startswith(" "), LINES[at + 1:]))
            self.claim(path, line, [each.strip() for each in ";".join(below).split(";") if each.strip()])

    def run(self):
        self.define_all()
        path, whole = None, []
        for at, line in enumerate(LINES):
            if line.startswith("== "):
                path = line.split()[-1]
                self.covered[path] = []
                if "some of" not in line:
                    whole.append(path)
            elif path:
                try:
                    self.check_line(path, at)
                except Wrong as wrong:
                    self.errors.append(f"{path}: {wrong}")
        for path in whole:
            self.check_rest(path)
        return self.errors


def main():
    if sys.argv[1:] not in ([], ["--fill"]):
        sys.exit(__doc__)
    errors = Checker(os.path.join(HERE, "../.."), filling=bool(sys.argv[1:])).run()
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
