#!/usr/bin/env bash
# Makes a man page of what the program and its subcommands print for --help, word for
# word, and lists subcommands and flags for bash's completion.
#
#   packaging/man_pages.sh PROGRAM PAGE COMPLETION
set -euo pipefail
program=$1 page=$2 completion=$3
mkdir -p "$(dirname "$page")" "$(dirname "$completion")"
subcommands=$("$program" --help | sed --quiet '1,/^Subcommands/d; s/^  \([a-z-]*\)  .*/\1/p' | grep --invert-match ^--)
words=$subcommands
printf '.TH LINEBLOOM 1 "" "%s"\n.SH NAME\nlinebloom \\- filters of SSTables\n' "$("$program" --version)" > "$page"
for subcommand in '' $subcommands; do
  help=$("$program" $subcommand --help)
  # Backslashes, and dots and quotes that begin a line, mean something to roff.
  printf '.SH linebloom %s\n.nf\n%s\n.fi\n' "$subcommand" \
    "$(sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/' <<< "$help")" >> "$page"
  words+=" $(sed --quiet 's/^ *\(--[a-z_]*\) .*/\1/p' <<< "$help")"
done
gzip --best --no-name --force "$page"
echo "complete -o default -W '$(tr ' ' '\n' <<< "$words" | sort --unique | tr '\n' ' ')' linebloom" > "$completion"
