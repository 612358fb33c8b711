#!/usr/bin/env bash
# Tests the Rust crate in packaging/rust.
#
#   tests/rust/run.sh --check   type-checks it and its package's list of files, with a
#                               stub for librocksdb-sys
#   tests/rust/run.sh           packages it, builds it from the package with the crate
#                               rocksdb and its RocksDB, and runs the example. Takes most
#                               of an hour, unless ROCKSDB_LIB_DIR names the folder of a
#                               librocksdb.so of just that version. Needs libclang
#
# Exit code 0: all is well; 1: something failed; 77: there is no cargo,
# or no registry.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=${CARGO_TARGET_DIR:-$root/build/rust}
export CARGO_TARGET_DIR=$work
cd "$root/packaging/rust"
command -v cargo > /dev/null || exit 77
trap 'rm -f "$root/packaging/rust/Cargo.lock"' EXIT

if [[ ${1:-} == --check ]]; then
  cargo fetch --quiet || exit 77
  # The package has the sources that linebloom.mk lists, the headers, and no tools.
  cargo package --list --allow-dirty > "$work.list"
  sed -n 's/^  \(filter_policy\/.*\.cc\).*/\1/p' linebloom.mk | while read -r file; do
    grep --quiet --line-regexp "$file" "$work.list" || { echo "the package lacks $file"; exit 1; }
  done
  ! grep --extended-regexp 'override|rebuild|CMakeLists|tests' "$work.list" || exit 1
  DOCS_RS=1 cargo check --offline --lib --config 'patch.crates-io.librocksdb-sys.path="../../tests/rust/stub"'
  exit
fi
cargo package --no-verify --allow-dirty
rm -rf "$work/unpacked"
mkdir -p "$work/unpacked"
tar -xf "$work"/package/linebloom-*.crate --strip-components=1 -C "$work/unpacked"
cd "$work/unpacked"
cargo run --release --example switch_over -- "$work/switch_over.db"
