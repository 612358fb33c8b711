#!/usr/bin/env bash
# Runs the distribution's own db_bench with liblinebloom_override.so
# preloaded and no other change, and checks their output and files for the filters
# they used.
#
#   override_test.sh LIBRARY FAKE_VERSION_LIBRARY
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$1 fake_version=$2
. "$here/rocksdb_programs.sh"
unset LINEBLOOM_OVERRIDE LINEBLOOM_VERBOSE

work=$(mktemp --directory)
trap 'rm -r "$work"' EXIT
db=$work/db

# with COMMAND...: runs the command with the library.
with() {
  LD_PRELOAD=$library "$@"
}

# check_options TEXT: the newest OPTIONS file contains the text.
check_options() {
  local newest
  newest=$(ls "$db"/OPTIONS-* | sort | tail --lines=1)
  grep --quiet --fixed-strings "$1" "$newest" ||
    fail "no '$1' in OPTIONS: $(grep filter_policy= "$newest")"
}

write_and_miss=fillrandom,compact,readmissing

echo "db_bench --bloom_bits=10"
with bench "$work/bloom" $write_and_miss --bloom_bits=10
check_linebloom_rejected "$work/bloom"
check_files "db_bench --bloom_bits=10"
check_options "filter_policy={id=linebloom:10;"
! grep linebloom "$work/bloom.stderr" || fail "it printed something without LINEBLOOM_VERBOSE"

echo "db_bench with the filters that linebloom wrote, without the library: correct answers"
bench "$work/without" readmissing --use_existing_db --bloom_bits=10
check_nothing_found "$work/without"

echo "db_bench --bloom_bits=10, LINEBLOOM_OVERRIDE with bits of its own"
LINEBLOOM_VERBOSE=1 LINEBLOOM_OVERRIDE=linebloom:plain:16 \
  with bench "$work/bits" fillrandom,compact --bloom_bits=10
check_files "with bits of its own" linebloom:plain
check_options "filter_policy={id=linebloom:plain:16;"
said="linebloom_override: the program asks for a Bloom filter of 10 bits per key and gets linebloom:plain:16"
grep --quiet --fixed-strings "$said" "$work/bits.stderr" || fail "LINEBLOOM_VERBOSE says nothing"

# expect_unchanged MESSAGE: db_bench runs as without the library, and says why once.
expect_unchanged() {
  with bench "$work/wrong" $write_and_miss --bloom_bits=10
  check_nothing_found "$work/wrong"
  check_files "the unchanged db_bench" bloomfilter
  (($(grep --count --fixed-strings "$1" "$work/wrong.stderr") == 1)) ||
    fail "not said once, '$1': $(grep linebloom "$work/wrong.stderr")"
}

echo "db_bench --bloom_bits=10, a wrong LINEBLOOM_OVERRIDE"
LINEBLOOM_OVERRIDE=linebloom:99 expect_unchanged "LINEBLOOM_OVERRIDE=linebloom:99: Invalid argument: \
linebloom: bits_per_key=99: must be auto, or a number from 0 to 30 (below 0.5: no filter); nothing is changed"

echo "db_bench --bloom_bits=10 in a RocksDB that claims to be of another version"
library="$fake_version $library" expect_unchanged "; the filter policy stays unregistered"

echo "a program without RocksDB hears nothing"
LINEBLOOM_VERBOSE=1 LINEBLOOM_OVERRIDE=nonsense with ls "$db" > "$work/ls" 2> "$work/ls.stderr"
ls "$db" | cmp - "$work/ls"
[[ ! -s $work/ls.stderr ]] || fail "ls says: $(cat "$work/ls.stderr")"
