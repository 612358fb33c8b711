#!/usr/bin/env python3
"""Runs each query of a Grafana dashboard in Prometheus.

  check_dashboard.py DASHBOARD.json http://HOST:PORT

Prints, for each, how many series it gives and their last figures. Exits with 0,
or with 1 if a query fails or gives no figure. Grafana itself isn't needed: its
variables are replaced as it would.
"""
import json
import math
import sys
import urllib.parse
import urllib.request

VARIABLES = {"$__rate_interval": "15s", "$database": ".*"}


def replace_variables(expression):
    for variable, value in VARIABLES.items():
        expression = expression.replace(variable, value)
    return expression


def query(server, expression):
    """The series' labels and figures."""
    url = f"{server}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(url) as answer:
        result = json.load(answer)
    return [(series["metric"], float(series["value"][1])) for series in result["data"]["result"]]


def legend(form, labels):
    for name, value in labels.items():
        form = form.replace("{{" + name + "}}", value)
    return form


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: check_dashboard.py DASHBOARD.json http://HOST:PORT")
    with open(sys.argv[1], encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    empty = 0
    for panel in panels:
        print(panel["title"])
        for target in panel["targets"]:
            expression = replace_variables(target["expr"])
            figures = [(labels, figure) for labels, figure in query(sys.argv[2], expression)
                       if math.isfinite(figure)]
            for labels, figure in figures:
                print(f"  {legend(target['legendFormat'], labels):24} {figure:12.6g}")
            if not figures:
                empty += 1
                print(f"  nothing: {expression}")
    sys.exit(1 if empty else 0)


if __name__ == "__main__":
    main()
