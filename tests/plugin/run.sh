#!/usr/bin/env bash
# Builds a RocksDB from its source with linebloom as its plugin, has RocksDB's own
# programs use it by option strings, reads what a release of linebloom wrote, and
# runs tests/rocksdb with it.
#
#   tests/plugin/run.sh SOURCE [--build=make|cmake] [--shared] [--bench] [--kills=N] [-- FLAG...]
#   tests/plugin/run.sh SOURCE --interfaces
#
# SOURCE is a source tree of RocksDB, such as `apt-get source rocksdb` unpacks; it
# is copied to build/plugin/, and only the copy is changed. FLAGs go to make, or
# to cmake when it configures: -DCMAKE_BUILD_TYPE=Debug, -DCMAKE_UNITY_BUILD=ON,
# DEBUG_LEVEL=0. All of it takes most of an hour on two cores, and a quarter with
# a unity build. An interrupted build is continued; remove build/plugin/ to start
# over.
#
#   --interfaces  builds nothing: says within a minute whether linebloom knows the
#              interfaces of that RocksDB, and needs a compiler alone
#   --shared   links the programs with librocksdb.so, linebloom in it; otherwise
#              with the archive
#   --bench    also links filter_bench with that RocksDB, for
#              IN_TREE=build/plugin/VERSION-BUILD/filter_bench bench/filter_bench.py
#   --kills=N  also has RocksDB's db_crashtest.py kill db_stress N times
#              (tests/plugin/crash.py). A few lines are added to db_stress,
#              so that it takes its filter policy as an option string. With a
#              unity build it needs -DCMAKE_EXE_LINKER_FLAGS=-Wl,-z,muldefs
#
# Needs what `tools/install_dependencies.sh --rocksdb` installs. Exit code 0:
# all is well; 1: something failed; 2: bad usage, or something is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/run_step.sh"
parse_options build=cmake interfaces=false shared=false bench=false kills=0 -- "$@"
((${#operands[@]} == 1)) || stop "one source tree of RocksDB is needed, not ${#operands[@]}"
source=${operands[0]} flags=("${rest[@]}")
[[ $build == make || $build == cmake ]] || stop "--build is make or cmake, not '$build'"
[[ -f $source/include/rocksdb/version.h && -f $source/src.mk ]] ||
  stop "'$source' is not a source tree of RocksDB: it has no include/rocksdb/version.h or no src.mk"
source=$(realpath "$source")
! $interfaces || exec "$root/tests/plugin/check_interfaces.sh" "$source"

cd "$root"
source tests/override/rocksdb_programs.sh
version=$(awk '$2 ~ /^ROCKSDB_(MAJOR|MINOR|PATCH)$/ { printf "%s%s", dot, $3; dot = "." }' \
  "$source/include/rocksdb/version.h")
name="plugin $version $build"
work=$root/build/plugin/$version-$build
! $shared || name="$name shared" work=$work-shared
tree=$work/tree
jobs=$(nproc)
compression=(-DWITH_SNAPPY=ON -DWITH_LZ4=ON -DWITH_ZLIB=ON -DWITH_ZSTD=ON -DWITH_BZ2=ON)
debug=false # RocksDB's build: with assertions, and with RTTI
case "$build ${flags[*]}" in
  make*DEBUG_LEVEL=0*) ;;
  make* | cmake*=Debug*) debug=true ;;
esac

# make puts objects next to the sources, ours too, so both trees are copied. With
# SKIP_DEPENDS it doesn't see that a header has changed, so all our objects go when
# any file of ours has changed.
copy_trees() {
  local ours=$tree/plugin/linebloom
  mkdir -p "$tree"
  tar -C "$source" --exclude=./.git --exclude=./plugin/linebloom -cf - . |
    tar -C "$tree" --skip-old-files -xf -
  diff --recursive --brief --exclude='*.o' filter_policy "$ours/filter_policy" || rm -rf "$ours"
  mkdir -p "$ours"
  tar -cf - linebloom.mk CMakeLists.txt filter_policy | tar -C "$ours" -xf -
}

# db_stress knows its filter policy as numbers; the copy of its source also takes
# an option string, and has auto's listener.
change_db_stress() {
  local file=$tree/db_stress_tool/db_stress_test_base.cc
  local function='std::shared_ptr<const FilterPolicy> CreateFilterPolicy() {'
  grep --quiet DB_STRESS_FILTER_POLICY "$file" ||
    sed --in-place --expression="/^$function$/r tests/plugin/db_stress_policy.inc" \
      --expression='/^ *RegisterAdditionalListeners();$/r tests/plugin/db_stress_listener.inc' "$file"
  (($(grep --count DB_STRESS_FILTER_POLICY "$file") == 2)) || {
    echo "$file has no line '$function', or not one that calls RegisterAdditionalListeners()"
    return 1
  }
}

configure() {
  cmake -S "$tree" -B "$work/build" -G Ninja -DROCKSDB_PLUGINS=linebloom -DROCKSDB_BUILD_SHARED=$shared \
    -DWITH_LIBURING=OFF "${compression[@]}" "${flags[@]}"
}

# compile TARGET...
compile() {
  if [[ $build == make ]]; then
    local mode=static
    ! $shared || mode=shared
    make -C "$tree" --jobs="$jobs" ROCKSDB_PLUGINS=linebloom LIB_MODE=$mode SKIP_DEPENDS=1 \
      "${flags[@]}" "$@"
  else
    ninja -C "$work/build" -j "$jobs" "$@"
  fi
}

# Finds what our programs link with to use that RocksDB. The linker leaves out
# libraries that it was not built with.
find_rocksdb() {
  local extension=a library
  ! $shared || extension=so
  # make has librocksdb_tools too, and names a debug build librocksdb_debug.
  rocksdb=$(find "$tree" "$work/build" -maxdepth 1 -regex ".*/librocksdb\(_debug\)?\.$extension" \
    -print -quit 2> /dev/null)
  rtti=-fno-rtti assertions=-DNDEBUG libraries=()
  ! $debug || rtti=-frtti assertions=-UNDEBUG
  for library in snappy gflags lz4 zstd z bz2 uring numa tbb jemalloc; do
    ! echo 'int main() {}' | "${CXX:-c++}" -x c++ - "-l$library" -o /dev/null 2> /dev/null ||
      libraries+=("-l$library")
  done
}

# link OUTPUT FLAG_OR_SOURCE...: links a program of ours with that RocksDB.
link() {
  "${CXX:-c++}" -std=c++20 $rtti -I. -Ifilter_policy/include -I"$tree" -I"$tree/include" "${@:2}" \
    "$rocksdb" -Wl,-rpath,"$(dirname "$rocksdb")" -Wl,--as-needed "${libraries[@]}" -pthread -ldl -o "$1"
}

build_tests() {
  local IFS=';'
  cmake -S tests/plugin/rocksdb_tests -B "$work/tests" -G Ninja -DCMAKE_UNITY_BUILD=ON \
    "-DCMAKE_CXX_FLAGS=-O1 $rtti $assertions" -DROCKSDB_TREE="$tree" -DROCKSDB_LIBRARY="$rocksdb" \
    "-DROCKSDB_DEPENDENCIES=${libraries[*]}" &&
    cmake --build "$work/tests" --parallel "$jobs"
}

read_releases() {
  local folder
  for folder in tests/golden/releases/*; do
    tests/compat/release.sh "$work/compat_database" check "$folder" || return 1
  done
}

use_programs() ( # `fail` ends a subshell
  local program linked db=$work/db output=$work/output PATH=$tree:$tree/tools:$PATH
  [[ $build == make ]] || PATH=$work/build:$work/build/tools:$PATH
  rm -rf "$db" "$output"*
  for program in db_bench ldb sst_dump; do
    linked=$(ldd "$(command -v $program)" | grep --extended-regexp 'librocksdb|liblinebloom' || true)
    if $shared; then
      [[ $linked == *librocksdb*" => $work/"* && $linked != *liblinebloom* ]] ||
        fail "$program is not linked with the librocksdb.so of its tree alone: '$linked'"
    else
      [[ ! $linked ]] || fail "$program is not linked statically: '$linked'"
    fi
  done
  bench "$output" fillrandom,compact,readmissing "--options_file=$root/tests/override/options.ini"
  check_linebloom_rejected "$output"
  grep --quiet 'filter_policy: linebloom' "$db/LOG" || fail "LOG names another filter policy"
  ldb --db="$db" put one_more_key value
  ldb --db="$db" compact
  ldb --db="$db" dump_live_files > "$output.ldb"
  check_policy_names "ldb dump_live_files" "$output.ldb"
  check_files "sst_dump --show_properties"
  build/release/tools/linebloom dump "$db"/*.sst > "$output.filters" ||
    fail "linebloom dump: $(tail --lines=5 "$output.filters")"
  grep --quiet 'linebloom solved' "$output.filters" || fail "linebloom dump finds no filter of linebloom's"
  rm -r "$db"
)

run_step "$name copy the trees" copy_trees
[[ $build == make ]] || run_step "$name configure" configure
targets=(db_bench ldb sst_dump)
[[ $build == make ]] || targets=(db_bench tools/ldb tools/sst_dump)
run_step "$name build RocksDB's programs" compile "${targets[@]}"
run_step "configure release" cmake --preset release
run_step "build linebloom" cmake --build --preset release --parallel "$jobs" --target linebloom_program
run_step "$name use them" use_programs
find_rocksdb
run_step "$name link compat_database" link "$work/compat_database" -O1 tests/compat/compat_database.cc
run_step "$name read releases" read_releases
run_step "$name build the tests" build_tests
run_step "$name run the tests" ctest --test-dir "$work/tests" --parallel "$jobs" --output-on-failure
! $bench || run_step "$name link filter_bench" link "$work/filter_bench" -O2 -march=native -DNDEBUG \
  -DLINEBLOOM_ROCKSDB_PLUGIN bench/filter_bench.cc -lbenchmark
if ((kills > 0)); then
  stress=db_stress_tool/db_stress folder=$work/build
  [[ $build == cmake ]] || stress=db_stress folder=$tree
  run_step "$name change db_stress" change_db_stress
  run_step "$name build db_stress" compile "$stress"
  export DEBUG_LEVEL=0 # for db_crashtest.py
  ! $debug || DEBUG_LEVEL=1
  run_step "$name kill db_stress" python3 tests/plugin/crash.py --source="$tree" \
    --db_stress="$folder/$stress" --linebloom="$root/build/release/tools/linebloom" --work="$work/crash" \
    --kills="$kills"
fi
cat build/log/"${name// /_}_use_them.log"
sed -n '/tests passed/,$p' "build/log/${name// /_}_run_the_tests.log"
((kills == 0)) || cat "build/log/${name// /_}_kill_db_stress.log"
