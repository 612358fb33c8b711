#!/usr/bin/env bash
# Packs the sources of the last commit as linebloom-VERSION.tar.gz, the same bytes
# each time, and prints its path.
#
#   packaging/source_archive.sh [--test]
#
# --test also unpacks it into an empty folder, and builds, installs and tests it
# there as a packager would. Exit code 0: all is well; 1: something failed; 2: bad
# usage.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if (($# > 1)) || [[ ${1:---test} != --test ]]; then
  echo "source_archive.sh: the only argument is --test" >&2
  exit 2
fi
cd "$root"
version=$(git show HEAD:CMakeLists.txt | sed -n 's/^project(linebloom VERSION \([0-9.]*\).*/\1/p')
name=linebloom-$version
mkdir -p build/archive
archive=$root/build/archive/$name.tar.gz
git archive --prefix="$name/" HEAD | gzip --best --no-name > "$archive"

if [[ ${1:-} == --test ]]; then
  cd build/archive
  rm -rf "$name" installed
  tar -xf "$archive"
  cd "$name"
  cmake --preset release
  cmake --build --preset release --parallel "$(nproc)"
  cmake --install build/release --prefix ../installed
  ctest --preset release --label-exclude nightly --parallel "$(nproc)"
fi
echo "$archive"
