#!/usr/bin/env bash
# Checks that check_links.py finds broken links: check_links_test.sh SOURCE_FOLDER,
# in a folder to write to.
set -euo pipefail
check=$1/tests/docs/check_links.py
rm -rf links && mkdir -p links/docs
cat >links/README.md <<'END'
# Top
[good](docs/page.md#two-words-and-code), [itself](#top), [elsewhere](https://example.org/x#y)
```
[not a link](in/code.md)
```
END
printf '# Two words, and `code`\n' >links/docs/page.md
"$check" links || { echo "check_links.py rejects good links"; exit 1; }

expect() {  # expect FOUND LINK: the check must print FOUND for LINK
  printf '%s\n' "$2" >>links/README.md
  local out
  out=$("$check" links) && { echo "accepted: $2"; exit 1; }
  [[ $out == *"$1"* ]] || { echo "expected '$1', found '$out'"; exit 1; }
}
expect "README.md:6: docs/gone.md: no such file" "[a](docs/gone.md)"
expect "README.md:7: docs/page.md#gone: no such heading" "[b](docs/page.md#gone)"
expect "README.md:8: #gone: no such heading" "[c](#gone)"
