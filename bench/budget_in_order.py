#!/usr/bin/env python3
"""How a memory budget is best spent on a load in the order of keys.

  bench/budget_in_order.py

RocksDB never writes the files of such a load again, so a file keeps the bits
that it got when nobody knew how many were to come. For each rule: the data
blocks that a lookup of a missing row reads when the load has 1/8 to 4 times the
keys for which the budget has 10 bits each, and the mean. B: the budget, R: what
is left of it, N: the keys so far. Solved lines at 2^-(b * 504 / 512), a tenth
more for lines that are not equally full; plain ones below 2.25 bits; no filter
below 1.
"""
import math

BUDGET = 200.0  # million bits
STEP = 0.05  # million keys: a file
SIZES = [2.5, 5, 10, 20, 40, 80]  # million keys

RULES = {
    "B / N": lambda left, keys: BUDGET / keys,
    "B / 2N": lambda left, keys: BUDGET / (2 * keys),
    "B / 3N": lambda left, keys: BUDGET / (3 * keys),
    "B / 4N": lambda left, keys: BUDGET / (4 * keys),
    "B / 6N": lambda left, keys: BUDGET / (6 * keys),
    "2R / N": lambda left, keys: 2 * left / keys,
    "R / N": lambda left, keys: left / keys,
    "R / 2N": lambda left, keys: left / (2 * keys),
}


def rate(bits):
    if bits < 1:
        return 1.0
    if bits < 2.25:
        probes = max(1, round(bits * math.log(2)))
        return (1 - math.exp(-probes / bits)) ** probes
    return min(1.0, 1.1 * 2 ** (-bits * 504 / 512))


def load(rule, most_bits):
    """The reads at each of SIZES."""
    keys = spent = reads = 0.0
    found = []
    while len(found) < len(SIZES):
        left = BUDGET - spent
        bits = min(most_bits, rule(left, keys + STEP), left / STEP)
        if bits >= 1:
            spent += bits * STEP
        reads += rate(bits) * STEP
        keys += STEP
        if keys > SIZES[len(found)] - STEP / 2:
            found.append(reads / keys)
    return found


def main():
    print("| at most | rule | "
          + " | ".join(f"{size * 10 / BUDGET:g}" for size in SIZES)
          + " | mean |")
    print("| ---: | --- |" + " ---: |" * (len(SIZES) + 1))
    for most_bits in 12, 16, 30:
        for name, rule in RULES.items():
            reads = load(rule, most_bits)
            print(f"| {most_bits} bits | {name} | "
                  + " | ".join(f"{value:.4f}" for value in reads)
                  + f" | {sum(reads) / len(reads):.3f} |")


if __name__ == "__main__":
    main()
