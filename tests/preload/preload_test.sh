#!/usr/bin/env bash
# Runs the distribution's own db_bench, sst_dump and ldb with linebloom loaded
# by LD_PRELOAD and named in an options file, and reads in their output that its
# filter works.
#
#   preload_test.sh LIBRARY
#
# Works in a new folder beneath the current one and removes it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$(realpath --canonicalize-existing "$1")

rows=200000
lookups=100000

work=$(mktemp --directory "$PWD/preload_test.XXXXXX")
trap 'rm -r "$work"' EXIT
db=$work/db

fail() {
  echo "preload_test: $*" >&2
  exit 1
}

# bench OUTPUT BENCHMARKS [FLAG]...: runs db_bench; the progress that it writes
# to stderr is shown only when it fails.
bench() {
  local output=$1 benchmarks=$2
  shift 2
  db_bench --db="$db" --options_file="$here/options.ini" --benchmarks="$benchmarks" \
    --num=$rows --reads=$lookups --seed=1 --statistics "$@" > "$output" 2> "$output.stderr" ||
    fail "db_bench --benchmarks=$benchmarks failed: $(tail --lines=5 "$output" "$output.stderr")"
}

# ticker OUTPUT NAME: the count of a ticker in db_bench's statistics.
ticker() {
  awk -v name="rocksdb.$2" '$1 == name && $2 == "COUNT" { print $4; found = 1 }
    END { exit !found }' "$1" || fail "no ticker rocksdb.$2 in the output of db_bench"
}

# Every lookup must have ended without a row, and been counted.
check_nothing_found() {
  grep --quiet "(0 of $lookups found)" "$1" ||
    fail "readmissing: $(grep readmissing "$1" || echo 'no result')"
}

# check_policy_names WHO OUTPUT: every SSTable in the output was written by
# linebloom, and there is at least one.
check_policy_names() {
  local names
  names=$(grep --text --only-matching --perl-regexp 'filter policy name[:=] *\K.*' "$2" | sort --unique)
  [[ $names == linebloom ]] || fail "$1 names as filter policies: '$names'"
}

echo "db_bench with linebloom"
LD_PRELOAD=$library bench "$work/with" fillrandom,compact,readmissing
check_nothing_found "$work/with"
useful=$(ticker "$work/with" bloom.filter.useful)
positive=$(ticker "$work/with" bloom.filter.full.positive)
echo "  of $lookups missing rows the filter answered $useful and let $positive through"
# At 10 bits per key linebloom lets at most 0.53 % through and RocksDB's own
# Bloom filter 0.96 %, so this also tells which of the two was asked.
((useful * 1000 >= lookups * 994)) || fail "the filter answered fewer than 99.4 % of the missing rows"

echo "ldb with linebloom: opens the database by its own OPTIONS, writes, compacts"
LD_PRELOAD=$library ldb --db="$db" put one_more_key value
LD_PRELOAD=$library ldb --db="$db" compact
LD_PRELOAD=$library ldb --db="$db" dump_live_files > "$work/live_files"
check_policy_names "ldb dump_live_files" "$work/live_files"

echo "sst_dump with linebloom"
LD_PRELOAD=$library sst_dump --file="$db" --show_properties --command=none > "$work/properties"
check_policy_names "sst_dump --show_properties" "$work/properties"

echo "db_bench without linebloom: right answers, no filter"
bench "$work/without" readmissing --use_existing_db
check_nothing_found "$work/without"
useful=$(ticker "$work/without" bloom.filter.useful)
((useful == 0)) || fail "a filter answered $useful lookups although linebloom was not loaded"
