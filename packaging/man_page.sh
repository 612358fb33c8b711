#!/usr/bin/env bash
# Makes a man page from what a program prints for --help, word for word, and lists
# its flags for bash's completion.
#
#   packaging/man_page.sh PROGRAM PAGE.1.gz COMPLETION
set -euo pipefail
name=$(basename "$1")
help=$("$1" --help)
# `NAME: what it does`, a blank line, the rest with the exit codes last, and flags.
what=$(sed '/^$/,$d' <<< "$help" | tr '\n' ' ')
what=${what#"$name: "} what=${what%. }
rest=$(sed '1,/^$/d; /^Flags:$/,$d' <<< "$help")
flags=$(sed '1,/^Flags:$/d' <<< "$help")
[[ $what && $rest == *'Exits with'* && $flags ]] ||
  { echo "man_page.sh: $name --help is not as expected" >&2; exit 1; }

section() {
  printf '.SH %s\n.nf\n' "$1"
  # Backslashes, and dots and quotes that begin a line, mean something to roff.
  sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/' <<< "$2"
  echo .fi
}

mkdir -p "$(dirname "$2")" "$(dirname "$3")"
{
  echo ".TH ${name^^} 1 \"\" \"$("$1" --version | head -n 1)\""
  printf '.SH NAME\n%s \\- %s\n' "$name" "$what"
  section DESCRIPTION "${rest%Exits with*}"
  section OPTIONS "$flags"
  section 'EXIT STATUS' "Exits with${rest##*Exits with}"
} | gzip --best --no-name > "$2"

words=$(sed --quiet 's/^ *\(--[a-z_]*\) .*/\1/p' <<< "$flags" | tr '\n' ' ')
echo "complete -o default -W '${words}--help --version' $name" > "$3"
