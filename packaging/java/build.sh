#!/usr/bin/env bash
# Makes a folder for -Djava.library.path with which the published RocksJava has
# linebloom, without a line of Java and without building RocksDB:
#
#   packaging/java/build.sh SOURCE JAR FOLDER
#
# SOURCE is the source tree of the RocksDB that JAR, a rocksdbjni-VERSION.jar, has
# inside. RocksJava first looks for librocksdbjni.so in java.library.path; FOLDER
# gets linebloom under that name, and the jar's own library, unchanged, that it
# links, and linebloom.jar with the class LineFilter. Takes two minutes. Needs a
# compiler with C++20, a JDK, unzip, and the header of xxHash. Exit code 0: made,
# and loads; 1: doesn't fit; 2: bad usage.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# stop CODE SENTENCE
stop() {
  echo "build.sh: $2" >&2
  exit "$1"
}
(($# == 3)) || stop 2 "usage: packaging/java/build.sh SOURCE JAR FOLDER"
source=$1 jar=$2 folder=$3
[[ -f $source/table/block_based/filter_policy_internal.h ]] ||
  stop 2 "'$source' is not a source tree of RocksDB 7.3 or later"
jdk=$(readlink -f "$(command -v javac)") || stop 2 "there is no javac"
jdk=${jdk%/bin/javac}
machine=-$(uname -m)
theirs=librocksdbjni-linux${machine/-x86_64/64}.so
mkdir -p "$folder"
work=$(mktemp -d "$folder/build.XXXXXX")  # /tmp may be mounted noexec
trap 'rm -r "$work"' EXIT
unzip -qop "$jar" "$theirs" > "$folder/$theirs" || stop 2 "'$jar' has no $theirs"

# The jar's library has C++ strings of the kind that its compiler had: of GCC 4 up
# to RocksDB 10.10, of GCC 5 and later in 11.8. It has no RTTI.
abi=0
! nm -D --defined-only "$folder/$theirs" | grep GetRocksVersionAsStringB5cxx11 > /dev/null || abi=1
compile=("${CXX:-c++}" -std=c++20 -O2 -DNDEBUG -fPIC -fno-rtti -fvisibility=hidden -fvisibility-inlines-hidden
  -D_GLIBCXX_USE_CXX11_ABI=$abi -DLINEBLOOM_ROCKSDB_PLUGIN -I"$root" -I"$root/filter_policy/include"
  -I"$source" -I"$source/include" -I"$jdk/include" -I"$jdk/include/linux")
{
  sed -n 's/^  \(filter_policy\/.*\.cc\).*/\1/p' "$root/linebloom.mk"
  echo filter_policy/policy/register_on_load.cc
  echo packaging/java/line_filter.cc
} |
  xargs -P "$(nproc)" -I{} bash -c '"${@:3}" -c "$1/{}" -o "$2/$(basename {} .cc).o"' - \
    "$root" "$work" "${compile[@]}" || stop 1 "linebloom doesn't compile with this RocksDB"
# Linked by -l: with a path the loader would look nowhere else, for it has no soname.
"${compile[@]}" -shared "$work"/*.o -L"$folder" "-l:$theirs" -Wl,-z,defs -Wl,-rpath,'$ORIGIN' -pthread \
  -o "$folder/librocksdbjni.so" 2> "$work/errors" || {
  grep --max-count=1 undefined "$work/errors" >&2
  stop 1 "the library in '$jar' lacks functions of that RocksDB"
}
javac --release 8 -Xlint:-options -cp "$jar" -d "$work" "$root/packaging/java/linebloom/LineFilter.java"
jar --create --file "$folder/linebloom.jar" -C "$work" linebloom

# Loading it registers linebloom, which says on stderr if the versions differ.
problem=$(LD_BIND_NOW=1 LD_PRELOAD=$(realpath "$folder/librocksdbjni.so") /bin/true 2>&1) || true
[[ ! $problem ]] || stop 1 "$problem"
echo "-Djava.library.path=$(realpath "$folder")"
