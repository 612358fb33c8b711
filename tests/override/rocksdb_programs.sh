# For tests that run the distribution's db_bench, sst_dump and ldb: runs them
# and reads their output. Sourced; `db` is the database's folder.

rows=50000
lookups=20000

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# bench OUTPUT BENCHMARKS [FLAG]...: runs db_bench. Its progress on stderr goes
# to OUTPUT.stderr and is shown only if it fails.
bench() {
  local output=$1 benchmarks=$2
  shift 2
  db_bench --db="$db" --benchmarks="$benchmarks" \
    --num=$rows --reads=$lookups --seed=1 --statistics "$@" > "$output" 2> "$output.stderr" ||
    fail "db_bench --benchmarks=$benchmarks failed: $(tail --lines=5 "$output" "$output.stderr")"
}

# ticker OUTPUT NAME: a ticker from db_bench's statistics.
ticker() {
  awk -v name="rocksdb.$2" '$1 == name && $2 == "COUNT" { print $4; found = 1 }
    END { exit !found }' "$1" || fail "no ticker rocksdb.$2 in the output of db_bench"
}

# Checks that every lookup found nothing, and was counted.
check_nothing_found() {
  grep --quiet "(0 of $lookups found)" "$1" ||
    fail "readmissing: $(grep readmissing "$1" || echo 'no result')"
}

# check_linebloom_rejected OUTPUT: checks that linebloom's filter was probed. At 10
# bits per key it lets at most 0.53 % through, RocksDB's own Bloom filter 0.96 %.
check_linebloom_rejected() {
  local useful positive
  check_nothing_found "$1"
  useful=$(ticker "$1" bloom.filter.useful)
  positive=$(ticker "$1" bloom.filter.full.positive)
  echo "  the filter rejected $useful of $lookups missing rows and let $positive through"
  ((useful * 1000 >= lookups * 994)) || fail "the filter rejected fewer than 99.4 % of the missing rows"
}

# check_policy_names WHO OUTPUT [NAME]: checks that all SSTables in the output, at
# least one, were written by linebloom or by the policy NAME.
check_policy_names() {
  local names
  names=$(grep --text --only-matching --perl-regexp 'filter policy name[:=] *\K.*' "$2" | sort --unique)
  [[ $names == "${3:-linebloom}" ]] || fail "$1 names as filter policies: '$names'"
}

# check_files WHO [NAME]: checks the same of the database's files, as sst_dump lists
# them.
check_files() {
  sst_dump --file="$db" --show_properties --command=none > "$db.properties"
  check_policy_names "$1" "$db.properties" "${2:-}"
}
