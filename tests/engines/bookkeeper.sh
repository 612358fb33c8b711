#!/usr/bin/env bash
# Three bookies of Apache BookKeeper and their ZooKeeper, all on 127.0.0.1, whose
# index of entry locations is switched from Bloom filters to linebloom by one line
# of its options file. Prints a table of what each step costs.
#
#   tests/engines/bookkeeper.sh SOURCE [ENTRIES]
#
# SOURCE is the source tree of the RocksDB that BookKeeper's rocksdbjni has inside:
# 7.10.2 for BookKeeper 4.17.3, which Maven downloads (BOOKKEEPER=VERSION: another).
# ENTRIES (default: 1000) is the length of each of 200 ledgers. Takes five minutes on
# two idle CPUs. Uses the ports from PORT (default: 23180) to PORT+3, and
# build/engines/bookkeeper, which stays for a look at the files. Needs build/release,
# a JDK 17, Maven, and what packaging/java/build.sh needs. Exit code 0: all answers
# were right; 1: something failed; 2: bad usage, or something is missing.
set -euo pipefail
tool=bookkeeper
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
(($# == 1 || $# == 2)) || stop 2 "usage: tests/engines/bookkeeper.sh SOURCE [ENTRIES]"
entries=${2:-1000} ledgers=200 port=${PORT:-23180} version=${BOOKKEEPER:-4.17.3}
[[ $entries =~ ^[1-9][0-9]{3,5}$ ]] || stop 2 "'$entries' is not a number from 1000 to 999999"
filters > /dev/null
# ZooKeeper's server needs the last two, and doesn't say so.
get_java "$1" "org.apache.bookkeeper:bookkeeper-server:$version" io.dropwizard.metrics:metrics-core:4.1.12.1 \
  org.xerial.snappy:snappy-java:1.1.10.5
rm -rf "$work"/{1,2,3,zookeeper,ids}
mkdir -p "$work"/{1,2,3,zookeeper}
metadata=zk+hierarchical://127.0.0.1:$port/ledgers

# policy NAME: the options file that BookKeeper comes with, but for that line, small
# files, so that there are several sorted runs, and statistics in LOG.
policy() {
  cat > "$work/entry_location_rocksdb.conf" << END
[DBOptions]
 create_if_missing=true
 max_background_jobs=2
 max_open_files=-1
 statistics=BasicStatistics
 stats_dump_period_sec=2
[CFOptions "default"]
 compression=kLZ4Compression
 write_buffer_size=262144
 max_write_buffer_number=4
 num_levels=7
 level0_file_num_compaction_trigger=4
 max_bytes_for_level_base=1048576
 target_file_size_base=1048576
 level_compaction_dynamic_level_bytes=true
[TableOptions/BlockBasedTable "default"]
 block_size=65536
 block_cache=206150041
 format_version=5
 checksum=kxxHash
 filter_policy=$1
 cache_index_and_filter_blocks=true
END
  now=$1
}

start_bookie() {
  "${java[@]}" org.apache.bookkeeper.server.Main --conf "$work/$1/conf" >> "$work/$1.log" 2>&1 &
  pids[$1]=$!
}
stop_bookie() {
  kill "-$2" "${pids[$1]}"
  wait "${pids[$1]}" 2> /dev/null || true
}
start_bookies() {
  for i in 1 2 3; do start_bookie $i; done
  for i in 1 2 3; do until_open $i $((port + i)); done
}
stop_bookies() {
  for i in 1 2 3; do stop_bookie $i TERM; done
}

# The offline rebuild that BookKeeper has for a lost index writes all of it anew. It
# takes the default options file, which elsewhere serves indexes without filters.
rebuild() {
  stop_bookies
  for i in 1 2 3; do
    sed "s|^defaultRocksdbConf=.*|defaultRocksdbConf=$work/entry_location_rocksdb.conf|" "$work/$i/conf" > "$work/$i/rebuild"
    "${java[@]}" org.apache.bookkeeper.bookie.BookieShell -conf "$work/$i/rebuild" \
      rebuild-db-ledger-locations-index >> "$work/$i.log" 2>&1
    rm -r "$work/$i"/ledgers/current/locations.BACKUP-*
  done
  start_bookies
}

client() {
  "${java[@]}" "$root/tests/engines/BookkeeperLoad.java" "$1" "$metadata" "$work/ids" "${@:2}" 2>> "$work/client.log" ||
    stop 1 "the client's $1 failed: see build/engines/bookkeeper/client.log"
}

# counts: lookups and data blocks so far, of all indexes. RocksDB writes its
# statistics to LOG every two seconds.
counts() {
  local log i dumps
  for i in 1 2 3; do
    log=$work/$i/ledgers/current/locations/LOG
    dumps=$(grep -c 'number.keys.read COUNT' "$log" || true)
    while (($(grep -c 'number.keys.read COUNT' "$log" || true) < dumps + 2)); do sleep 1; done
    awk '/number.keys.read COUNT/ {r = $NF} /cache.data.(hit|miss) COUNT/ {b[$1] = $NF}
         END {for (n in b) s += b[n]; print r, s}' "$log"
  done | awk '{r += $1; b += $2} END {print r, b}'
}

# step WHAT: reads all entries and a fifth as many that are not there, and prints a row.
step() {
  local hits misses before after found rss=0 i name=${now#*.}
  grep -qi "^  filter_policy: ${name%%:*}" "$work/1/ledgers/current/locations/LOG" ||
    stop 1 "the bookie doesn't use $now: see LOG in build/engines/bookkeeper/1/ledgers/current/locations"
  hits=$(client hits "$entries")
  before=$(counts)
  misses=$(client misses "$((entries / 5))")
  after=$(counts)
  for i in 1 2 3; do rss=$((rss + $(awk '/^VmRSS/ {print $2}' "/proc/${pids[$i]}/status"))); done
  found=$(filters "$work"/{1,2,3}/ledgers/current/locations)
  printf '%-26s %-27s %5d %4d %9d %7.4f ' "$1" "$now" $found
  awk -v run="$before $after $hits $misses $rss" 'BEGIN {
    split(run, r)
    printf "%8d %9.5f %7d %6d %5d\n", r[3] - r[1], (r[4] - r[2]) / (r[3] - r[1]), r[6], r[8], r[9] / 1024}'
}

# switch NAME: all bookies are restarted with another filter policy.
switch() {
  stop_bookies
  policy "$1"
  start_bookies
}

echo "clientPort=$port
clientPortAddress=127.0.0.1
dataDir=$work/zookeeper
admin.enableServer=false" > "$work/zookeeper/conf"
"${java[@]}" org.apache.zookeeper.server.ZooKeeperServerMain "$work/zookeeper/conf" \
  > "$work/zookeeper.log" 2>&1 &
pids[0]=$!
until_open 0 "$port"
for i in 1 2 3; do
  cat > "$work/$i/conf" << END
bookiePort=$((port + i))
advertisedAddress=127.0.0.1
listeningInterface=lo
allowLoopback=true
metadataServiceUri=$metadata
journalDirectories=$work/$i/journal
ledgerDirectories=$work/$i/ledgers
ledgerStorageClass=org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage
dbStorage_writeCacheMaxSizeMb=32
dbStorage_readAheadCacheMaxSizeMb=32
entryLocationRocksdbConf=$work/entry_location_rocksdb.conf
defaultRocksdbConf=
journalSyncData=false
diskUsageThreshold=0.99
diskUsageWarnThreshold=0.98
END
done
"${java[@]}" org.apache.bookkeeper.bookie.BookieShell -conf "$work/1/conf" initnewcluster > "$work/client.log" 2>&1 ||
  stop 1 "the cluster can't be made: see build/engines/bookkeeper/client.log"

policy rocksdb.BloomFilter:10:false
start_bookies
client write "$ledgers" "$entries" > /dev/null
cat << END
                                                           of line-    filter  their                  blocks        us a read
step                       filter_policy               files bloom     bytes  rate %   misses  per miss     hit   miss    MB
END
step "1. filled"
switch linebloom:10
step "2. switched"
rebuild
step "3. index rebuilt"

# The second bookie dies half-way while more ledgers are written. Then each entry that
# it has is read from it: once the first bookie is away, once the third.
client write $((ledgers / 10)) "$entries" > "$work/half" &
writer=$!
until grep -q half "$work/half"; do sleep 0.2; done
stop_bookie 2 KILL
sleep 5
start_bookie 2
until_open 2 $((port + 2))
wait $writer
for i in 1 3; do
  stop_bookie $i TERM
  client hits "$entries" > /dev/null
  start_bookie $i
  until_open $i $((port + i))
done
step "4. one killed, recovered"

# The way back. RocksDB alone can't use linebloom's filters, so the index is rebuilt.
switch rocksdb.BloomFilter:10:false
step "5. switched back"
rebuild
step "6. index rebuilt"
