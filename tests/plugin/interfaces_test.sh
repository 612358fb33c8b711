#!/usr/bin/env bash
# Runs check_interfaces.sh on RocksDBs made for the test: version 12.3 with the
# headers of the installed one, and with our declaration of the private header,
# changed.
#
#   interfaces_test.sh ROOT COMPILER
set -euo pipefail
root=$1 compiler=$2
work=$(mktemp --directory)
trap 'rm -r "$work"' EXIT
private=$work/table/block_based/filter_policy_internal.h
public=$work/rocksdb/filter_policy.h
mkdir -p "$work"/{rocksdb,table/block_based}
installed=$("$compiler" -E -x c++ - <<< '#include "rocksdb/filter_policy.h"' |
  sed -n 's|^# 1 "\(.*/rocksdb/filter_policy.h\)".*|\1|p')

sed 's/\(ROCKSDB_MAJOR\) [0-9]*$/\1 12/; s/\(ROCKSDB_MINOR\) [0-9]*$/\1 3/' "${installed%/*}/version.h" \
  > "$work/rocksdb/version.h"

# linebloom reads this ticker since 8.3.
sed '/BLOOM_FILTER_PREFIX_TRUE_POSITIVE/d; s/^enum Tickers.*/&\n  BLOOM_FILTER_PREFIX_TRUE_POSITIVE,/' \
  "${installed%/*}/statistics.h" > "$work/rocksdb/statistics.h"

# expect CODE TEXT SED_OF_PRIVATE [SED_OF_PUBLIC]
expect() {
  local code=0
  sed "$3" "$root/filter_policy/policy/declared_filter_bits.h" > "$private"
  sed "${4:-}" "$installed" > "$public"
  [[ ! $3 ]] || ! cmp --quiet "$private" "$root/filter_policy/policy/declared_filter_bits.h"
  [[ ! ${4:-} ]] || ! cmp --quiet "$public" "$installed"
  "$root/tests/plugin/check_interfaces.sh" "$work" "$compiler" > "$work/output" 2>&1 || code=$?
  if ((code != $1)) || ! grep --quiet --fixed-strings "$2" "$work/output"; then
    cat "$work/output"
    echo "interfaces_test.sh: '$3' '${4:-}': exit code $code instead of $1, or no '$2'" >&2
    exit 1
  fi
  echo "$3 ${4:-}: $(head -n 1 "$work/output")"
}

# As RocksDB changed these after 11.9.
sed 's/^\(enum class TableFileCreationReason\) {/\1 : uint8_t {/; s/^  kMisc,/&\n  kSstFileWriter,/' \
  "${installed%/*}/types.h" > "$work/rocksdb/types.h"
grep --quiet 'Reason : uint8_t' "$work/rocksdb/types.h"

plugin="RocksDB 12.3: linebloom compiles as its plugin"
expect 0 "$plugin" ''
expect 0 "$plugin" '' 's/bool is_bottommost = false;/& bool is_remote_compaction = false; const char* db_name = nullptr;/'
# These add a function that isn't pure, drop one that 9.5 lacks too, and change the
# order. All is well with the private header; without it calls would land elsewhere.
expect 1 "$plugin" '/void AddKey(/a virtual void Prepare(size_t) {}'
expect 1 "$plugin" '/CalculateSpace/d'
expect 1 "$plugin" '/EstimateEntriesAdded/{h;d};/ApproximateNumEntries/G'
pure="has a pure virtual function that linebloom's lacks"
expect 1 "$pure" '/void AddKey(/a virtual void Prepare(size_t) = 0;'
expect 1 "$pure" 's/AddKeyAndAlt/AddKeyAndAlternative/'
expect 1 "$pure" 's/size_t CalculateSpace(size_t/size_t CalculateSpace(int/'
expect 1 "$pure" '/bool MayMatch/a virtual bool MayMatchHash(uint64_t) = 0;'
expect 1 "$pure" '' '/CompatibilityName() const/a virtual int Version() const = 0;'
expect 1 "doesn't know FilterBitsBuilder of this RocksDB, which lacks a function" '/void AddKey(/d'
expect 1 "doesn't know FilterBitsBuilder of this RocksDB, which lacks a function" \
  's/EstimateEntriesAdded/EstimatedEntries/'
expect 1 "doesn't know FilterBitsReader of this RocksDB, which lacks a function" \
  's/void MayMatch(int/void MayMatch(size_t/'
expect 1 "doesn't know FilterPolicy or FilterBuildingContext" '' 's/level_at_creation/level/'
