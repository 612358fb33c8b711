#!/usr/bin/env bash
# Shows on this machine's disk what a filter saves: installs missing packages,
# builds linebloom and runs `linebloom compare`. Works on a fresh Debian 12 or
# later, as root or with sudo.
#
#   tools/compare_io.sh [DATABASE] [FLAG]...
#
# Without arguments it compares twice: filters in memory, and filters that share a
# block cache with indexes and data.
#
# The first run downloads packages and compiles, some minutes with two cores, and
# puts about 30 MB into build/; later ones begin to measure after seconds. A
# comparison with the default flags takes three minutes and 1.8 GB of disk, which are
# free again afterwards.
#
# Arguments and the exit code are those of `linebloom compare`. Paths are relative
# to the current folder. Tables go to stdout, everything else to stderr.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/tools/run_step.sh"
program=$root/build/release/tools/linebloom

run_step "install packages" "$root/tools/install_dependencies.sh"
run_step "configure release" cmake -S "$root" --preset release
run_step "build linebloom" \
  cmake --build "$root/build/release" --target linebloom_program --parallel "$(nproc)"

if (($# > 0)); then exec "$program" compare "$@"; fi
echo "compare_io.sh: 1 of 2, filters in memory: about half a minute" >&2
"$program" compare
echo
echo "compare_io.sh: 2 of 2, filters and data in one block cache, of four sizes: about two minutes" >&2
"$program" compare --memory=1MB,2MB,3MB,4MB --lookups=40k
echo
echo "Next, for a database of yours: ${program#"$PWD/"} advise DATABASE"
