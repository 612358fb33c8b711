#!/usr/bin/env bash
# Builds linebloom and runs its tests with the RocksDB of a newer Debian, in a
# root folder of that Debian. Then each RocksDB, that one and this machine's,
# reads what the other wrote.
#
#   tests/compat/run.sh trixie|sid [--quick]
#   tests/compat/run.sh trixie|sid -- COMMAND   runs it in that root folder, once it is
#                                               there; the tree is in /linebloom
#
# trixie is Debian 13 with RocksDB 9.10; sid had 9.11 when this was written. The
# root folder, build/compat/SUITE, is created once (about 30 seconds) from the
# mirror in this machine's apt sources; remove it to start over. --quick skips
# what doesn't depend on RocksDB's version, or takes long and tells little: the
# benchmarks, the inputs of fuzz targets, users' projects and builds of RocksDB
# that compile the library. It also compiles several files of the library at once
# (a unity build).
#
# Needs root, the rights to mount, chroot and create device files, and
# debootstrap; builds what it needs in this machine's build/release. Exits with
# 0 if all passed, 1 if something failed, or 2 after bad usage or if something
# is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/run_step.sh"
parse_options quick=false -- "$@"
suite=${operands[*]}
[[ $suite == trixie || $suite == sid ]] || stop "trixie or sid, not '$suite'"
cd "$root" # where CMake looks for the presets
source tests/compat/debian_root.sh
source tests/compat/compare.sh
jobs=$(nproc)

# The targets to build there, and a regular expression of tests to skip.
targets=(all)
left_out='^$'
if $quick; then
  targets=(filter_policy/all docs/examples/all tools/all)
  for file in tests/*/CMakeLists.txt; do
    case $file in
      tests/consumer/* | tests/fuzz/*) ;; # consumer: a project of its own
      *) targets+=("${file/CMakeLists.txt/all}") ;;
    esac
  done
  # gtest adds a test NAME_NOT_BUILT for each missing program. `pages` needs a
  # browser, and the documents' snippets run benchmarks.
  left_out='_fuzz$|_NOT_BUILT$|^pages$|^docs_snippets$|^consumer_|^plugin_'
fi

folder=$root/build/compat/$suite
mkdir -p build/compat
need_roots build/compat "$suite"
if ((${#rest[@]} > 0)); then
  [[ -d $folder/linebloom ]] || stop "no $folder yet: run this without a command first"
  in_root "$folder" "${rest[*]}"
  exit
fi

# Runs its arguments, as shell words, there; paths are as seen there.
there() {
  in_root "$folder" "/linebloom/build/release/$*"
}

compare_with_root() {
  echo "RocksDB $(rocksdb_version /usr/include) here, $(rocksdb_version "$folder/usr/include") there ($(in_root "$folder" 'g++ --version | head -n 1'))."
  compare "$folder/databases" /databases
}

# fetch NAME COMMAND...: runs a step that fails because of a mirror or the network,
# not because of the tree.
fetch() {
  (run_step "$@") || stop "$suite is not tested: '$1' failed, as shown above"
}

[[ -d $folder ]] || fetch "$suite make the root folder" make_root "$suite" "$folder"
[[ $suite != sid ]] ||
  fetch "$suite bring it up to date" in_root "$folder" 'apt-get update; apt-get --yes upgrade'
run_step "$suite copy the tree" copy_tree "$folder"
fetch "$suite install packages" in_root "$folder" /linebloom/tools/install_dependencies.sh
run_step "$suite configure" in_root "$folder" \
  "cd /linebloom; cmake --preset release -DCMAKE_UNITY_BUILD=$quick"
run_step "$suite build" in_root "$folder" \
  "cd /linebloom; cmake --build --preset release --parallel $jobs --target ${targets[*]}"
run_step "$suite test" in_root "$folder" \
  "cd /linebloom; ctest --preset release --parallel $((2 * jobs)) --exclude-regex '$left_out'"
run_step "$suite build here what is compared" build_here
run_step "$suite compare" compare_with_root
grep --text 'tests passed' "build/log/${suite}_test.log"
cat "build/log/${suite}_compare.log"
