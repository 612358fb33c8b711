# shellcheck shell=bash
# Compares how two versions of RocksDB read each other's files. Sourced. `here`
# runs a program with this machine's RocksDB; the script that sources this defines
# `there`, which runs it with the other, and `jobs`.

# Prints RocksDB's version, from its headers in FOLDER.
rocksdb_version() { # FOLDER
  awk '$2 ~ /^ROCKSDB_(MAJOR|MINOR|PATCH)$/ { printf "%s%s", dot, $3; dot = "." }' \
    "$1/rocksdb/version.h"
}

# Builds what `here` runs.
build_here() {
  cmake --preset release &&
    cmake --build --preset release --parallel "$jobs" --target compat_database linebloom_program
}

here() {
  "build/release/$1" "${@:2}"
}

# read_both_sides WRITER: checks that both sides find what WRITER wrote and get the
# same answers from its filters; WRITER once more after the other had it open.
read_both_sides() {
  local reader answers=$databases/$1.answers
  "$1" "$compat_database" check "${path[$1]}/$1" > "$answers" || return 1
  for reader in here there "$1"; do
    "$reader" "$compat_database" check "${path[$reader]}/$1" | cmp - "$answers" || {
      echo "FAILED: what was written $1 is read in another way $reader"
      return 1
    }
  done
}

# Checks every filter of WRITER's against the rows of its file, on both sides.
verify_both_sides() {
  local database reader
  for database in "$databases/$1"/*/; do
    for reader in here there; do
      "$reader" tools/linebloom verify "${path[$reader]}/$1/$(basename "$database")" \
        > /dev/null || return 1
    done
  done
}

# Checks that full filters written here and there have the same bytes. Partitioned
# ones may not: versions of RocksDB start partitions at different keys.
compare_bytes() {
  local number side file compared=0 files_here files_there database
  for database in "$databases"/here/*/; do
    [[ $database != */partitioned* ]] || continue
    mapfile -t files_here < <(ls "$database"*.sst)
    mapfile -t files_there < <(ls "$databases/there/$(basename "$database")"/*.sst)
    ((${#files_here[@]} > 0 && ${#files_here[@]} == ${#files_there[@]})) || return 1
    for number in "${!files_here[@]}"; do
      rm -f "$databases"/raw.*
      for side in here there; do
        file=files_$side[number]
        here tools/linebloom raw --out="$databases/raw.$side" "${!file}" > /dev/null ||
          return 1
      done
      cmp "$databases/raw.here" "$databases/raw.there" || {
        echo "FAILED: the filters of ${files_here[number]} and ${files_there[number]} differ"
        return 1
      }
      compared=$((compared + 1))
    done
  done
  echo "The full filters of the $compared files written here have the bytes of those written there."
}

compare() { # DATABASES [DATABASES_AS_SEEN_THERE]
  local databases=$1 writer compat_database=tests/compat/compat_database
  local -A path=([here]=$1 [there]=${2:-$1})
  rm -rf "$databases"
  mkdir "$databases"
  for writer in here there; do
    "$writer" "$compat_database" write "${path[$writer]}/$writer" &&
      read_both_sides "$writer" && verify_both_sides "$writer" || return 1
  done
  for writer in here there; do
    echo "Written $writer, and read so on both sides:"
    sed 's/^/  /' "$databases/$writer.answers"
  done
  compare_bytes
}
