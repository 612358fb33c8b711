#!/usr/bin/env bash
# Packs the sources of the last commit as linebloom-VERSION.tar.gz, with a list of
# what they need beside it (an SBOM, linebloom-VERSION.spdx), the same bytes each
# time, and prints its path.
#
#   packaging/source_archive.sh [--test]
#
# --test also unpacks it into an empty folder, and builds, installs and tests it
# there as a packager would.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
version=$(git show HEAD:CMakeLists.txt | sed -n 's/^project(linebloom VERSION \([0-9.]*\).*/\1/p')
name=linebloom-$version
mkdir -p build/archive
archive=$root/build/archive/$name.tar.gz
git archive --prefix="$name/" HEAD | gzip --best --no-name > "$archive"

# In SPDX's form of tags and values: linebloom, and what it is compiled with.
hash=$(sha256sum < "$archive")
{
  printf '%s: %s\n' SPDXVersion SPDX-2.3 DataLicense CC0-1.0 SPDXID SPDXRef-DOCUMENT DocumentName "$name" \
    DocumentNamespace "https://spdx.org/spdxdocs/$name-${hash%% *}" Creator 'Tool: source_archive.sh' \
    Created "$(TZ=UTC git log -1 --date=format-local:%FT%TZ --format=%cd)"
  relation=DOCUMENT\ DESCRIBES
  while read -r package oldest license; do
    printf '%s: %s\n' PackageName "$package" SPDXID "SPDXRef-$package" PackageVersion "$oldest" \
      PackageDownloadLocation NOASSERTION FilesAnalyzed false PackageLicenseDeclared "$license" \
      Relationship "SPDXRef-$relation SPDXRef-$package"
    relation=linebloom\ DEPENDS_ON
  done << END
linebloom $version Apache-2.0
rocksdb >=7.3 Apache-2.0 OR GPL-2.0-only
xxhash >=0.8 BSD-2-Clause
abseil >=20220623 Apache-2.0
isa-l >=2.30 BSD-3-Clause
cli11 >=2.1 BSD-3-Clause
nlohmann-json >=3.11 MIT
END
} > "${archive%.tar.gz}.spdx"

if [[ ${1:-} == --test ]]; then
  cd build/archive
  rm -rf "$name" installed
  tar -xf "$archive"
  cd "$name"
  cmake --preset release
  cmake --build --preset release --parallel "$(nproc)"
  cmake --install build/release --prefix ../installed
  ctest --preset release --label-exclude nightly --parallel "$(nproc)"
fi
echo "$archive"
