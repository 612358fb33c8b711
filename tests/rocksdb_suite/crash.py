#!/usr/bin/env python3
"""Runs RocksDB's db_crashtest.py with linebloom: kills db_stress while it works.

  crash.py --source=FOLDER --db_stress=PROGRAM --work=FOLDER
           [--preload=LIBRARIES] [--linebloom=PROGRAM]
           [--white_box] [--kills=N] [--seconds=N] [--seed=N]

Called by run.sh, with libraries to preload, and by tests/plugin/run.sh, where
linebloom is in db_stress. db_crashtest.py's black-box test is RocksDB's own: it
starts db_stress with random parameters, ends it after some seconds, and starts
it again with others on the same database, which db_stress first compares with
what it has written. Here it always ends by SIGKILL. Each start also draws
linebloom's options, or none for one in seven, so that RocksDB alone has to
continue with linebloom's files; and after each kill linebloom verify, if given,
probes the filters of all remaining files for all their rows. Every 10 kills, a
new database and another kind of load begin.

With --white_box, db_stress kills itself instead: at random, wherever RocksDB's
code has a kill point, such as between writing and syncing a file. That is
db_crashtest.py's white-box test, and only a debug build has kill points.

Prints the counts. Exits with 0 if nothing was found and linebloom's filters
answered, or with 1 if db_stress or linebloom verify found something, which stderr
says; the database is then kept.
"""
import argparse
import collections
import contextlib
import glob
import importlib.util
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys

# linebloom's options to start with. `off`: RocksDB's own filters.
OPTIONS = ["linebloom", "{line=plain}", "{level_aware=true}", "{hash_seed=7}",
           "{false_positive_rate=0.01}", "{line=plain;level_aware=true}", "off"]
# These need the listener, which db_stress can create since RocksDB 11.
OPTIONS_WITH_LISTENER = ["{level_aware=true}"]
LOADS = [[], ["--simple"], ["--cf_consistency"], ["--txn"], ["--enable_ts"],
         ["--test_best_efforts_recovery"]]
