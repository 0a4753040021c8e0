#!/bin/bash
# Starts a client that writes and reads by itself, with the name of a file in a fresh folder.
#
# usage: own_file.sh <mpi> <ranks> <mpiio> program [args...], as run_client.sh has it
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$(dirname "$0")/run_client.sh" "$@" "$scratch/file"
