#!/usr/bin/env bash
# Runs Debian's balboa-backend-rocksdb, a passive DNS database that sets no
# filter, with and without liblinebloom_override.so. balboa's own console feeds
# it observations (names of packages, of the hosts of their home pages and of
# their maintainers' mail, some of them repeatedly). Then it is queried for
# 5,000 of the hosts and 5,000 of the names. Prints how many data blocks each
# step requested and compares the answers.
#
#   try_balboa.sh LIBRARY COUNTER
#
# COUNTER is libcount_data_blocks.so. Needs the packages balboa-backend-rocksdb
# and python3 and apt's lists (apt-get update). Works in a new folder inside the
# current one and removes it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/try_program.sh"
need balboa-rocksdb balboa-backend-console python3 apt-cache
port=4242

apt-cache dumpavail > "$work/packages"
python3 "$here/balboa.py" observe "$work/dump" < "$work/packages"

ask() {
  python3 "$here/balboa.py" ask $port "$1" < "$work/packages"
}

feed() {
  balboa-backend-console replay -d "$work/dump" -p $port 2> "$work/replay"
  ask wait
}

# serve SIDE STEP COMMAND...: runs the command while the backend runs. Its
# memory budget is small, so that the data becomes files of several levels.
serve() {
  local server tries=0
  run "$1" "$2" balboa-rocksdb -d "$work/$1/db" -p $port --membudget 4194304 \
    > "$work/$1/log" 2> /dev/null & # hides the shell's message that it was terminated
  server=$!
  until (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do
    ((++tries < 100)) || fail "balboa-rocksdb does not listen: $(cat "$work/$1.$2")"
    sleep 0.1
  done
  "${@:3}"
  # Its parent is the shell that `run` became in the background.
  kill -TERM "$(ps -o pid= --ppid $server | tr -d ' ')"
  wait $server || true
}

for side in "${sides[@]}"; do
  mkdir "$work/$side"
  serve $side feed feed
  for step in rdata rrname; do
    serve $side "by $step" ask $step > "$work/$side/by $step"
  done
done

print_heads
for step in feed "by rdata" "by rrname"; do print_counts "$step"; done
for step in "by rdata" "by rrname"; do check_same "$step"; done
for side in "${sides[@]}"; do print_filters $side "$work/$side/db"; done
