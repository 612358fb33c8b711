#!/usr/bin/env bash
# Keeps databases as a release of linebloom writes them; every later one must read
# them.
#
#   release.sh COMPAT_DATABASE write FOLDER   in place of what is there
#   release.sh COMPAT_DATABASE check FOLDER   the rows and the filters' answers are the same
#
# A copy is checked, since opening a database changes it.
set -euo pipefail
program=$1 folder=$3
check() {
  local copy code=0
  copy=$(mktemp --directory)
  cp -r "$folder"/*/ "$copy"
  "$program" check "$copy" || code=$?
  rm -r "$copy"
  return $code
}
if [[ $2 == write ]]; then
  rm -rf "$folder"
  "$program" write "$folder"
  find "$folder" -type f ! -name '*.sst' ! -name CURRENT ! -name 'MANIFEST-*' -delete
  check > "$folder/answers"
else
  check | diff "$folder/answers" -
fi
