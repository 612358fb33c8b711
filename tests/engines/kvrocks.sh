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
  [[ -f $program && -x $program ]] || stop 2 "'$program' is not a program"
  [[ $(timeout 10 "$program" --version 2>&1 | tr -d '\0') == kvrocks* ]] || stop 2 "'$program' is not Kvrocks"
done
command -v python3 > /dev/null || stop 2 "there is no python3"
for i in 0 1 2; do
  ! (: < "/dev/tcp/127.0.0.1/$((port + i))") 2> /dev/null || stop 2 "port $((port + i)) is in use: set PORT"
done
filters > /dev/null
rm -rf "$work"/{0,1,2}
mkdir "$work"/{0,1,2}
: > "$work/client.log"

# start NODE. Old log files go soon, so that an empty replica can't do with them.
start() {
  cat > "$work/$1/conf" << END
bind 127.0.0.1
port $((port + $1))
dir $work/$1
log-dir stdout
workers 2
cluster-enabled yes
rocksdb.block_cache_size 32
rocksdb.wal_ttl_seconds 10
END
  "$program" -c "$work/$1/conf" >> "$work/$1.log" 2>&1 &
  pids[$1]=$!
}
stop_node() {
  kill "-$2" "${pids[$1]}"
  { timeout 120 tail --pid="${pids[$1]}" -f /dev/null && wait "${pids[$1]}" || true; } 2> /dev/null
  ! kill -0 "${pids[$1]}" 2> /dev/null || stop 1 "node $1 doesn't stop"
}

# run PROGRAM POLICY: has all three nodes run this program, which must have this policy.
run() {
  local i used
  for i in "${!pids[@]}"; do stop_node "$i" TERM; done
  program=$1 policy=$2
  for i in 0 1 2; do start $i; done
  for i in 0 1 2; do
    until_open $i $((port + i))
    used=$(sed -n 's/^.* filter_policy: //p' "$work/$i/db/LOG" | tail -1)
    [[ $used == *"$policy"* ]] || stop 1 "'$program' has the filter policy $used, not $policy"
  done
}

client() {
  timeout 900 "$root/tests/engines/kvrocks_load.py" "$port" "$@" 2>> "$work/client.log" ||
    stop 1 "the client's $1 failed: see build/engines/kvrocks/client.log"
}

# step WHAT [FILTERS]: reads all rows and as many that are missing, and prints a row.
# FILTERS is whose filters all files must have.
step() {
  local costs masters replica rss=0 i
  costs=$(client read "$rows")
  read -ra costs <<< "$costs"
  masters=$(filters "$work"/{0,1}/db)
  replica=$(filters "$work/2/db")
  for i in 0 1 2; do rss=$((rss + $(awk '/^VmRSS/ {print $2}' "/proc/${pids[$i]}/status"))); done
  printf '%-25s %-11s %5d %4d %9d %7.4f %8d %9.5f %6d %4d %8d %9.5f %5d\n' "$1" "$policy" \
    $masters "${costs[@]:0:2}" $(cut -d' ' -f1,2 <<< "$replica") "${costs[@]:2}" $((rss / 1024))
  awk -v filters="${2:-}" '{all += $1; ours += $2} END {
    exit filters == "linebloom" && ours < all || filters == "bloomfilter" && ours > 0}' <<< "$masters
$replica" || stop 1 "not all files have filters of $2"
}

run "$1" bloomfilter
client setup
client write "$rows"
client compact
cat << END
                                      masters: of line-    filter  their              blocks   replica: of line-        blocks
step                      policy        files bloom     bytes  rate %     rows  per miss  files bloom     rows  per miss    MB
END
step "1. filled, compacted" bloomfilter
run "$2" linebloom
step "2. switched"
client compact
step "3. compacted" linebloom
moved=$(client move "$rows")
client compact
step "4. slot moved, compacted" linebloom

# An empty replica gets a copy of the files that its master has.
copies=$(client info 0 sync_full)
stop_node 2 TERM
rm -r "$work/2/db"
start 2
until_open 2 $((port + 2))
client sync
(($(client info 0 sync_full) > copies)) || stop 1 "the replica didn't copy its master's files"
step "5. replica copied" linebloom

# The second master dies while rows are written. All that were acknowledged are read.
client write_on "$rows" > "$work/acknowledged" &
writer=$!
sleep 3
stop_node 1 KILL
wait $writer || exit 1
acknowledged=$(< "$work/acknowledged")
((acknowledged > 0)) || stop 1 "no row was written before the second master was killed"
rows=$((rows + acknowledged))
start 1
until_open 1 $((port + 1))
client sync
step "6. one killed, recovered" linebloom

# The way back. RocksDB alone can't use linebloom's filters, so the files are rewritten.
run "$1" bloomfilter
client sync
step "7. switched back"
client compact
step "8. compacted" bloomfilter
echo "$moved; $acknowledged rows were acknowledged before a master was killed"
