# shellcheck shell=bash disable=SC2034
# For scripts that try an application with and without liblinebloom_override.so.
# They source this with their arguments LIBRARY and COUNTER: the library, and
# libcount_data_blocks.so. Creates $work, a new folder inside the current one,
# and removes it at the end.
library=$(realpath --canonicalize-existing "$1")
counter=$(realpath --canonicalize-existing "$2")
unset LINEBLOOM_OVERRIDE LINEBLOOM_VERBOSE

work=$(mktemp --directory "$PWD/$(basename "$0" .sh).XXXXXX")
trap 'rm -r "$work"' EXIT

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# need PROGRAM...: exits if a program is missing.
need() {
  local program
  for program in "$@"; do
    command -v "$program" > /dev/null || {
      echo "${0##*/}: no $program; the packages that are needed are named in $0" >&2
      exit 2
    }
  done
}

# In this order, whatever the names.
sides=(without with)
declare -A override=([without]=off [with]=linebloom)

# run SIDE STEP COMMAND...: runs the command with or without linebloom. Its
# stderr goes to $work/SIDE.STEP.
run() {
  env LINEBLOOM_OVERRIDE="${override[$1]}" LD_PRELOAD="$counter $library" \
    "${@:3}" 2> "$work/$1.$2"
}

# The numbers of count_data_blocks: requested, read from files, rejected by a
# filter.
counts() { # SIDE STEP
  grep --text count_data_blocks: "$work/$1.$2" | grep --only-matching --extended-regexp '[0-9]+' ||
    fail "no counts of data blocks in: $(tail --lines=5 "$work/$1.$2")"
}

print_heads() {
  printf '%-28s %23s %23s %10s\n' '' 'data blocks requested' 'of them from a file' 'a filter'
  printf '%-28s %11s %11s %11s %11s %10s\n' '' without with without with rejected
}

print_counts() { # STEP
  local without with
  mapfile -t without < <(counts without "$1")
  mapfile -t with < <(counts with "$1")
  printf "%-28s %'11d %'11d %'11d %'11d %'10d\n" "$1" \
    "${without[0]}" "${with[0]}" "${without[1]}" "${with[1]}" "${with[2]}"
}

# The answers to STEP, $work/SIDE/STEP, are the same.
check_same() { # STEP
  cmp "$work/without/$1" "$work/with/$1" || fail "$1: the answers differ"
  echo "$1: the same with and without, $(wc --lines < "$work/with/$1") lines"
}

# Counts the files of a database by kind of filter, using filter_dump.
print_filters() { # SIDE DATABASE
  "$(dirname "$library")/tools/filter_dump" --db="$2" --json="$work/filters.json" > /dev/null
  python3 - "$1" "$work/filters.json" << 'END'
import collections, json, sys
with open(sys.argv[2]) as file:
    kinds = collections.Counter(
        (file["filter"] or {}).get("type", "none") for file in json.load(file)["files"])
print(f"files by filter, {sys.argv[1]}:", ", ".join(f"{kind} {count}" for kind, count in kinds.items()))
END
}
