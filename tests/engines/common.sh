# For the scripts in this folder: `tool` is the script's name, `work` its folder.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$root/build/engines/$tool
mkdir -p "$work"
pids=()
trap '((${#pids[@]} == 0)) || kill -9 "${pids[@]}" 2> /dev/null || true' EXIT

# stop CODE SENTENCE
stop() {
  echo "$tool.sh: $2" >&2
  exit "$1"
}

# filters DATABASE...: how many files they have, how many with linebloom's filters, and
# the bytes and the rate in percent of all filters.
filters() {
  local dump=$root/build/release/tools/filter_dump database
  [[ -x $dump ]] || stop 2 "build/release has no filter_dump: tools/run_tests.sh builds it"
  for database; do "$dump" --db="$database" --format=prometheus; done | awk '
    {match($0, /column_family=.*level="[0-9]*"/); level = substr($0, RSTART, RLENGTH)}
    /^linebloom_files/ {files += $NF; if (/"linebloom"/) ours += $NF}
    /^linebloom_filter_keys/ {keys[level] += $NF; all += $NF}
    /^linebloom_filter_bytes/ {bytes += $NF}
    /^linebloom_expected_false/ {rate += $NF * keys[level]; keys[level] = 0}
    END {print files + 0, ours + 0, bytes + 0, all ? 100 * rate / all : 0}'
}

# get_java SOURCE GROUP:NAME:VERSION...: has Maven download these and all that they
# need, makes linebloom for their rocksdbjni from RocksDB's SOURCE, and sets `java` to
# a command that has both. It logs warnings to stderr, but not each missing entry.
get_java() {
  local name jars folder rocksdb artifact source=$1
  shift
  for name in java mvn unzip; do
    command -v "$name" > /dev/null || stop 2 "there is no $name"
  done
  jars=$work/jars-${1##*:}
  if [[ ! -d $jars ]]; then
    {
      echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
      echo '<groupId>any</groupId><artifactId>any</artifactId><version>1</version><dependencies>'
      for artifact; do
        sed 's|\(.*\):\(.*\):\(.*\)|<dependency><groupId>\1</groupId><artifactId>\2</artifactId><version>\3</version></dependency>|' <<< "$artifact"
      done
      echo '</dependencies></project>'
    } > "$work/pom.xml"
    mvn --batch-mode --quiet --file "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$jars.part" \
      > "$work/maven.log" 2>&1 || stop 2 "Maven can't get $1: see build/engines/$tool/maven.log"
    mv "$jars.part" "$jars"
  fi
  rocksdb=("$jars"/rocksdbjni-*.jar)
  folder=$work/$(basename "${rocksdb[0]}" .jar)
  if [[ ! -f $folder/linebloom.jar ]]; then
    "$root/packaging/java/build.sh" "$source" "${rocksdb[0]}" "$folder" > "$work/build.log" || exit
  fi
  echo "status=error
rootLogger.level=warn
rootLogger.appenderRef.stderr.ref=stderr
logger.reads.name=org.apache.bookkeeper.client
logger.reads.level=off
appender.stderr.type=Console
appender.stderr.name=stderr
appender.stderr.target=SYSTEM_ERR" > "$work/log4j2.properties"
  java=(java -Xmx256m -XX:MaxDirectMemorySize=512m -XX:-UsePerfData -cp "$jars/*:$folder/linebloom.jar"
    "-Djava.library.path=$folder" "-Dlog4j2.configurationFile=$work/log4j2.properties")
}

# until_open SERVER PORT: waits for the server with pids[SERVER], at most five minutes.
until_open() {
  local seconds
  for ((seconds = 0; seconds < 300; ++seconds)); do
    ! (: < "/dev/tcp/127.0.0.1/$2") 2> /dev/null || return 0
    kill -0 "${pids[$1]}" 2> /dev/null || break
    sleep 1
  done
  stop 1 "no server at port $2: see *.log in build/engines/$tool"
}
