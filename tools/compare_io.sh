#!/usr/bin/env bash
# Shows on this machine's disk what a filter saves: installs missing packages,
# builds io_compare and runs it. Works on a fresh Debian 12 or later, as root or
# with sudo.
#
#   tools/compare_io.sh [FLAG]...
#
# The flags are io_compare's (`tools/compare_io.sh --help` lists them); paths
# are relative to the current folder. So is the exit code: 0 if all is well, 1
# if it found something wrong, 2 after bad usage or input. The table goes to
# stdout, everything else to stderr.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/tools/run_step.sh"

run_step "install packages" "$root/tools/install_dependencies.sh"
run_step "configure release" cmake -S "$root" --preset release
run_step "build io_compare" \
  cmake --build "$root/build/release" --target io_compare --parallel "$(nproc)"

exec "$root/build/release/tools/io_compare" "$@"
