"""Turns apt's description of packages (apt-cache dumpavail) into N-Triples."""
import re
import sys
from urllib.parse import quote

LITERALS = ["Version", "Installed-Size", "Description", "Homepage", "SHA256", "Filename"]
NAMES = ["Section", "Maintainer", "Priority", "Source"]
RELATIONS = ["Depends", "Recommends", "Suggests", "Provides", "Breaks", "Conflicts"]


def literal(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def iri(kind, name):
    return f"<https://packages.debian.org/{kind}/{quote(name)}>"


def statements(fields):
    """Yields (property, value) of a package."""
    for name in LITERALS:
        if name in fields:
            yield name, literal(fields[name])
    for name in NAMES:
        if name in fields:
            yield name, iri(name, fields[name])
    for name in RELATIONS:
        for other in re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9.+-]+)", fields.get(name, "")):
            yield name, iri("package", other)
    for tag in fields.get("Tag", "").split(", "):
        if tag:
            yield "Tag", iri("tag", tag)


for paragraph in sys.stdin.read().split("\n\n"):
    values = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", paragraph, re.MULTILINE))
    if "Package" in values:
        for what, value in statements(values):
            print(iri("package", values["Package"]), iri("field", what), value, ".")
