#!/usr/bin/env python3
"""Checks that the figures on the pages are those that commands printed.

  tests/docs/figures.py [ROOT]

figures.txt ties sentences of pages to cells of tables. Its lines are

  NAME = PAGE / HEADING / N     the N-th table, or table of a fenced block, under a heading
  == PAGE                       the lines below are about this page
  some {1.23} words             as on the page but for the braces; in the lines below it,
    EXPRESSION; EXPRESSION      indented, what each figure in braces is
  ~ REGEX                       what this matches is no figure of a measurement

NAME['cell', 'cell', 'column'] is the first number of the column in the row that has
these cells, 'column#2' the second one, and NAME[2, 'column'] is of the second row. A
figure has to be the value, rounded to as many digits; an expression that is true or
false has to be true. A number on one of the pages, or a word such as 'a third', that
no line mentions is an error. Prints what is wrong; exits with 0, or with 1 if it
printed anything.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
FIGURE = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?|\b(?:half|halves|twice|(?:an?|one|two|three|four)"
                    r"[ -](?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|twent\w+)s?)\b")


class Wrong(Exception):
    pass


def number(text):
    return float(text.replace(",", ""))


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
        cell = found[0][self.columns.index(column)]
        return number(NUMBER.findall(cell)[int(which or 1) - 1])


def tables_below(page, heading):
    """The rows of all tables below a heading, up to the next one of its rank."""
    tables, fenced, inside, last = [], False, False, ""
    for line in page.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        mark = None if fenced else re.match(r"(#+) (.*)", line)
        if mark:
            inside = mark.group(2) == heading
        split = r" {2,}" if fenced else r" *\| *"
        cells = [cell for cell in re.split(split, line if fenced else line.strip(" |"))]
        is_row = inside and len(cells) > 1 and (line[:1].strip() if fenced else line.startswith("|"))
        if is_row and not re.match(r"\| *:?-", line):
            if not is_row_of(tables, cells, last, fenced):
                tables.append([])
            tables[-1].append(cells)
        last = line
    return tables


def is_row_of(tables, cells, last, fenced):
    if not tables or len(tables[-1][0]) != len(cells):
        return False
    return bool(last.strip()) if fenced else last.startswith("|")


class Checker:
    def __init__(self, root):
        self.root, self.pages, self.names, self.covered, self.errors = root, {}, {}, {}, []

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
        page, words = plain(self.page(path)), text.replace("{", "").replace("}", "")
        if words not in page:
            raise Wrong(f"the page no longer says '{words}'")
        self.cover(path, re.escape(words))
        figures = re.findall(r"\{(.*?)\}", text)
        values = [eval(each, dict(self.names)) for each in expressions]  # pylint: disable=eval-used
        if len(figures) != len(values):
            raise Wrong(f"'{text}' has {len(figures)} figures and {len(values)} expressions")
        for figure, value, each in zip(figures, values, expressions):
            if isinstance(value, bool):
                right = value
            else:
                digits = len(figure.partition(".")[2])
                right = abs(number(figure) - value) <= 0.5 * 10 ** -digits + 1e-9
            if not right:
                raise Wrong(f"'{words}': {figure}, but {each.strip()} is {value:.5g}")

    def cover(self, path, regex):
        spans = [match.span() for match in re.finditer(regex, plain(self.page(path)))]
        self.covered.setdefault(path, []).extend(spans)
        if not spans:
            raise Wrong(f"nothing on the page matches '{regex}'")

    def check_rest(self, path):
        """Every figure outside of code, comments and addresses is mentioned."""
        whole = plain(self.page(path))
        masked = re.sub(r"`[^`]*`|<!--.*?-->|\]\([^)]*\)", lambda m: " " * len(m.group()),
                        re.sub(r"```.*?```", lambda m: " " * len(m.group()), whole))
        for match in FIGURE.finditer(masked):
            if not any(a <= match.start() and match.end() <= b for a, b in self.covered.get(path, [])):
                around = whole[max(match.start() - 50, 0):match.end() + 40]
                self.errors.append(f"{path}: no line of figures.txt mentions '{match.group()}' in '{around}'")

    def run(self, lines):
        path, paths = None, []
        for at, line in enumerate(lines):
            try:
                definition = re.match(r"(\w+) = (.*)", line)
                if line.startswith("== "):
                    path = line[3:]
                    paths.append(path)
                elif line.startswith("~ "):
                    self.cover(path, line[2:])
                elif path is None and definition:
                    self.define(*definition.groups())
                elif line.strip() and not line.startswith((" ", "#")):
                    below = []
                    for following in lines[at + 1:]:
                        if not following.startswith(" "):
                            break
                        below += [each for each in following.split(";") if each.strip()]
                    self.claim(path, line, [each.strip() for each in below])
            except (Wrong, IndexError, SyntaxError, NameError) as wrong:
                self.errors.append(f"{path or 'figures.txt'}: {wrong}")
        for path in paths:
            self.check_rest(path)
        return self.errors


def main():
    checker = Checker(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../.."))
    with open(os.path.join(HERE, "figures.txt"), encoding="utf-8") as file:
        errors = checker.run(file.read().splitlines())
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
