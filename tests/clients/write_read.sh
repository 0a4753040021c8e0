#!/bin/bash
# A file must not depend on who wrote it: the client writes and reads it with Tributary, then
# writes with one MPI-IO and reads with the other, both ways.
#
# usage: write_read.sh <mpi> <ranks> <library> program [args...]
# The program is started with `write <file>` and `read <file>` after its own arguments.
set -euo pipefail
mpi=$1 ranks=$2 library=$3
shift 3
run=$(dirname "$0")/run_client.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for pair in "$library $library" "$library stock" "stock $library"; do
  read -r writer reader <<< "$pair"
  echo "writer: $(basename "$writer"), reader: $(basename "$reader")"
  rm -f "$scratch/file"
  "$run" "$mpi" "$ranks" "$writer" "$@" write "$scratch/file"
  "$run" "$mpi" "$ranks" "$reader" "$@" read "$scratch/file"
done
