#!/usr/bin/env bash
# Runs a command of the shell in a root folder that tests/compat/run.sh made; the
# tree and what was built are there in /linebloom.
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
