#!/usr/bin/env python3
"""Runs RocksDB's db_crashtest.py with linebloom in db_stress, for tests/plugin/run.sh.

db_crashtest.py starts db_stress with random parameters, kills it after some seconds,
and starts it again with others on the same database, which db_stress first compares
with what it has written. Each start draws a policy of linebloom's, or RocksDB's own,
which then has to go on with linebloom's files; after each kill `linebloom verify`
probes all filters for all rows. Every 10 kills, a new database and load begin.

Prints the counts. Exits with 0 if nothing was found and linebloom's filters answered,
or with 1 and what was found; the database is then kept.
"""
import argparse
import collections
import contextlib
import functools
import glob
import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys

POLICIES = ["linebloom", "linebloom:plain", "linebloom:10",
            "{id=linebloom;bits_per_key=6;level_aware=true;hash_seed=7}", "RocksDB's"]
LOADS = " --simple --cf_consistency --txn --enable_ts --test_best_efforts_recovery".split(" ")
KILLS_OF_A_LOAD = 10
SECONDS = 10  # from start to kill
# Few keys and small files, so that a few seconds see many flushes and compactions.
SMALL = ["--max_key=50000", "--write_buffer_size=262144", "--target_file_size_base=262144",
         "--max_bytes_for_level_base=1048576", "--statistics=1", "--stats_dump_period_sec=1"]


class CrashTest:
    def __init__(self, arguments):
        self.arguments = arguments
        self.work = os.path.abspath(arguments.work)
        self.database = os.path.join(self.work, "rocksdb_crashtest_blackbox")
        self.kills = collections.Counter()  # by policy
        self.saved = 0  # lookups, by filters of linebloom

    def run(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)
        os.environ["TEST_TMPDIR"] = self.work
        # RocksDB 11 would let db_stress finish by SIGTERM.
        subprocess.Popen.terminate = subprocess.Popen.kill
        spec = importlib.util.spec_from_file_location(
            "db_crashtest", os.path.join(self.arguments.source, "tools/db_crashtest.py"))
        log = open(os.path.join(self.work, "log"), "w", encoding="utf-8")
        with log, contextlib.redirect_stdout(log):
            while (kills := self.kills.total()) < self.arguments.kills:
                shutil.rmtree(self.database, ignore_errors=True)
                # Imported again for each load, because it draws some parameters on import.
                db_crashtest = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(db_crashtest)
                # Release builds refuse these faults, which RocksDB 11's script forgets; `verify` may not know newer formats.
                fault = "metadata_read_fault_one_in"
                sys.argv = ["db_crashtest.py", "blackbox", *SMALL, f"--format_version={random.randint(2, 5)}",
                            *LOADS[kills // KILLS_OF_A_LOAD % len(LOADS)].split(),
                            *[f"--{fault}=0"] * (fault in db_crashtest.default_params),
                            "--duration=1000000", f"--interval={SECONDS}",
                            f"--stress_cmd={self.arguments.db_stress}"]
                db_crashtest.execute_cmd = functools.partial(
                    self.execute, db_crashtest.execute_cmd,
                    min(kills + KILLS_OF_A_LOAD, self.arguments.kills))
                with contextlib.suppress(StopIteration):
                    db_crashtest.main()

    def execute(self, start_and_kill, end, command, seconds):
        # Not right after the last kill, because db_crashtest.py judges its output.
        if self.kills.total() == end:
            raise StopIteration
        policy = os.environ["DB_STRESS_FILTER_POLICY"] = random.choice(POLICIES)
        if policy == "RocksDB's":
            del os.environ["DB_STRESS_FILTER_POLICY"]
        result = start_and_kill(command, seconds)
        killed, code, output, errors = result[:4]  # RocksDB 11 adds the process's id
        if not killed:
            sys.exit(f"db_stress ended by itself, with {code}:\n{output[-3000:]}\n{errors[-3000:]}")
        self.kills[policy] += 1
        for path in glob.glob(os.path.join(self.database, "LOG*")):
            with open(path, "rb") as file:
                found = re.findall(rb"rocksdb\.bloom\.filter\.useful COUNT : (\d+)", file.read())
            self.saved += int(found[-1]) if found and policy != "RocksDB's" else 0
            os.remove(path)
        verify = subprocess.run([self.arguments.linebloom, "verify", self.database], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if verify.returncode != 0:
            sys.exit(f"linebloom verify ended with {verify.returncode}:\n{verify.stdout[-3000:]}")
        return result


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "db_stress", "linebloom", "work"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1000000))
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    test = CrashTest(arguments)
    try:
        test.run()
        problem = "" if test.saved else "no filter of linebloom's answered 'no'"
    except SystemExit as found:
        problem = f"ended with {found.code}"  # db_crashtest.py's is a number
    print(f"{test.kills.total()} kills survived, seed {arguments.seed}, {test.saved} lookups saved; "
          f"kills by policy: {dict(test.kills)}")
    if problem:
        sys.exit(f"{problem}\nThe database and a log of commands and output are in {test.work}.")
    shutil.rmtree(test.work)


if __name__ == "__main__":
    main()
