#!/usr/bin/env bash
# A Kafka broker on 127.0.0.1 and two instances of one Kafka Streams topology, whose
# state stores are switched from Bloom filters to linebloom and back by a
# RocksDBConfigSetter. Prints a table of what missing keys cost at each step.
#
#   tests/engines/kafka_streams.sh SOURCE [ROWS]
#
# SOURCE is the source tree of the RocksDB that Kafka's rocksdbjni has inside: 9.7.3
# for Kafka 4.1.0, which Maven downloads (KAFKA=VERSION: another). ROWS is 400000 by
# default. Takes some minutes. Uses the ports PORT (default: 23190) and PORT+1, and
# build/engines/kafka_streams, which stays for a look at the files. Needs a JDK 17,
# Maven, and what packaging/java/build.sh needs. Exit code 0: all answers were right;
# 1: something failed; 2: bad usage, or something is missing.
set -euo pipefail
tool=kafka_streams
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
(($# == 1 || $# == 2)) || stop 2 "usage: tests/engines/kafka_streams.sh SOURCE [ROWS]"
rows=${2:-400000} port=${PORT:-23190} version=${KAFKA:-4.1.0}
[[ $rows =~ ^[1-9][0-9]{3,7}$ ]] || stop 2 "'$rows' is not a number from 1000 to 99999999"
get_java "$1" "org.apache.kafka:kafka-streams:$version" "org.apache.kafka:kafka_2.13:$version"
rm -rf "$work"/{broker,state}

cat > "$work/conf" << END
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$((port + 1))
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=127.0.0.1:$((port + 1))
log.dirs=$work/broker
num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
END
id=$("${java[@]}" kafka.tools.StorageTool random-uuid 2> "$work/broker.log")
"${java[@]}" kafka.tools.StorageTool format --standalone --cluster-id "$id" --config "$work/conf" \
  >> "$work/broker.log" 2>&1 || stop 1 "the broker can't be set up: see build/engines/$tool/broker.log"
"${java[@]}" kafka.Kafka "$work/conf" >> "$work/broker.log" 2>&1 &
pids[0]=$!
until_open 0 "$port"
"${java[@]}" "$root/tests/engines/KafkaStreamsLoad.java" "127.0.0.1:$port" "$work/state" "$rows" 2> "$work/client.log" ||
  stop 1 "wrong answers or no answers: see build/engines/$tool/client.log"
