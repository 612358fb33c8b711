#!/usr/bin/env bash
# Installs the packages needed to build and test linebloom, on Debian 12 or
# later, as root or with sudo. --lint adds clang-format and clang-tidy, --fuzz
# what builds the fuzz targets, --package what builds Debian packages, --browser
# what opens the pages of --html, --figures what draws docs/pictures/, and
# --rocksdb what RocksDB's own build needs. If nothing is missing, it neither
# calls apt nor needs the network; apt says how many MB it downloads and takes.
set -euo pipefail

packages=(
  cmake g++ ninja-build pkgconf # to build, and to test linebloom.pc
  make # to test linebloom.mk
  librocksdb-dev libxxhash-dev # the library
  libabsl-dev libisal-dev libcli11-dev nlohmann-json3-dev # the program
  libgtest-dev libgmock-dev libbenchmark-dev
  python3 # for a test of the tree itself
  rocksdb-tools # db_bench, ldb and sst_dump, for the preload test
  xz-utils # for a database in a transcript, which a minimal Debian can't unpack
)

# libFuzzer is in the runtime; llvm's symbolizer makes stack traces readable.
declare -A more=([--lint]='clang-format clang-tidy' [--fuzz]='clang libclang-rt-dev llvm'
  [--browser]=chromium [--figures]=python3-matplotlib [--package]='dpkg-dev file'
  [--rocksdb]='dpkg-dev libbz2-dev libgflags-dev liblz4-dev libsnappy-dev libzstd-dev zlib1g-dev')
for argument in "$@"; do
  if [[ ! ${more[$argument]:-} ]]; then
    echo "install_dependencies.sh: unknown argument '$argument'; there are ${!more[*]}" >&2
    exit 2
  fi
  read -ra named <<< "${more[$argument]}"
  packages+=("${named[@]}")
done

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  echo "No apt here, so nothing is installed. What the build needs, by Debian's names: ${packages[*]}"
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2> /dev/null || true)
  grep --quiet --line-regexp installed <<< "$status" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
((EUID == 0)) || as_root=(sudo)
# `env`, because sudo drops the caller's variables.
apt_get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
  apt-get --yes --option DPkg::Lock::Timeout=300)

# An update may fail, for example because of one dead third-party source. What
# matters is whether the packages are available.
"${apt_get[@]}" update || echo "apt-get update failed; continuing with the existing lists" >&2
"${apt_get[@]}" install --no-install-recommends "${missing[@]}"
