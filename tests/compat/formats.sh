#!/usr/bin/env bash
# Shows which RocksDB uses whose filters, with the db_bench of rocksdb-tools, alone
# and with linebloom preloaded.
#
#   formats.sh LIBRARY FOLDER
#
# Writes a database of each kind of filters into FOLDER, then looks up rows and missing
# rows in all that are there, also of another RocksDB that this ran with before, and in
# copies that RocksDB alone has written on. Prints a row of Markdown for each: of 100
# probes of missing rows, how many the filters rejected. Exits with 1 if a row is
# missing, or if a filter that the reader knows isn't used.
set -euo pipefail
library=$1 folder=$2
source "$(dirname "${BASH_SOURCE[0]}")/../override/rocksdb_programs.sh"
version=$(db_bench --version | grep --only-matching '[0-9.]*$')
work=$(mktemp --directory)
trap 'rm -r "$work"' EXIT

# as POLICY COMMAND...: with an options file, and linebloom if that is the policy.
as() {
  local policy=$1
  shift
  printf '%s\n' '[Version]' '  rocksdb_version=7.8.3' '  options_file_version=1.1' '[DBOptions]' \
    '  create_if_missing=true' '  listeners=linebloom_level_sizes' '[CFOptions "default"]' \
    '  write_buffer_size=1048576' '[TableOptions/BlockBasedTable "default"]' \
    "  filter_policy=$policy" '  format_version=5' > "$work/options"
  [[ $policy != *linebloom* ]] || local -x LD_PRELOAD=$library
  "$@" --options_file="$work/options"
}

# rejected POLICY DATABASE: of 100 probes; fails if a row is missing.
rejected() {
  local useful positive
  rm -rf "$work/db"
  cp -r "$2" "$work/db"
  db=$work/db
  as "$1" bench "$work/hits" readrandom --use_existing_db --readonly
  grep --quiet "($lookups of $lookups found)" "$work/hits" || fail "$2: rows are missing with $1"
  as "$1" bench "$work/misses" readmissing --use_existing_db --readonly
  check_nothing_found "$work/misses"
  useful=$(ticker "$work/misses" bloom.filter.useful)
  positive=$(ticker "$work/misses" bloom.filter.full.positive)
  # Without a filter nothing is counted.
  awk "BEGIN { printf \"%.2f\", $useful == 0 ? 0 : 100 * $useful / ($useful + $positive) }"
}

mkdir -p "$folder"
for policy in bloomfilter:10 linebloom:plain linebloom:10; do
  db="$folder/$version $policy"
  rm -rf "$db"
  as "$policy" bench "$work/filled" fillseq,overwrite
done
echo "| written by | RocksDB $version alone | with linebloom | written on alone, with linebloom |"
echo "| --- | ---: | ---: | ---: |"
for written in "$folder"/*; do
  alone=$(rejected bloomfilter:10 "$written")
  with=$(rejected linebloom:plain "$written")
  cp -r "$written" "$work/on"
  db=$work/on
  as bloomfilter:10 bench "$work/filled" overwrite --use_existing_db
  on=$(rejected linebloom:plain "$work/on")
  rm -r "$work/on"
  echo "| ${written##*/} | $alone | $with | $on |"
  [[ $written == *" linebloom:10" ]] && least=0 || least=98
  awk "BEGIN { exit !($alone >= $least && $with >= 98) }" || fail "$written: filters aren't used"
done
