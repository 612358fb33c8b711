#!/usr/bin/env bash
# Builds Debian packages of the libraries, the development files and the tools,
# for the RocksDB of this machine, and prints their paths.
#
#   packaging/build_deb.sh [BUILD_FOLDER]
#
# BUILD_FOLDER is build/package unless given. Installs what is missing, as
# tools/install_dependencies.sh --package does. The same bytes in any folder at any
# time: their date is that of CHANGELOG.md's newest entry.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
umask 022 # cpack packs folders as it makes them
build=${1:-build/package}

tools/install_dependencies.sh --package >&2
SOURCE_DATE_EPOCH=$(date --utc --date="$(sed -n 's/^## .* //p' CHANGELOG.md | head -n 1)" +%s)
export SOURCE_DATE_EPOCH CXXFLAGS="-ffile-prefix-map=$root=. ${CXXFLAGS:-}"
# /usr is the prefix under which CMake chooses Debian's folders for libraries.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
  -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON -DBUILD_TESTING=OFF >&2
cmake --build "$build" --target all man_pages >&2
(cd "$build" && cpack -G DEB) >&2
ls "$build"/packages/*.deb
