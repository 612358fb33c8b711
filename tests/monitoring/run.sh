#!/usr/bin/env bash
# Tries the metrics and the dashboard with the distribution's Prometheus: an
# application with linebloom::FilterMetrics and `filter_dump --format=prometheus`
# are scraped for half a minute, `promtool` checks what they print, and each
# query of docs/grafana/linebloom.json has to give figures. It also loads
# docs/grafana/alerts.yml.
#
#   tests/monitoring/run.sh
#
# Needs Debian's prometheus and python3, and a build in build/release. Exits with
# 0 if all is well, 1 if something is wrong, or 2 if something is missing. ctest
# doesn't run it, because of the packages.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"

for program in prometheus promtool python3; do
  command -v "$program" > /dev/null || {
    echo "run.sh: no $program; apt-get install prometheus python3 installs it" >&2
    exit 2
  }
done
cmake --build --preset release --target metered_database filter_dump > build/monitoring.log ||
  { cat build/monitoring.log >&2; exit 2; }

folder=$(mktemp --directory)
pids=()
stop() {
  ((${#pids[@]} == 0)) || kill "${pids[@]}" 2> /dev/null || true
  wait || true
  rm -r "$folder"
}
trap stop EXIT
mkdir "$folder/served"

port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
pages=$(port) prometheus=$(port)

build/release/tests/monitoring/metered_database "$folder/db" "$folder/served/application" 30 &
application=$!
pids+=("$application")
python3 -m http.server --bind 127.0.0.1 --directory "$folder/served" "$pages" &> /dev/null &
pids+=("$!")
cat > "$folder/prometheus.yml" << END
global: {scrape_interval: 1s}
scrape_configs:
  - {job_name: application, metrics_path: /application, static_configs: [{targets: ['127.0.0.1:$pages']}]}
  - {job_name: filter_dump, metrics_path: /filter_dump, static_configs: [{targets: ['127.0.0.1:$pages']}]}
END
echo "rule_files: ['$root/docs/grafana/alerts.yml']" >> "$folder/prometheus.yml"
promtool check config --lint=all "$folder/prometheus.yml" > /dev/null
prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/tsdb" \
  --web.listen-address="127.0.0.1:$prometheus" &> "$folder/prometheus.log" &
pids+=("$!")

# As a cron job with the textfile collector would do.
sleep 3
while kill -0 "$application" 2> /dev/null; do
  (cd "$folder" && "$root/build/release/tools/filter_dump" --db=db --format=prometheus > filter_dump.new)
  mv "$folder/filter_dump.new" "$folder/served/filter_dump"
  sleep 2
done
wait "$application"
for page in application filter_dump; do
  promtool check metrics < "$folder/served/$page"
  echo "promtool finds nothing wrong with $(grep --count --invert-match '^#' "$folder/served/$page") samples of $page"
done
tests/monitoring/check_dashboard.py docs/grafana/linebloom.json "http://127.0.0.1:$prometheus"
