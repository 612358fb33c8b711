#!/usr/bin/env bash
# Runs Debian's sortmerna, which sets no filter, with and without
# liblinebloom_override.so: it separates reads of 16S genes (real ones, with 2 %
# of their bases changed) from those of a phage. The first run stores alignments
# in its RocksDB; the second looks up each read's and writes the reports. Prints
# how many data blocks that requested and compares the reports.
#
#   try_sortmerna.sh LIBRARY COUNTER
#
# COUNTER is libcount_data_blocks.so.
#
# Needs the packages sortmerna, microbiomeutil-data, bowtie2-examples and python3.
# Works in a new folder inside the current one and removes it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/try_program.sh"
need sortmerna python3
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

# sortmerna's numbers for the two runs; the index is created only once.
declare -A task=([align]=0 [report]=2)
for side in "${sides[@]}"; do
  for step in align report; do
    run $side $step sortmerna --ref "$genes" --reads "$work/reads.fasta" \
      --workdir "$work/$side" --idx-dir "$work/idx" --threads 2 --fastx --blast 1 \
      --task ${task[$step]} > "$work/$side.out"
  done
done

print_heads
print_counts report
for report in out/aligned.blast out/aligned.fa; do check_same $report; done
echo "reads $(grep --count '>' "$work/reads.fasta")"
for side in "${sides[@]}"; do print_filters $side "$work/$side/kvdb"; done
