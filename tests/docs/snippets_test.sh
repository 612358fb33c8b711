#!/usr/bin/env bash
# Checks that snippets.py finds mistakes: snippets_test.sh SOURCE_FOLDER BUILD_DIR, in
# a folder to write to.
set -euo pipefail
rm -rf snippets && mkdir -p snippets/docs snippets/tests/docs
cp "$1/tests/docs/snippets.py" snippets/tests/docs/
build=$2 language=
for page in README CONTRIBUTING SECURITY; do echo "# $page" >snippets/$page.md; done
echo "one line" >snippets/file.txt

snippet() { # snippet RULE TEXT: the only one, on docs/page.md
  printf '# Page\n\n%s\n```%s\n%s\n```\n' "$1" "$language" "$2" >snippets/docs/page.md
}
passes() {
  snippet "$@"
  snippets/tests/docs/snippets.py run "$build" >out || { cat out; echo "rejects: $*"; exit 1; }
}
fails() { # fails WHAT RULE TEXT: and says WHAT
  local what=$1
  shift
  snippet "$@"
  if snippets/tests/docs/snippets.py run "$build" >out; then echo "accepts: $*"; exit 1; fi
  grep --quiet --fixed-strings "docs/page.md:5: $what" out ||
    { cat out; echo "expected: $what"; exit 1; }
}

fails "nothing says how to test it" "" "true"
fails "nothing says how to test it" "<!-- ruin -->" "true"
passes "<!-- not run: a reason -->" "false"
passes "<!-- run -->" "true"
fails "exit code 1" "<!-- run -->" "false | true"
passes "<!-- run, with true for false -->" "false"
fails "there is no 'sure' to be replaced" "<!-- run, with true for sure -->" "true"
language=python
passes "<!-- run -->" "assert True"
fails "exit code 1" "<!-- run -->" "assert False"
language=
passes "<!-- output: echo one two -->" "one two"
fails "\`echo one two\` printed" "<!-- output: echo one two -->" "one three"
passes "<!-- output like: echo 'one    two' -->" "one  two"
fails "\`echo one\` did not print" "<!-- output like: echo one -->" "one  two"
passes "<!-- lines in: file.txt -->" "  one line"
fails "no line 'another' in file.txt" "<!-- lines in: file.txt -->" "another"
passes "<!-- options -->" "filter_policy=linebloom:10"
fails "exit code 1" "<!-- options -->" "filter_policy=linbloom:10"
printf '<!-- $ echo 1 -->\n1\n<!-- end -->\n' >snippets/docs/page.md
snippets/tests/docs/snippets.py run "$build" >out
printf '<!-- $ echo 1 -->\n2\n<!-- end -->\n' >snippets/docs/page.md
if snippets/tests/docs/snippets.py run "$build" >out; then echo "accepts a wrong table"; exit 1; fi
