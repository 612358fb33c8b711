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

# until_open SERVER PORT: waits for the server with pids[SERVER].
until_open() {
  while ! (: < "/dev/tcp/127.0.0.1/$2") 2> /dev/null; do
    kill -0 "${pids[$1]}" 2> /dev/null || stop 1 "no server at port $2: see *.log in build/engines/$tool"
    sleep 1
  done
}
