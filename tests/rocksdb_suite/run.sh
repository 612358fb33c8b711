#!/usr/bin/env bash
# Runs RocksDB's own tests with linebloom in place of the built-in filters.
#
#   tests/rocksdb_suite/run.sh [--source=FOLDER] [--kills=N] [--jobs=N]
#
# Takes the source of the RocksDB that Debian packages here (apt-get source), or
# the one in FOLDER, and builds six of its test programs without changing a line.
# Then it
#   - runs each test of five of them twice, without and with linebloom, and
#     compares the differences with expected_differences.txt;
#   - lets RocksDB's db_crashtest.py kill the sixth, db_stress, N times (default
#     60) while it writes, reads and verifies with linebloom's filters.
#
# Takes an hour on two processors, mostly for building; the build stays in
# build/rocksdb-VERSION-build and is reused. Installs the packages it needs, as
# root or with sudo. Exits with 0 if all is as expected, 1 if something failed or
# the differences are not the expected ones, or 2 after bad usage or without
# source.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/run_step.sh"
parse_options source= kills=60 jobs="$(nproc)" -- "$@"
((${#operands[@]} == 0)) || stop "unknown argument '${operands[0]}'"
cd "$root"
source tests/compat/debian_root.sh # debian_mirror
suite=tests/rocksdb_suite

# fetch_source VERSION: unpacks Debian's package rocksdb of that version beneath
# build/, with its patches, from the mirror that this machine's own packages come
# from. The machine's apt sources, which may lack deb-src lines, stay as they are.
fetch_source() {
  local apt=$root/build/rocksdb-apt mirror
  mirror=$(debian_mirror) || return 1
  mkdir -p "$apt/lists/partial"
  echo "deb-src $mirror $(. /etc/os-release && echo "$VERSION_CODENAME") main" > "$apt/sources.list"
  local apt_get=(apt-get --option Dir::Etc::SourceList="$apt/sources.list"
    --option Dir::Etc::SourceParts=/dev/null --option Dir::State::Lists="$apt/lists"
    --option Dir::Cache::pkgcache= --option Dir::Cache::srcpkgcache=)
  "${apt_get[@]}" update && cd build && "${apt_get[@]}" source "rocksdb=$1"
}

# Configures it as Debian does, except for sync points and assertions, which the
# tests need, and without the parts that are not built here.
configure_rocksdb() {
  cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
    -DWITH_BZ2=ON -DWITH_LZ4=ON -DWITH_ZLIB=ON -DWITH_ZSTD=ON -DWITH_SNAPPY=ON -DPORTABLE=ON \
    -DWITH_BENCHMARK_TOOLS=OFF -DWITH_TRACE_TOOLS=OFF -DFAIL_ON_WARNINGS=OFF
}

# Builds linebloom with that RocksDB's headers, and the shim that replaces filters
# only tests can request.
build_linebloom() {
  cmake -S . -B "$build/linebloom" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
    -DRocksDB_DIR="$root/$suite" -DROCKSDB_SUITE_SOURCE="$source" -DROCKSDB_SUITE_BUILD="$build" &&
    cmake --build "$build/linebloom" --parallel "$jobs" --target linebloom_override linebloom_program &&
    g++ -std=c++17 -O1 -Wall -Wextra -Werror -fPIC -shared -isystem "$source" -isystem "$source/include" \
      -o "$build/linebloom/libevery_filter_is_bloom.so" $suite/every_filter_is_bloom.cc
}

run_step "install packages" tools/install_dependencies.sh --rocksdb-suite
if [[ ! $source ]]; then
  version=$(dpkg-query --show --showformat='${source:Version}' librocksdb-dev) ||
    stop "no package librocksdb-dev here, so give the source as --source=FOLDER"
  source=build/rocksdb-${version%-*}
  [[ -d $source ]] || (run_step "fetch source of rocksdb $version" fetch_source "$version") || exit 2
fi
[[ -f $source/include/rocksdb/version.h ]] || stop "no source of RocksDB in '$source'"
source=$(realpath "$source")
build=$root/build/$(basename "$source")-build

tests=(db_bloom_filter_test full_filter_block_test partitioned_filter_block_test bloom_test prefix_test)
run_step "configure rocksdb" configure_rocksdb
run_step "build rocksdb" cmake --build "$build" --parallel "$jobs" --target "${tests[@]}" db_stress
run_step "build linebloom for it" build_linebloom

preload="$build/linebloom/libevery_filter_is_bloom.so $build/linebloom/liblinebloom_override.so"
run_step "run its tests" \
  python3 $suite/run_tests.py --build="$build" --preload="$preload" --jobs="$jobs" "${tests[@]}"
cat build/log/run_its_tests.log
((kills > 0)) || exit 0
run_step "kill db_stress" \
  python3 $suite/crash.py --source="$source" --db_stress="$build/db_stress_tool/db_stress" \
  --work="$build/crash" --preload="$preload" --linebloom="$build/linebloom/tools/linebloom" \
  --kills="$kills"
cat build/log/kill_db_stress.log
