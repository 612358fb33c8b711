#!/usr/bin/env bash
# Builds a RocksDB from its source with linebloom as its plugin, has RocksDB's own
# programs use it by option strings, and compares what they write and read with
# what this machine's RocksDB does with the same files.
#
#   tests/plugin/run.sh SOURCE [--build=make|cmake] [--quick] [-- FLAG...]
#
# SOURCE is a source tree of RocksDB, such as `apt-get source rocksdb` unpacks; it
# is copied to build/plugin/, not changed. FLAGs go to make, or to cmake when it
# configures: -DCMAKE_BUILD_TYPE=Debug, -DCMAKE_UNITY_BUILD=ON, DEBUG_LEVEL=0.
# --quick compiles linebloom's sources alone, with the flags of that RocksDB, and
# runs nothing. All of it takes most of an hour on two cores, and less with a
# unity build. A build that was broken off is gone on with; remove build/plugin/
# to begin afresh.
#
# Needs what that RocksDB is built with, gflags among it, and build/release. Exit
# code 0: all is well; 1: something failed; 2: bad usage, or something is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage="usage: tests/plugin/run.sh SOURCE [--build=make|cmake] [--quick] [-- FLAG...]"

stop() {
  echo "run.sh: $1" >&2
  exit 2
}

source='' build=cmake quick=false flags=()
while (($# > 0)); do
  case $1 in
    --help)
      sed -n '2,/^set/{/^#/s/^# \?//p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    --build=make | --build=cmake) build=${1#--build=} ;;
    --quick) quick=true ;;
    --)
      flags=("${@:2}")
      break
      ;;
    -*) stop "unknown argument '$1'; $usage" ;;
    *)
      [[ ! $source ]] || stop "two sources, '$source' and '$1'; $usage"
      source=$1
      ;;
  esac
  shift
done
[[ $source ]] || stop "which source tree of RocksDB? $usage"
[[ -f $source/include/rocksdb/version.h && -f $source/src.mk ]] ||
  stop "'$source' is no source tree of RocksDB: it has no include/rocksdb/version.h or no src.mk"
source=$(realpath "$source")

cd "$root"
source tools/run_step.sh
source tests/compat/compare.sh
source tests/preload/rocksdb_programs.sh
version=$(rocksdb_version "$source/include")
name="plugin $version $build"
work=$root/build/plugin/$version-$build
tree=$work/tree
jobs=$(nproc)

# make puts objects beside the sources, ours too: so both are copies.
copy_trees() {
  mkdir -p "$tree"
  tar -C "$source" --exclude=./.git --exclude=./plugin/linebloom -cf - . |
    tar -C "$tree" --skip-old-files -xf -
  mkdir -p "$tree/plugin/linebloom"
  tar -cf - linebloom.mk CMakeLists.txt filter_policy | tar -C "$tree/plugin/linebloom" -xf -
}

configure() {
  cmake -S "$tree" -B "$work/build" -G Ninja -DROCKSDB_PLUGINS=linebloom -DROCKSDB_BUILD_SHARED=OFF \
    -DWITH_LIBURING=OFF -DWITH_SNAPPY=ON -DWITH_LZ4=ON -DWITH_ZLIB=ON -DWITH_ZSTD=ON -DWITH_BZ2=ON \
    "${flags[@]}"
}

our_objects() {
  if [[ $build == make ]]; then
    sed -n 's|^  \(filter_policy/.*\)\.cc.*|plugin/linebloom/\1.o|p' linebloom.mk
  else
    ninja -C "$work/build" -t targets all | sed -n 's|\(.*plugin/linebloom/.*\.o\): CXX.*|\1|p'
  fi
}

# compile TARGET...
compile() {
  if [[ $build == make ]]; then
    make -C "$tree" --jobs="$jobs" ROCKSDB_PLUGINS=linebloom LIB_MODE=static SKIP_DEPENDS=1 \
      "${flags[@]}" "$@"
  else
    ninja -C "$work/build" -j "$jobs" "$@"
  fi
}

# What tests/compat compares with, linked with that RocksDB. Libraries that it
# was not built with are left out by the linker.
link_comparison() {
  local archive libraries=() library
  archive=$(find "$tree" "$work/build" -maxdepth 1 -name 'librocksdb*.a' 2> /dev/null | head --lines=1)
  for library in snappy gflags lz4 zstd z bz2 uring numa tbb jemalloc; do
    ! echo 'int main() {}' | "${CXX:-c++}" -x c++ - "-l$library" -o /dev/null 2> /dev/null ||
      libraries+=("-l$library")
  done
  "${CXX:-c++}" -std=c++20 -O1 -fno-rtti -I"$tree/include" -Ifilter_policy/include \
    tests/compat/compat_database.cc "$archive" -Wl,--as-needed "${libraries[@]}" -pthread -ldl \
    -o "$work/compat_database"
}

build_here() {
  cmake --preset release &&
    cmake --build --preset release --parallel "$jobs" --target compat_database filter_dump
}

# filter_dump reads files without RocksDB.
there() {
  case $1 in
    tests/compat/compat_database) "$work/compat_database" "${@:2}" ;;
    *) here "$@" ;;
  esac
}

use_programs() {
  local program db=$work/db output=$work/output PATH=$tree:$tree/tools:$PATH
  [[ $build == make ]] || PATH=$work/build:$work/build/tools:$PATH
  rm -rf "$db" "$output"*
  for program in db_bench ldb sst_dump; do
    ! ldd "$(command -v $program)" | grep --extended-regexp 'librocksdb|liblinebloom' ||
      fail "$program is not linked statically"
  done
  bench "$output" fillrandom,compact,readmissing "--options_file=$root/tests/preload/options.ini"
  check_linebloom_answered "$output"
  grep --after-context=1 'Registered Plugins' "$db/LOG" | tee "$output.plugins"
  grep --quiet linebloom "$output.plugins" || fail "LOG names no plugin linebloom"
  ldb --db="$db" put one_more_key value
  ldb --db="$db" compact
  ldb --db="$db" dump_live_files > "$output.ldb"
  check_policy_names "ldb dump_live_files" "$output.ldb"
  sst_dump --file="$db" --show_properties --command=none > "$output.sst_dump"
  check_policy_names "sst_dump --show_properties" "$output.sst_dump"
  rm -r "$db"
}

run_step "$name copy the trees" copy_trees
[[ $build == make ]] || run_step "$name configure" configure
mapfile -t objects < <(our_objects)
run_step "$name compile linebloom" compile "${objects[@]}"
! $quick || exit 0
targets=(db_bench ldb sst_dump)
[[ $build == make ]] || targets=(db_bench tools/ldb tools/sst_dump)
run_step "$name build RocksDB's programs" compile "${targets[@]}"
run_step "$name use them" use_programs
run_step "$name link the comparison" link_comparison
run_step "$name build here what is compared" build_here
run_step "$name compare" compare "$work/databases"
cat "build/log/${name// /_}_use_them.log" "build/log/${name// /_}_compare.log"
