#!/usr/bin/env bash
# Runs Debian 13's oxigraph, an RDF database that sets no filter for most of its
# column families, with and without liblinebloom_override.so: it loads what apt
# knows about all packages, some million statements, derives others by SPARQL
# updates, most of them new, and answers queries. Prints how many data blocks
# each step requested and compares the answers and the final contents of the
# database.
#
#   try_oxigraph.sh LIBRARY COUNTER
#
# COUNTER is libcount_data_blocks.so. Needs the packages oxigraph and python3
# and apt's lists (apt-get update). Works in a new folder inside the current one
# and removes it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/try_program.sh"
need oxigraph python3 apt-cache

apt-cache dumpavail | python3 "$(dirname "${BASH_SOURCE[0]}")/packages_to_rdf.py" > "$work/packages.nt"
echo "$(wc --lines < "$work/packages.nt") lines of N-Triples on $(apt-cache dumpavail | grep --count ^Package:) packages"

field=https://packages.debian.org/field
declare -A sparql=(
  ["insert needed-by"]="INSERT { ?b <$field/needed-by> ?a } WHERE { ?a <$field/Depends> ?b }"
  ["insert wanted-by"]="INSERT { ?b <$field/needed-by> ?a } WHERE { ?a <$field/Recommends> ?b }"
  ["delete suggested"]="DELETE { ?b <$field/needed-by> ?a } WHERE { ?a <$field/Suggests> ?b }"
  [one-way]="SELECT ?a ?b WHERE { ?a <$field/Depends> ?b FILTER NOT EXISTS { ?b <$field/Depends> ?a } }"
  [triangles]="SELECT ?a ?b ?c WHERE { ?a <$field/Depends> ?b . ?b <$field/Depends> ?c . ?c <$field/Depends> ?a }"
  [all]="SELECT ?s ?p ?o WHERE { ?s ?p ?o }"
)
updates=("insert needed-by" "insert wanted-by" "delete suggested")
queries=(one-way triangles all)

# store SIDE STEP ARGUMENT...: after its work, Debian 13's oxigraph always fails
# an assertion in RocksDB, `last_ref', because it closes the database before its
# column families. So its exit code says nothing, and the shell's message is
# hidden.
store() {
  run "$1" "$2" oxigraph "${@:3}" --location "$work/$1/db" 2> /dev/null || true
  ! grep --text --quiet ^Error "$work/$1.$2" || fail "$(cat "$work/$1.$2")"
}

for side in "${sides[@]}"; do
  mkdir "$work/$side"
  store $side load load --file "$work/packages.nt"
  # The files that it loads are written by SstFileWriter without a filter
  # policy; this rewrites them.
  store $side optimize optimize
  for step in "${updates[@]}"; do
    store $side "$step" update --update "${sparql[$step]}"
  done
  # The number of files at this point depends on the timing of compactions.
  store $side "optimize again" optimize
  for step in "${queries[@]}"; do
    store $side "$step" query --query "${sparql[$step]}" --results-format csv \
      --results-file "$work/$side/rows"
    sort "$work/$side/rows" > "$work/$side/$step"
  done
done

print_heads
for step in "${updates[@]}" "${queries[@]}"; do print_counts "$step"; done
for step in "${queries[@]}"; do check_same "$step"; done
for side in "${sides[@]}"; do print_filters $side "$work/$side/db"; done
