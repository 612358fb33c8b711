#!/usr/bin/env bash
# Makes a man page of what each subcommand prints for --help, word for word, and
# lists subcommands and flags for bash's completion.
#
#   packaging/man_pages.sh PROGRAM FOLDER COMPLETION
set -euo pipefail
program=$1 folder=$2 completion=$3
mkdir -p "$folder" "$(dirname "$completion")"

section() {
  printf '.SH %s\n.nf\n' "$1"
  # Backslashes, and dots and quotes that begin a line, mean something to roff.
  sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/' <<< "$2"
  echo .fi
}

# page SUBCOMMAND HELP: `linebloom SUBCOMMAND: what it does`, a blank line, the rest
# with the exit codes last, and flags.
page() {
  local name=linebloom-$1 what rest flags
  what=$(sed '/^$/,$d' <<< "$2" | tr '\n' ' ')
  what=${what#*: } what=${what%. }
  rest=$(sed '1,/^$/d; /^Flags:$/,$d' <<< "$2")
  flags=$(sed '1,/^Flags:$/d' <<< "$2")
  [[ $what && $rest == *'Exits with'* && $flags ]] ||
    { echo "man_pages.sh: linebloom $1 --help is not as expected" >&2; exit 1; }
  echo ".TH ${name^^} 1 \"\" \"$("$program" --version)\""
  printf '.SH NAME\n%s \\- %s\n' "$name" "$what"
  section DESCRIPTION "${rest%Exits with*}"
  section OPTIONS "$flags"
  section 'EXIT STATUS' "Exits with${rest##*Exits with}"
}

subcommands=$("$program" --help | sed --quiet '1,/^Subcommands/d; s/^  \([a-z-]*\)  .*/\1/p' | grep --invert-match ^--)
words=''
for subcommand in $subcommands; do
  help=$("$program" "$subcommand" --help)
  page "$subcommand" "$help" | gzip --best --no-name > "$folder/linebloom-$subcommand.1.gz"
  words+=" $subcommand $(sed --quiet 's/^ *\(--[a-z_]*\) .*/\1/p' <<< "$help" | tr '\n' ' ')"
done
echo "complete -o default -W '$(tr ' ' '\n' <<< "$words" | sort --unique | tr '\n' ' ')--version' linebloom" > "$completion"
