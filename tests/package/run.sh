#!/usr/bin/env bash
# Installs the Debian packages and uses them: the tools, the library loaded into
# RocksDB's own db_bench, and programs compiled with CMake and with pkg-config. Then
# removes them.
#
#   tests/package/run.sh FOLDER   has what packaging/build_deb.sh prints
#
# For a fresh container, as in nightly.yml: it needs root, and apt installs what the
# packages depend on. Exits with 0 if all is well, otherwise with 1.
set -euxo pipefail
packages=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$(sed --quiet 's/^project(linebloom VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
soname=${version%.*}
cd "$(mktemp --directory)"
cp -r "$root"/tests/{consumer,override/options.ini} .
install() { DEBIAN_FRONTEND=noninteractive apt-get --yes install --no-install-recommends "$@"; }
apt-get update

install "$packages"/linebloom-tools_*.deb
linebloom --version | grep '^linebloom'
for subcommand in advise check-options compare dump migrate size verify; do
  zgrep --quiet "SH linebloom $subcommand" /usr/share/man/man1/linebloom.1.gz
done
(. /usr/share/bash-completion/completions/linebloom && complete -p linebloom | grep --quiet dump)

install "$packages/liblinebloom$soname"_*.deb rocksdb-tools
LD_PRELOAD=liblinebloom.so.$soname db_bench --db=db --options_file=options.ini \
  --benchmarks=fillrandom,compact,readmissing --num=100000
linebloom dump db | grep 'linebloom solved'

install "$packages"/liblinebloom-dev_*.deb g++ cmake make pkgconf
g++ -std=c++17 consumer/consumer.cc -o by_pkg_config $(pkg-config --cflags --libs linebloom)
./by_pkg_config pkg_config_db
cmake -S consumer -B by_cmake -DVERSION="$version"
cmake --build by_cmake
ctest --test-dir by_cmake --output-on-failure

apt-get --yes purge linebloom-tools "liblinebloom$soname" liblinebloom-dev
if ldconfig --print-cache | grep linebloom || find /etc /usr /var -name '*linebloom*' -print | grep .; then
  exit 1
fi
