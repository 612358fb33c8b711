#!/usr/bin/env bash
# Runs the distribution's own db_bench, sst_dump and ldb with linebloom
# preloaded and named in an options file, and checks in their output that its
# filter works.
#
#   preload_test.sh LIBRARY
#
# Works in a new folder inside the current one and removes it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$(realpath --canonicalize-existing "$1")

. "$here/rocksdb_programs.sh"
options=--options_file=$here/options.ini

work=$(mktemp --directory "$PWD/preload_test.XXXXXX")
trap 'rm -r "$work"' EXIT
db=$work/db

echo "db_bench with linebloom"
LD_PRELOAD=$library bench "$work/with" fillrandom,compact,readmissing "$options"
check_linebloom_rejected "$work/with"

echo "ldb with linebloom: opens the database by its own OPTIONS, writes, compacts"
LD_PRELOAD=$library ldb --db="$db" put one_more_key value
LD_PRELOAD=$library ldb --db="$db" compact
LD_PRELOAD=$library ldb --db="$db" dump_live_files > "$work/live_files"
check_policy_names "ldb dump_live_files" "$work/live_files"

echo "sst_dump with linebloom"
LD_PRELOAD=$library sst_dump --file="$db" --show_properties --command=none > "$work/properties"
check_policy_names "sst_dump --show_properties" "$work/properties"

echo "db_bench without linebloom: correct answers, no filter"
bench "$work/without" readmissing "$options" --use_existing_db
check_nothing_found "$work/without"
useful=$(ticker "$work/without" bloom.filter.useful)
((useful == 0)) || fail "a filter rejected $useful lookups although linebloom was not loaded"
