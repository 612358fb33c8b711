#!/usr/bin/env bash
# Runs a shell command in a root folder created by tests/compat/run.sh, where
# the tree and its build are in /linebloom.
#
#   tests/compat/enter.sh trixie|sid COMMAND
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/debian_root.sh"
folder=$here/../../build/compat/${1:-}
if (($# != 2)) || [[ ! -d $folder/linebloom ]]; then
  echo "enter.sh: usage: tests/compat/enter.sh trixie|sid COMMAND, after tests/compat/run.sh trixie|sid" >&2
  exit 2
fi
in_root "$(realpath "$folder")" "$2"
