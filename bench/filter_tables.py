"""Turns filter_bench's JSON into Markdown tables: filter_tables.py FILE."""
import json
import re
import statistics
import sys
from collections import defaultdict

BASE = {"build": "rocksdb-ribbon"}  # what a time is set against; else Bloom


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = re.findall(r"model name\s*:\s*(.*)", file.read())
    return f"{names[0] if names else 'unknown CPU'}, {len(names)} CPUs"


def read_runs(path):
    """{what: {policy: [benchmark run]}}, one run for each repetition."""
    runs = defaultdict(lambda: defaultdict(list))
    with open(path, encoding="utf-8") as file:
        for run in json.load(file)["benchmarks"]:
            if run["run_type"] != "iteration":
                continue
            parts = run["run_name"].split("/")
            threads = [p for p in parts if p.startswith("threads:")]
            names = [p for p in parts
                     if not p.startswith(("threads:", "repeats:", "min_time:"))]
            if names[0] == "dry":
                names = ["dry", names[1]]
            what = "/".join(names[:-1] + threads)
            runs[what][names[-1]].append(run)
    return runs


def print_table(what, policies):
    base_name = BASE.get(what.split("/")[0], "rocksdb-bloom")
    medians = {name: statistics.median(run["cpu_time"] for run in runs)
               for name, runs in policies.items()}
    base = medians.get(base_name)
    print(f"**{what}**\n")
    print(f"| policy | ns (CPU) | variation | against {base_name} "
          "| bits/key | false positives % |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, runs in policies.items():
        times = [run["cpu_time"] for run in runs]
        variation = (statistics.stdev(times) / statistics.mean(times)
                     if len(times) > 1 else 0)
        ratio = f"{medians[name] / base:.2f}" if base else "-"
        bits = f"{runs[0]['bits_per_key']:.2f}" if "bits_per_key" in runs[0] else "-"
        rate = f"{runs[0]['fpr_percent']:.4f}" if "fpr_percent" in runs[0] else "-"
        print(f"| {name} | {medians[name]:.1f} | {100 * variation:.0f} % "
              f"| {ratio} | {bits} | {rate} |")
    print()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: filter_tables.py FILE")
    print(f"{cpu_model()}. Medians of CPU time; variation is the coefficient "
          "of variation over the repetitions.\n")
    for what, policies in read_runs(sys.argv[1]).items():
        print_table(what, policies)


if __name__ == "__main__":
    main()
