#!/usr/bin/env bash
# RocksDB's own db_bench with its Bloom and Ribbon filters and with linebloom:
# a table of ratios. bench/db_bench.sh --help says what and how.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/db_bench.py" "$@"
