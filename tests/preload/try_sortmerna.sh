#!/usr/bin/env bash
# Debian's sortmerna, which sets no filter, doing its job with and without
# liblinebloom_override.so: it sorts reads of 16S genes (real ones, with 2 % of
# their bases changed) from those of a phage. Alignments go to its RocksDB in a
# first run; a second one asks for each read's and writes the reports. Prints how
# many data blocks each second run asked for and compares the reports.
#
#   try_sortmerna.sh LIBRARY COUNTER
#
# COUNTER is libcount_data_blocks.so.
#
# Needs the packages sortmerna, microbiomeutil-data, bowtie2-examples and python3.
# Works in a new folder beneath the current one and removes it.
set -euo pipefail
library=$(realpath --canonicalize-existing "$1")
counter=$(realpath --canonicalize-existing "$2")
unset LINEBLOOM_OVERRIDE LINEBLOOM_VERBOSE

work=$(mktemp --directory "$PWD/try_sortmerna.XXXXXX")
trap 'rm -r "$work"' EXIT
genes=/usr/share/microbiomeutil-data/RESOURCES/rRNA16S.gold.fasta

zcat /usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz > "$work/phage.fasta"
python3 - "$genes" "$work/phage.fasta" > "$work/reads.fasta" << 'END'
import random, sys
def sequences(path):
    parts = open(path).read().split(">")[1:]
    return [s for s in ("".join(part.split("\n")[1:]).upper() for part in parts) if len(s) > 150]
genes, phage = map(sequences, sys.argv[1:])
random.seed(1)
for number in range(60000):
    source = random.choice(genes if number % 5 == 0 else phage)
    start = random.randrange(len(source) - 150)
    bases = [random.choice("ACGT") if random.random() < 0.02 else base
             for base in source[start:start + 150]]
    print(f">read{number}\n{''.join(bases)}")
END

# sort_reads NAME OVERRIDE: both runs; the index is made once.
sort_reads() {
  local name=$1 task
  for task in 0 2; do
    LINEBLOOM_OVERRIDE=$2 LD_PRELOAD="$counter $library" sortmerna --ref "$genes" \
      --reads "$work/reads.fasta" --workdir "$work/$name" --idx-dir "$work/idx" \
      --threads 2 --fastx --blast 1 --task $task > "$work/$name.out" 2> "$work/$name.$task"
  done
  printf '%-8s %s\n' "$name" "$(grep count_data_blocks "$work/$name.2")"
}

sort_reads without off
sort_reads with linebloom
for report in "$work"/without/out/aligned.*; do
  [[ $report == *.log ]] || cmp "$report" "${report/without/with}"
done
echo "reports  $(ls "$work/with/out" | tr '\n' ' '): the same"
echo "aligned  $(wc --lines < "$work/with/out/aligned.blast") of $(grep --count '>' "$work/reads.fasta") reads"
for file in "$work"/with/kvdb/*.sst; do
  sst_dump --file="$file" --show_properties --command=none | grep --text 'filter policy name'
done
