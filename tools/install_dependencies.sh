#!/usr/bin/env bash
# Installs the packages that linebloom is built and tested with, on Debian 12
# or later, as root or with sudo. With --lint also clang-format and clang-tidy,
# with --fuzz what the fuzz targets are built with, with --compat what makes root
# folders of other releases.
# Where nothing is missing it neither asks apt nor needs the network.
set -euo pipefail

packages=(
  cmake g++ ninja-build pkgconf  # to build, and to test linebloom.pc
  librocksdb-dev libxxhash-dev   # the library
  libabsl-dev libisal-dev nlohmann-json3-dev # the tools
  libgtest-dev libgmock-dev libbenchmark-dev
  python3 # for a test of the tree itself
  rocksdb-tools # db_bench, ldb and sst_dump, for the preload test
)

for argument in "$@"; do
  case $argument in
    --lint) packages+=(clang-format clang-tidy) ;;
    # libFuzzer is in the runtime; llvm's symbolizer makes stack traces readable.
    --fuzz) packages+=(clang libclang-rt-dev llvm) ;;
    --compat) packages+=(debootstrap debian-archive-keyring) ;;
    *)
      echo "install_dependencies.sh: unknown argument '$argument'; there are --lint, --fuzz and --compat" >&2
      exit 2
      ;;
  esac
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
if ((EUID != 0)); then
  if ! command -v sudo > /dev/null; then
    echo "Neither root nor sudo. Have these packages installed and run this again: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

# `env`, because sudo drops the caller's variables.
apt_get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
  apt-get --yes --option DPkg::Lock::Timeout=300)

# An update that fails (one dead third-party source is enough) isn't the end:
# what counts is whether the packages can be had.
"${apt_get[@]}" update || echo "apt-get update failed; going on with the lists that are here" >&2
"${apt_get[@]}" install --no-install-recommends "${missing[@]}"
