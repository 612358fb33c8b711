#!/usr/bin/env bash
# Creates the Conan package, as an archive and as a shared library, from recipes that wrap
# this machine's RocksDB and xxHash, and runs its test_package with each. Asks no remote.
#
#   tests/conan/run.sh
#
# Exit code 0: all is well; 1: something failed; 77: there is no conan, in the PATH or in
# build/conan, and no PyPI to get it from.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$root/build/conan
mkdir -p "$work"
export CONAN_HOME=$work/home PATH=$PATH:$work/venv/bin
if ! command -v conan > /dev/null; then
  { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet conan; } || exit 77
fi
rm -rf "$CONAN_HOME"
conan profile detect > /dev/null
conan remote disable '*' > /dev/null
for shared in False True; do
  for name in rocksdb xxhash; do
    conan create "$root/tests/conan/debian" --name=$name --options="&:shared=$shared" > "$work/$name.log" 2>&1
  done
  # The test package is built here, and leaves no presets in the tree.
  conan create "$root/packaging/conan" --settings=compiler.cppstd=20 --options="*:shared=$shared" \
    --conf=tools.cmake.cmake_layout:test_folder="$work/test" \
    --conf=tools.cmake.cmaketoolchain:user_presets= > "$work/linebloom.log" 2>&1 ||
    { tail --lines=30 "$work/linebloom.log"; exit 1; }
  echo "shared=$shared: $(grep 'missing keys' "$work/linebloom.log")"
done
