#!/bin/bash
# The library must define every MPI-IO function that the MPI's own header declares, under its
# MPI_ and its PMPI_ name (one left out would hand our file handle to the MPI), and nothing
# else but the names in the extra file: it lives in a stranger's process.
#
# usage: check_exports.sh <mpicc> <library> <extra file>
set -euo pipefail
export LC_ALL=C # sort and comm must agree
mpicc=$1 library=$2 extra=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The compiler is asked, not the header file: it follows the includes and conditions. Only a
# name right in front of a parenthesis is a function; the types of callbacks are not.
echo '#include <mpi.h>' > "$scratch/header.c"
"$mpicc" -E -P "$scratch/header.c" | tr '\n' ' ' |
  grep -oE '\bMPI_(File_|Register_datarep)[A-Za-z0-9_]* *\(' | tr -d ' (' |
  sort -u > "$scratch/functions"
count=$(wc -l < "$scratch/functions")
if [ "$count" -lt 62 ]; then
  echo "FAIL: only $count MPI-IO functions found in mpi.h, MPI-3 has 62: the extraction is broken"
  exit 1
fi

sed 's/#.*//' "$extra" | tr -s ' ' '\n' | sed '/^$/d' > "$scratch/extra"
sed 'p; s/^/P/' "$scratch/functions" | sort -u - "$scratch/extra" > "$scratch/expected"
# Type A is the name of a version node; a version after @ is not part of the name.
nm -D --defined-only "$library" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' |
  sort -u > "$scratch/exported"

missing=$(comm -23 "$scratch/expected" "$scratch/exported")
unexpected=$(comm -13 "$scratch/expected" "$scratch/exported")
if [ -n "$missing$unexpected" ]; then
  sed '/^$/d; s/^/missing: /' <<< "$missing"
  sed '/^$/d; s/^/must not be exported: /' <<< "$unexpected"
  echo "FAIL: $library"
  exit 1
fi
echo "$count functions under two names each, $(wc -l < "$scratch/extra") extra, nothing else"
