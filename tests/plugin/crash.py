#!/usr/bin/env python3
"""Runs RocksDB's db_crashtest.py with linebloom in db_stress: kills it while it works.

  crash.py --source=FOLDER --db_stress=PROGRAM --linebloom=PROGRAM --work=FOLDER
           [--kills=N] [--seed=N]

Called by tests/plugin/run.sh. db_crashtest.py's black-box test is RocksDB's own: it
starts db_stress with random parameters, ends it after some seconds, and starts it
again with others on the same database, which db_stress first compares with what it
has written. Here it always ends by SIGKILL. Each start also draws linebloom's options,
or none for one in seven, so that RocksDB alone has to continue with linebloom's files;
and after each kill `linebloom verify` probes the filters of all remaining files for
all their rows. Every 10 kills, a new database and another kind of load begin.

Prints the counts. Exits with 0 if nothing was found and linebloom's filters
answered, or with 1 if db_stress or linebloom verify found something, which stderr
says; the database is then kept.
"""
import argparse
import collections
import contextlib
import glob
import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys

# linebloom's options to start with. `off`: RocksDB's own filters.
OPTIONS = ["", "line=plain;", "level_aware=true;", "hash_seed=7;", "false_positive_rate=0.01;",
           "line=plain;level_aware=true;", "off"]
LOADS = [[], ["--simple"], ["--cf_consistency"], ["--txn"], ["--enable_ts"],
         ["--test_best_efforts_recovery"]]
KILLS_OF_A_LOAD = 10
SECONDS = 10  # from start to kill
BITS_PER_KEY = 1, 30  # with which linebloom takes all of these options
# Few keys and small files, so that a few seconds see many flushes and compactions.
SMALL = ["--max_key=50000", "--write_buffer_size=262144", "--target_file_size_base=262144",
         "--max_bytes_for_level_base=1048576", "--statistics=1", "--stats_dump_period_sec=1"]


class Stop(Exception):
    """Ends db_crashtest.py's test, which by itself only ends after a given time."""


class CrashTest:
    """Replaces db_crashtest.execute_cmd and counts what it sees."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.work = os.path.abspath(arguments.work)
        self.database = os.path.join(self.work, "rocksdb_crashtest_blackbox")
        # db_stress can create the listener since RocksDB 11, and auto needs it.
        with open(os.path.join(arguments.source, "db_stress_tool/db_stress_gflags.cc"),
                  encoding="utf-8") as flags:
            self.has_listener = "listener_uri" in flags.read()
        self.kills = 0
        self.starts = collections.Counter()  # by options
        self.saved = 0  # lookups, by filters of linebloom

    def run(self):
        """Runs one load after another until there have been enough kills."""
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)
        log = open(os.path.join(self.work, "log"), "w", encoding="utf-8")
        with log, contextlib.redirect_stdout(log):
            while self.kills < self.arguments.kills:
                self.run_load(LOADS[self.kills // KILLS_OF_A_LOAD % len(LOADS)])

    def run_load(self, load):
        shutil.rmtree(self.database, ignore_errors=True)
        end = min(self.kills + KILLS_OF_A_LOAD, self.arguments.kills)
        # Imported again for each load, because it draws some parameters on import.
        os.environ["TEST_TMPDIR"] = self.work
        # A release build refuses these faults, and RocksDB 11's script rules out
        # only the other kind.
        release = ["--metadata_read_fault_one_in=0"] if os.environ.get("DEBUG_LEVEL") == "0" else []
        sys.argv = ["db_crashtest.py", "blackbox", *load, *SMALL, *release,
                    *["--listener_uri=linebloom_level_sizes"] * self.has_listener,
                    "--duration=1000000", f"--interval={SECONDS}",
                    f"--stress_cmd={self.arguments.db_stress}"]
        spec = importlib.util.spec_from_file_location(
            "db_crashtest", os.path.join(self.arguments.source, "tools/db_crashtest.py"))
        db_crashtest = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(db_crashtest)
        # RocksDB 11 would let db_stress finish by SIGTERM.
        subprocess.Popen.terminate = subprocess.Popen.kill
        start_and_kill = db_crashtest.execute_cmd
        db_crashtest.execute_cmd = lambda *command: self.execute(start_and_kill, end, *command)
        with contextlib.suppress(Stop):
            db_crashtest.main()

    def execute(self, start_and_kill, end, command, seconds):
        # Not right after the last kill, because db_crashtest.py judges its output.
        if self.kills == end:
            raise Stop
        bits = next(float(flag.split("=")[1]) for flag in command if flag.startswith("--bloom_bits="))
        options = random.choice(OPTIONS + ["bits_per_key=auto;"] * self.has_listener)
        if not BITS_PER_KEY[0] <= bits <= BITS_PER_KEY[1]:
            options = "off"
        self.starts[options] += 1
        os.environ.pop("DB_STRESS_FILTER_POLICY", None)
        if options != "off":
            own = "" if "rate" in options or "auto" in options else f"bits_per_key={bits}"
            os.environ["DB_STRESS_FILTER_POLICY"] = f"{{id=linebloom;{options}{own}}}"
        result = start_and_kill(command, seconds)
        killed, code, output, errors = result[:4]  # RocksDB 11 adds the process's id
        if not killed:
            sys.exit(f"db_stress ended by itself, with {code}:\n{output[-3000:]}\n{errors[-3000:]}")
        self.kills += 1
        self.read_logs()
        verify = subprocess.run([self.arguments.linebloom, "verify", self.database], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if verify.returncode != 0:
            sys.exit(f"linebloom verify ended with {verify.returncode}:\n{verify.stdout[-3000:]}")
        return result

    def read_logs(self):
        """Counts the lookups that filters saved by db_stress's logs, and removes the logs."""
        for path in glob.glob(os.path.join(self.database, "LOG*")):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if "filter_policy: linebloom" in text:
                found = re.findall(r"rocksdb\.bloom\.filter\.useful COUNT : (\d+)", text)
                self.saved += int(found[-1]) if found else 0
            os.remove(path)


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "db_stress", "linebloom", "work"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1000000))
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    test = CrashTest(arguments)
    problem = None
    try:
        test.run()
    except SystemExit as found:
        problem = f"ended with {found.code}"  # db_crashtest.py's is a number
    print(f"{test.kills} kills survived, seed {arguments.seed}, {test.saved} lookups saved; "
          f"starts by options: {dict(test.starts)}")
    if not problem and not test.saved:
        problem = "linebloom was never the policy, or no filter answered 'no'"
    if problem:
        sys.exit(f"{problem}\nThe database is in {test.database}; the commands and db_stress's "
                 f"output are in {test.work}/log.")
    shutil.rmtree(test.work)


if __name__ == "__main__":
    main()
