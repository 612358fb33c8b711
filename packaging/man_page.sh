#!/usr/bin/env bash
# Makes a man page of what a program says to --help, as it says it.
#
#   packaging/man_page.sh PROGRAM PAGE.1.gz
set -euo pipefail
name=$(basename "$1")
help=$("$1" --help)
# The first line says `NAME: what it does`.
what=$(sed --quiet "1s/^$name: //; 1p" <<< "$help")
mkdir -p "$(dirname "$2")"
{
  echo ".TH ${name^^} 1 \"\" \"$("$1" --version | head -n 1)\""
  printf '.SH NAME\n%s \\- %s\n' "$name" "${what%.}"
  printf '.SH DESCRIPTION\n.nf\n'
  # Backslashes, and dots and quotes that begin a line, mean something to roff.
  tail -n +2 <<< "$help" | sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/'
  echo .fi
} | gzip --best --no-name > "$2"
