#!/usr/bin/env bash
# Builds Debian packages of the libraries, the development files and the tools,
# for the RocksDB of this machine, and prints their paths.
#
#   packaging/build_deb.sh [BUILD_FOLDER]
#
# BUILD_FOLDER is build/package unless given. Installs what is missing, as
# tools/install_dependencies.sh --package does.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build=${1:-build/package}

tools/install_dependencies.sh --package >&2
# /usr is the prefix under which CMake chooses Debian's folders for libraries.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
  -DBUILD_TESTING=OFF >&2
cmake --build "$build" --target all man_pages >&2
(cd "$build" && cpack -G DEB) >&2
ls "$build"/packages/*.deb
