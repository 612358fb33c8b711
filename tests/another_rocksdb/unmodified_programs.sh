#!/usr/bin/env bash
# Runs the distribution's ldb and db_bench with linebloom's libraries preloaded,
# in a RocksDB that claims to be of another version: they must say so once and
# change nothing.
#
#   unmodified_programs.sh LIBRARY OVERRIDE_LIBRARY FAKE_VERSION_LIBRARY
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$1 override=$2 fake_version=$3
. "$here/../override/rocksdb_programs.sh"
unset LINEBLOOM_OVERRIDE LINEBLOOM_VERBOSE
rows=20000
lookups=10000

work=$(mktemp --directory)
trap 'rm -r "$work"' EXIT

# with LIBRARY COMMAND...: runs the command with the library in another RocksDB.
with() {
  LD_PRELOAD="$fake_version $1" "${@:2}"
}

# check_message FILE: stderr, in FILE, contains the message exactly once.
check_message() {
  local count
  count=$(grep --count --extended-regexp \
    '^linebloom: built for RocksDB [0-9.]+x but running in RocksDB [0-9.]+; the filter policy stays unregistered' \
    "$1" || true)
  ((count == 1)) || fail "the message is in stderr $count times: $(cat "$1")"
}

# expect POLICY LIBRARY FLAG...: db_bench's files have filters of this policy, and its
# answers are right.
expect() {
  db=$(mktemp --directory "$work/db.XXXXXX")
  with "$2" bench "$work/out" fillrandom,compact,readmissing "${@:3}"
  check_message "$work/out.stderr"
  check_nothing_found "$work/out"
  check_files sst_dump "$1"
}

for loaded in "$library" "$override"; do
  echo "${loaded##*/} with ldb: writes and reads"
  db=$work/ldb_${loaded##*/}
  with "$loaded" ldb --db="$db" --create_if_missing put row value > "$work/out" 2> "$work/ldb.stderr"
  check_message "$work/ldb.stderr"
  [[ $(with "$loaded" ldb --db="$db" get row 2> "$work/ldb.stderr") == value ]] ||
    fail "ldb reads something other than it wrote"
done

# Against the library's advice, the program treats 'unknown' as 'no filter', as
# RocksDB does by default with unknown option strings.
echo "db_bench with linebloom in its options file: no filter, correct answers"
expect N/A "$library" --options_file="$here/../override/options.ini"

echo "the override with db_bench --bloom_bits=10: RocksDB's own filter"
expect bloomfilter "$override" --bloom_bits=10
