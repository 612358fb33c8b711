#!/usr/bin/env bash
# Runs engines that have their own RocksDB inside with linebloom, and prints what
# lookups of missing rows read with Bloom's filters and with linebloom's.
#
#   tests/engines/run.sh bookkeeper  # its index of entry locations, without a server
#   tests/engines/run.sh streams     # a store of Kafka Streams, without a broker
#   tests/engines/run.sh cluster     # a Kafka broker on 127.0.0.1 and two instances
#
# Maven downloads the engine, git the source of its RocksDB, unless ROCKSDB_SOURCES
# names a folder that has it as rocksdb-VERSION. Takes one to four minutes, and keeps
# its files in build/engines. Needs a JDK 17, Maven, unzip, git and what
# packaging/java/build.sh needs; a cluster the ports PORT (23190) and PORT+1.
# Exit code 0: all answers were right; 1: not; 2: bad usage; 77: something can't be
# downloaded.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
engine=${1:-} port=${PORT:-23190}

# stop CODE SENTENCE
stop() {
  echo "run.sh: $2" >&2
  exit "$1"
}

# The RocksDB in each engine's rocksdbjni, and what Maven downloads.
case $engine in
  bookkeeper)
    rocksdb=7.10.2 program=BookKeeper artifacts=(org.apache.bookkeeper:bookkeeper-server:4.17.3)
    ;;
  streams | cluster)
    rocksdb=9.7.3 program=Streams
    artifacts=(org.apache.kafka:{kafka-streams-test-utils,kafka_2.13}:4.1.0)
    ;;
  *) stop 2 "expected bookkeeper, streams or cluster, found '$engine'" ;;
esac
for name in java javac mvn unzip git; do
  command -v $name > /dev/null || stop 77 "there is no $name"
done
work=$root/build/engines/$program
mkdir -p "$work"

sources=${ROCKSDB_SOURCES:-$root/build/engines}
[[ -d $sources/rocksdb-$rocksdb ]] ||
  git clone --quiet --depth 1 --branch "v$rocksdb" https://github.com/facebook/rocksdb "$sources/rocksdb-$rocksdb" ||
  stop 77 "git can't get RocksDB $rocksdb"

if [[ ! -d $work/jars ]]; then
  {
    echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
    echo '<groupId>any</groupId><artifactId>any</artifactId><version>1</version><dependencies>'
    printf '%s\n' "${artifacts[@]}" |
      sed 's|\(.*\):\(.*\):\(.*\)|<dependency><groupId>\1</groupId><artifactId>\2</artifactId><version>\3</version></dependency>|'
    echo '</dependencies></project>'
  } > "$work/pom.xml"
  mvn --batch-mode --quiet --file "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars.part" \
    > "$work/maven.log" 2>&1 || stop 77 "Maven can't get ${artifacts[*]}: see $work/maven.log"
  mv "$work/jars.part" "$work/jars"
fi
library=$work/library
[[ -f $library/linebloom.jar ]] ||
  "$root/packaging/java/build.sh" "$sources/rocksdb-$rocksdb" "$work/jars/rocksdbjni-$rocksdb.jar" "$library" > "$work/build.log"
jars=$work/jars/*:$library/linebloom.jar
javac -Xlint:-options -cp "$jars" -d "$work/classes" "$root/tests/engines/$program.java"
# Only errors.
cat > "$work/log4j2.properties" << 'END'
rootLogger.level=error
rootLogger.appenderRef.stderr.ref=stderr
appender.stderr.type=Console
appender.stderr.name=stderr
appender.stderr.target=SYSTEM_ERR
END
java=(java -Xmx512m -XX:-UsePerfData "-Djava.library.path=$library" -cp "$work/classes:$jars"
  "-Dlog4j2.configurationFile=$work/log4j2.properties")
rm -rf "$work/data"

if [[ $engine == cluster ]]; then
  cat > "$work/conf" << END
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$((port + 1))
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=127.0.0.1:$((port + 1))
log.dirs=$work/data/broker
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
END
  id=$("${java[@]}" kafka.tools.StorageTool random-uuid 2> "$work/broker.log")
  "${java[@]}" kafka.tools.StorageTool format --standalone --cluster-id "$id" --config "$work/conf" \
    >> "$work/broker.log" 2>&1 || stop 1 "the broker can't be set up: see $work/broker.log"
  "${java[@]}" kafka.Kafka "$work/conf" >> "$work/broker.log" 2>&1 &
  broker=$!
  trap 'kill -9 $broker 2> /dev/null || true' EXIT
fi
"${java[@]}" "$program" "$work/data" "127.0.0.1:$port" "$engine" 2> "$work/errors.log" ||
  stop 1 "wrong answers or none: see $work/errors.log"
