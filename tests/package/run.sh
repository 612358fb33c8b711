#!/usr/bin/env bash
# Builds the Debian packages, installs them, and uses them: the tools, the library
# loaded into RocksDB's own db_bench, and programs compiled with CMake and with
# pkg-config. Then removes them.
#
#   tests/package/run.sh
#
# Needs root, and installs packages with apt: run it in a container, as nightly.yml
# does. Exits with 0 if all is well, otherwise with 1.
set -euxo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export DEBIAN_FRONTEND=noninteractive
version=$(sed --quiet 's/^project(linebloom VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
soname=${version%.*}
apt-get update
mapfile -t packages < <(packaging/build_deb.sh)
# Absolute: apt takes a path for a file only if it has a slash in front.
packages=("${packages[@]/#/$PWD/}")
mkdir -p build/package/trial
cp -r tests/consumer tests/override/options.ini build/package/trial
cd build/package/trial
install() { apt-get --yes install --no-install-recommends "$@"; }

install "${packages[@]}" rocksdb-tools g++ cmake make pkgconf
linebloom --version | grep '^linebloom'
for page in advise check-options compare dump migrate size verify; do
  for section in NAME OPTIONS 'EXIT STATUS'; do
    gzip --decompress --stdout "/usr/share/man/man1/linebloom-$page.1.gz" | grep --quiet "SH $section"
  done
done
(. /usr/share/bash-completion/completions/linebloom && complete -p linebloom | grep --quiet dump)

LD_PRELOAD=liblinebloom.so.$soname db_bench --db=db --options_file=options.ini \
  --benchmarks=fillrandom,compact,readmissing --num=100000
linebloom dump db | grep 'linebloom solved'

g++ -std=c++17 consumer/consumer.cc -o by_pkg_config $(pkg-config --cflags --libs linebloom)
./by_pkg_config pkg_config_db
cmake -S consumer -B by_cmake -DVERSION="$version"
cmake --build by_cmake
ctest --test-dir by_cmake --output-on-failure

apt-get --yes purge linebloom-tools "liblinebloom$soname" liblinebloom-dev
! ldconfig --print-cache | grep linebloom
! find / -xdev \( -path "${PWD%/build/*}" -o -path /proc \) -prune -o -name '*linebloom*' -print | grep .
