#!/usr/bin/env bash
# Plants mistakes in a copy of the tree; check.py must find each of them.
#
#   check_test.sh SOURCE_FOLDER
#
# Works in a new folder inside the current one and removes it.
set -euo pipefail
source=$1
copy=$(mktemp --directory "$PWD/rooms.XXXXXX")
trap 'rm -r "$copy"' EXIT
cp -r "$source"/{filter_policy,table,tools,bench,docs,tests} "$copy"

fail() {
  echo "check_test.sh: $*" >&2
  exit 1
}

# finds FILE INCLUDE SENTENCE: with `#include "INCLUDE"` as the last line of FILE.
finds() {
  local file=$copy/$1 line found
  cp "$file" "$copy/before"
  echo "#include \"$2\"" >> "$file"
  line=$(wc --lines < "$file")
  ! found=$("$source/tests/rooms/check.py" "$copy" 2> /dev/null) || fail "$1 may include $2"
  cp "$copy/before" "$file"
  [[ $found == "$1:$line: $3: $2" ]] || fail "not '$1:$line: $3: $2' but '$found'"
}

"$source/tests/rooms/check.py" "$copy" > /dev/null || fail "finds something before anything is planted"
finds filter_policy/line/line.h filter_policy/filter/filter_builder.h \
  "filter_policy/line may not include from filter_policy/filter"
finds filter_policy/line/kernel/line_kernel.cc filter_policy/line/builder/line_builder.h \
  "filter_policy/line/kernel may not include from filter_policy/line/builder"
finds filter_policy/filter/filter_reader.cc linebloom/filter_policy.h \
  "filter_policy/filter may not include from filter_policy/include"
finds filter_policy/filter/filter_reader.cc rocksdb/slice.h \
  "filter_policy/filter may not include from rocksdb/"
finds filter_policy/policy/filter_policy.cc absl/strings/str_cat.h \
  "filter_policy/policy may not include from absl/"
finds table/footer.h filter_policy/filter/filter_block.h \
  "table may not include from filter_policy/filter"
finds tools/shared/databases.cc tools/filter_dump/config.h \
  "tools/shared may not include from tools/filter_dump"
finds bench/live_tree.cc tests/golden/golden_block.h \
  "tests/golden/golden_block.h is in no room"

touch "$copy/table/lonely.h"
echo '#include "table/lonely.h"' >> "$copy/bench/live_tree.cc"
small=$("$source/tests/rooms/check.py" --small "$copy")
[[ $small == *"table/lonely.h: 0 lines, for bench/live_tree.cc alone"* ]] ||
  fail "--small doesn't list a header with one user: $small"
