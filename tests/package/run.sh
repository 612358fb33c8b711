#!/usr/bin/env bash
# Builds the Debian packages, installs them in a fresh root folder, and uses them
# there: the tools, the library loaded into RocksDB's own db_bench, and programs
# compiled with CMake and with pkg-config. Then removes them.
#
#   tests/package/run.sh [bookworm|trixie|sid]
#
# Without an argument it is this machine's Debian. For another one the packages
# are built in a root folder too, which takes minutes. build/package/SUITE is
# created once; each run installs into a copy of it.
#
# Needs root, the rights to mount and chroot, and debootstrap, as
# tests/compat/run.sh does. Exits with 0 if all is well, 1 if something failed,
# or 2 if something is missing. ctest doesn't run it, because it installs from
# the network.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
source tools/run_step.sh
source tests/compat/debian_root.sh

parse_options -- "$@"
mkdir -p build/package
own=$(. /etc/os-release && echo "$VERSION_CODENAME")
suite=${operands[0]:-$own}
need_roots build/package "$suite"
base=$root/build/package/$suite
builder=$base.builder
fresh=$base.fresh
if [[ $suite == "$own" ]]; then packages=$base.build/packages; else packages=$builder/linebloom/build/packages; fi

build_there() {
  [[ -d $builder ]] || cp --archive "$base" "$builder"
  copy_tree "$builder"
  in_root "$builder" 'apt-get update; cd /linebloom; packaging/build_deb.sh build'
}

prepare() {
  rm -rf "$fresh"
  cp --archive "$base" "$fresh"
  mkdir "$fresh/packages" "$fresh/trial"
  cp "$packages"/*.deb "$fresh/packages"
  cp -r tests/consumer tests/override/options.ini "$fresh/trial"
  in_root "$fresh" 'apt-get update'
}

version=$(sed --quiet 's/^project(linebloom VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
install='DEBIAN_FRONTEND=noninteractive apt-get --yes install --no-install-recommends'

use_tools() {
  in_root "$fresh" "
    $install /packages/linebloom-tools_*.deb
    linebloom --version | grep '^linebloom'
    for page in advise check-options compare dump migrate raw size verify; do
      for section in NAME OPTIONS 'EXIT STATUS'; do
        gzip --decompress --stdout /usr/share/man/man1/linebloom-\$page.1.gz | grep --quiet \"SH \$section\"
      done
    done
    (. /usr/share/bash-completion/completions/linebloom; complete -p linebloom | grep --quiet dump)
    linebloom size --rate=0.01 --keys=100M
    linebloom compare --rows=20000 --lookups=2000 --policies='bloomfilter:10;linebloom:10'"
}

use_library() {
  in_root "$fresh" "
    $install /packages/liblinebloom${version%.*}_*.deb rocksdb-tools
    cd /trial
    LD_PRELOAD=liblinebloom.so.${version%.*} db_bench --db=db --options_file=options.ini \
      --benchmarks=fillrandom,compact,readmissing --num=100000
    linebloom dump db | tee dump
    grep --quiet 'linebloom solved' dump"
}

use_development_files() {
  in_root "$fresh" "
    $install /packages/liblinebloom-dev_*.deb g++ cmake make pkgconf
    cd /trial
    g++ -std=c++17 consumer/consumer.cc -o by_pkg_config \$(pkg-config --cflags --libs linebloom)
    ./by_pkg_config pkg_config_db
    cmake -S consumer -B by_cmake -DVERSION=$version && cmake --build by_cmake
    ctest --test-dir by_cmake --output-on-failure"
}

# Removes the packages, and checks that nothing is left but what this test made.
remove() {
  in_root "$fresh" "
    DEBIAN_FRONTEND=noninteractive apt-get --yes purge linebloom-tools liblinebloom${version%.*} liblinebloom-dev
    ldconfig --print-cache | grep linebloom && exit 1
    ! find / -xdev \( -path /packages -o -path /trial -o -path /proc \) -prune -o \
      -name '*linebloom*' -print | grep ."
}

[[ -d $base ]] || run_step "$suite make the root folder" make_root "$suite" "$base"
if [[ $suite == "$own" ]]; then
  run_step "$suite build the packages" packaging/build_deb.sh "$base.build"
else
  run_step "$suite build the packages there" build_there
fi
run_step "$suite copy the root folder" prepare
run_step "$suite install and use the tools" use_tools
run_step "$suite install and use the library" use_library
run_step "$suite install and use the development" use_development_files
run_step "$suite remove all" remove
rm -rf "$fresh"
