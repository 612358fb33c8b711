#!/usr/bin/env bash
# Says whether linebloom knows the interfaces of a RocksDB, from its source alone.
# Compiles no RocksDB and links nothing.
#
#   check_interfaces.sh SOURCE [COMPILER [FLAG]...]
#
# What SOURCE lacks is taken from where the compiler looks anyway. Exit code 0:
# linebloom knows them; 1: not, or not without RocksDB's private header.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source=$(realpath "$1")
compiler=("${@:2}")
((${#compiler[@]})) || compiler=("${CXX:-c++}")
work=$(mktemp --directory)
trap 'rm -r "$work"' EXIT

# compile FOLDER FLAG_OR_FILE...: FOLDER is searched for headers before the source.
compile() {
  "${compiler[@]}" -std=c++20 -DLINEBLOOM_ROCKSDB_PLUGIN -I"$root" -I"$root/filter_policy/include" \
    -I"$1" -I"$source" -I"$source/include" "${@:2}"
}

# stop WHAT: with the first error, which for an unknown interface is a sentence.
stop() {
  { grep --max-count=1 'error:' "$work/output" || true; } | sed 's/.*error: \(static assertion failed: \|static_assert failed \)\?//'
  echo "RocksDB $version: linebloom doesn't know $1"
  exit 1
}

# vtable FOLDER FILE CLASS: the functions in the order in which RocksDB calls them.
vtable() {
  compile "$1" -S -o - "$root/filter_policy/policy/$2" | sed -n "/^_ZTV.*$3E:/,/^\t\.size/p" | grep --only-matching '_Z[^T].*'
}

version=$(compile "$source" -E -dM -x c++ - <<< '#include "rocksdb/version.h"' |
  awk '$2 == "ROCKSDB_MAJOR" { major = $3 } $2 == "ROCKSDB_MINOR" { minor = $3 } END { print major "." minor }')

sed -n 's/^  \(filter_policy\/policy\/.*\.cc\).*/#include "\1"/p' "$root/linebloom.mk" > "$work/all.cc"
compile "$source" -fsyntax-only "$work/all.cc" 2> "$work/output" || stop "its filter interfaces"
echo "RocksDB $version: linebloom compiles as its plugin"

if [[ -f $source/db/c.cc ]]; then
  cat > "$work/c.cc" << 'END'
#include "db/c.cc"
struct Known : rocksdb::FilterPolicy { void* state; void (*destructor)(void*); const char* (*name)(void*); };
static_assert(std::is_convertible_v<rocksdb_filterpolicy_t*, rocksdb::FilterPolicy*> &&
              sizeof(rocksdb_filterpolicy_t) == sizeof(Known),
              "rocksdb_filterpolicy_t in db/c.cc is not as filter_policy/policy/rocksdb_filter_bits.h says");
static_assert(std::is_same_v<decltype(rocksdb_options_t::rep), rocksdb::Options> &&
              sizeof(rocksdb_options_t) == sizeof(rocksdb::Options),
              "rocksdb_options_t in db/c.cc is not as filter_policy/policy/c_api.cc says");
END
  compile "$source" -fsyntax-only "$work/c.cc" 2> "$work/output" || stop "the types of its C API"
  echo "RocksDB $version: linebloom's policies and options fit its C API"
fi

mkdir -p "$work/declared/table/block_based"
ln -s "$root/filter_policy/policy/declared_filter_bits.h" "$work/declared/table/block_based/filter_policy_internal.h"
for class in FilterBitsBuilder FilterBitsReader; do
  file=filter_bits_${class#FilterBits}.cc
  vtable "$source" "${file,,}" "$class" > "$work/there"
  vtable "$work/declared" "${file,,}" "$class" > "$work/here"
  diff "$work/here" "$work/there" > "$work/output" || {
    cat "$work/output"
    stop "its $class without the private header: declare these functions in filter_policy/policy/declared_filter_bits.h"
  }
done
echo "RocksDB $version: its private interfaces are as linebloom declares them"