BLACK_BOX_ONLY = ["--test_best_efforts_recovery"]  # in RocksDB's own runs too
KILLS_OF_A_LOAD = 10
# db_stress kills itself once in so many passes of a kill point, and more often at
# rare ones. RocksDB takes forty times as many, for loads of hours.
KILL_ODDS = 22222
WHITE_BOX_SECONDS = 120  # then it is killed from outside, and that isn't counted
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
        self.test = "whitebox" if arguments.white_box else "blackbox"
        self.listener = ["--listener_uri=linebloom_level_sizes"] if self.takes_listener() else []
        self.options = OPTIONS + (OPTIONS_WITH_LISTENER if self.listener else [])
        self.database = os.path.join(self.work, "rocksdb_crashtest_" + self.test)
        self.kills = 0
        self.kills_before_next_load = 0
        self.kill_points = collections.Counter()  # where a white box ended
        self.without_kill = 0  # starts of a white box that reached no kill point
        self.last_output = ""  # of db_stress
        self.starts = collections.Counter()  # by options
        self.with_linebloom = 0  # starts whose LOG names linebloom as the policy
        self.files = collections.Counter()  # found after kills, by filter
        self.probed = 0  # keys and prefixes of these files
        self.answers = collections.Counter()  # of filters to db_stress
        self.problem = None

    def takes_listener(self):
        flags = os.path.join(self.arguments.source, "db_stress_tool/db_stress_gflags.cc")
        with open(flags, encoding="utf-8") as file:
            return not self.arguments.preload and "listener_uri" in file.read()

    def run(self):
        """Runs one load after another until there have been enough kills."""
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)
        loads = [load for load in LOADS if self.test == "blackbox" or load != BLACK_BOX_ONLY]
        with open(os.path.join(self.work, "log"), "w", encoding="utf-8") as log:
            while self.kills < self.arguments.kills and not self.problem:
                load = loads[self.kills // KILLS_OF_A_LOAD % len(loads)]
                self.kills_before_next_load = min(self.kills + KILLS_OF_A_LOAD, self.arguments.kills)
                with contextlib.redirect_stdout(log):
                    self.run_load(load)

    def run_load(self, load):
        for folder in glob.glob(os.path.join(self.work, "rocksdb_crashtest_*/")):
            shutil.rmtree(folder)
        # Imported again for each load, because it draws some parameters on import.
        os.environ["TEST_TMPDIR"] = self.work
        # A release build refuses these faults, and RocksDB 11's script rules out
        # only the other kind.
        release = ["--metadata_read_fault_one_in=0"] if os.environ.get("DEBUG_LEVEL") == "0" else []
        sys.argv = ["db_crashtest.py", self.test, *load, *SMALL, *release, *self.listener,
                    "--duration=1000000",
                    f"--interval={self.arguments.seconds}", f"--random_kill_odd={KILL_ODDS}",
                    f"--stress_cmd={self.arguments.db_stress}"]
        spec = importlib.util.spec_from_file_location(
            "db_crashtest", os.path.join(self.arguments.source, "tools/db_crashtest.py"))
        db_crashtest = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(db_crashtest)
        # RocksDB 11 would let db_stress finish by SIGTERM.
        subprocess.Popen.terminate = subprocess.Popen.kill
        start_and_kill = db_crashtest.execute_cmd
        db_crashtest.execute_cmd = lambda *command: self.execute(start_and_kill, *command)
        try:
            db_crashtest.main()
        except Stop:
            pass
        except SystemExit as ended:  # it found something in db_stress's output
            self.problem = f"db_crashtest.py ended with {ended.code}:\n{self.last_output}"

    def execute(self, start_and_kill, command, seconds):
        # Not right after the last kill, because db_crashtest.py judges its output.
        if self.kills == self.kills_before_next_load:
            raise Stop
        options = random.choice(self.options)
        bits = next(float(flag.split("=")[1]) for flag in command if flag.startswith("--bloom_bits="))
        if not BITS_PER_KEY[0] <= bits <= BITS_PER_KEY[1]:
            options = "off"
        environment = self.environment_of(options, bits)
        self.starts[options] += 1
        os.environ.update(environment)
        result = start_and_kill(command, WHITE_BOX_SECONDS if self.test == "whitebox" else seconds)
        for name in environment:
            del os.environ[name]
        timed_out, code, output, errors = result[:4]  # RocksDB 11 adds the process's id
        self.last_output = f"{output[-3000:]}\n{errors[-3000:]}"
        if self.test == "blackbox":
            killed = timed_out
        else:
            kill_point = re.search(r"^Crashing at \S*?([^/\s]+)$", output, re.MULTILINE)
            killed = kill_point and code == -signal.SIGTERM
            if killed:
                self.kill_points[kill_point[1]] += 1
            elif timed_out or code == 0:
                self.without_kill += 1
                if self.without_kill > self.kills + 5:
                    self.stop("db_stress hardly ever kills itself: is it a debug build?")
                return (False, 0, *result[2:])
        if not killed:
            print(output)
            self.stop(f"db_stress ended by itself, with {code}:\n{self.last_output}")
        self.kills += 1
        self.read_logs()
        if self.arguments.linebloom:
            self.verify()
        return result

    def environment_of(self, options, bits):
        """What db_stress needs in its environment to use linebloom with these options."""
        if self.arguments.preload:
            return {"LD_PRELOAD": self.arguments.preload, "LINEBLOOM_OVERRIDE": options}
        if options == "off":
            return {}
        parts = ["id=linebloom"] + ([] if options == "linebloom" else [options[1:-1]])
        if "rate" not in options:
            parts.append(f"bits_per_key={bits}")
        return {"DB_STRESS_FILTER_POLICY": "{" + ";".join(parts) + "}"}

    def stop(self, problem):
        self.problem = problem
        raise Stop

    def read_logs(self):
        """Counts the last statistics in each of db_stress's logs, and removes the logs."""
        linebloom = False
        for path in glob.glob(os.path.join(self.database, "LOG*")):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            linebloom = linebloom or re.search(r"filter_policy: linebloom", text)
            for name in ("useful", "full.positive", "full.true.positive"):
                found = re.findall(rf"rocksdb\.bloom\.filter\.{re.escape(name)} COUNT : (\d+)", text)
                self.answers[name] += int(found[-1]) if found else 0
            os.remove(path)
        self.with_linebloom += bool(linebloom)

    def verify(self):
        report = os.path.join(self.work, "verify.json")
        run = subprocess.run(
            [self.arguments.linebloom, "verify", self.database, f"--json={report}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode != 0:
            self.stop(f"linebloom verify ended with {run.returncode}:\n{run.stdout[-3000:]}")
        with open(report, encoding="utf-8") as file:
            for entry in json.load(file)["files"]:
                self.files[(entry["filter"] or {}).get("type", "none")] += 1
                self.probed += entry["keys_probed"] + entry["prefixes_probed"]

    def print_counts(self):
        def text_of(counter):
            return "; ".join(f"{name} {count:,}" for name, count in counter.most_common())

        print(f"kills survived          {self.kills} (seed {self.arguments.seed})")
        if self.test == "whitebox":
            print(f"at kill points          {text_of(self.kill_points)}")
            print(f"starts without a kill   {self.without_kill}")
        print(f"starts by options       {text_of(self.starts)}")
        print(f"with linebloom          {self.with_linebloom} of {sum(self.starts.values())} starts")
        if self.arguments.linebloom:
            print(f"files left by kills     {text_of(self.files)}")
            print(f"keys probed in these    {self.probed:,}, none denied")
        print(f"answers to db_stress    {self.answers['useful']:,} 'no'; "
              f"{self.answers['full.positive']:,} 'may match', of them "
              f"{self.answers['full.true.positive']:,} of keys that were there")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--db_stress", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--preload")
    parser.add_argument("--linebloom")
    parser.add_argument("--white_box", action="store_true")
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1000000))
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    test = CrashTest(arguments)
    test.run()
    test.print_counts()
    if not test.problem and not (test.with_linebloom and test.answers["useful"]):
        test.problem = "linebloom was never the policy, or no filter answered 'no'"
    if test.problem:
        sys.exit(f"{test.problem}\nThe database is in {test.database}; the commands and db_stress's "
                 f"output are in {test.work}/log.")
    shutil.rmtree(test.work)


if __name__ == "__main__":
    main()
