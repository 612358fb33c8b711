#!/usr/bin/env bash
# Compares linebloom with RocksDB's Bloom and Ribbon filters in RocksDB's own
# db_bench and prints a table of ratios. See bench/db_bench.sh --help.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/db_bench.py" "$@"
