#!/usr/bin/env bash
# A cluster of Kvrocks on 127.0.0.1, two masters and a replica of the first, whose
# program is switched from Bloom filters to linebloom and back while the data stays.
# Prints a table of what each step costs.
#
#   tests/engines/kvrocks.sh BLOOM LINEBLOOM [ROWS]
#
# BLOOM is the program kvrocks as it is, LINEBLOOM the same with the line that
# docs/recipes.md#kvrocks changes. ROWS is 400000 by default. Takes some minutes. Uses
# the ports from PORT (default: 23200) to PORT+2, and build/engines/kvrocks, which stays
# for a look at the files. Needs build/release and Python. Exit code 0: all answers were
# right; 1: something failed; 2: bad usage, or something is missing.
set -euo pipefail
tool=kvrocks
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
(($# == 2 || $# == 3)) || stop 2 "usage: tests/engines/kvrocks.sh BLOOM LINEBLOOM [ROWS]"
rows=${3:-400000} port=${PORT:-23200}
[[ $rows =~ ^[1-9][0-9]{3,7}$ ]] || stop 2 "'$rows' is not a number from 1000 to 99999999"
for program in "$1" "$2"; do
  [[ -x $program ]] || stop 2 "'$program' is not a program"
done
filters > /dev/null
rm -rf "$work"/{0,1,2}

# start PROGRAM: runs it for all three.
start() {
  now=$1
  for i in 0 1 2; do
    mkdir -p "$work/$i"
    cat > "$work/$i/conf" << END
bind 127.0.0.1
port $((port + i))
dir $work/$i
log-dir $work/$i
cluster-enabled yes
rocksdb.block_cache_size 32
END
    "$now" -c "$work/$i/conf" >> "$work/$i/out" 2>&1 &
    pids[i]=$!
  done
  for i in 0 1 2; do until_open $i $((port + i)); done
}

# switch PROGRAM
switch() {
  kill -TERM "${pids[@]}"
  wait "${pids[@]}" || true
  start "$1"
}

client() {
  "$root/tests/engines/kvrocks_load.py" "$port" "$1" "$rows" 2>> "$work/client.log" ||
    stop 1 "the client's $1 failed: see build/engines/kvrocks/client.log"
}

# step WHAT: reads all rows and as many that are missing, and prints a row.
step() {
  local costs found policy rss=0 i
  costs=$(client read)
  found=$(filters "$work"/{0,1,2}/db)
  policy=$(sed -n 's/.* filter_policy: //p' "$work/0/db/LOG" | tail -1)
  for i in 0 1 2; do rss=$((rss + $(awk '/^VmRSS/ {print $2}' "/proc/${pids[i]}/status"))); done
  printf '%-24s %-12s %5d %4d %9d %7.4f %9.5f %6d %6d %5d\n' "$1" "$policy" $found $costs $((rss / 1024))
}

start "$1"
client setup
client write
client compact
cat << END
                                            of line-    filter  their    blocks    us a read
step                     program's    files bloom     bytes  rate %  per miss    hit   miss    MB
END
step "1. filled, compacted"
switch "$2"
step "2. switched"
client compact
step "3. compacted"
client move
client compact
step "4. slot moved, compacted"
switch "$1"
step "5. switched back"
client compact
step "6. compacted"
