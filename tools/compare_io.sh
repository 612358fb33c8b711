#!/usr/bin/env bash
# Shows on this machine's disk what a filter saves: installs what is missing,
# builds io_compare and runs it. Complete on a fresh Debian 12 or later, as root
# or with sudo.
#
#   tools/compare_io.sh [FLAG]...
#
# The flags are io_compare's (`tools/compare_io.sh --help` lists them), paths
# among them are relative to the current folder, and so is the exit code: 0 fine,
# 1 ran and found something wrong, 2 bad usage or input. The table goes to stdout,
# everything else to stderr.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/tools/run_step.sh"

run_step "install packages" "$root/tools/install_dependencies.sh"
run_step "configure release" cmake -S "$root" --preset release
run_step "build io_compare" \
  cmake --build "$root/build/release" --target io_compare --parallel "$(nproc)"

exec "$root/build/release/tools/io_compare" "$@"
