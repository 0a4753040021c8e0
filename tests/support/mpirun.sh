#!/bin/sh
# mpirun.sh <openmpi|mpich> <ranks> program [arguments...]
# Starts an MPI test the same way everywhere: any number of ranks on any number of cores, as any
# user, quietly, with a temporary directory of its own that is gone afterwards.
# TRIBUTARY_TEST_DIR=<folder>: makes a scratch folder there and passes it as `--dir <folder>`.
set -u
if [ $# -lt 3 ]; then
  echo "usage: $0 <openmpi|mpich> <ranks> program [arguments...]" >&2
  exit 2
fi
mpi=$1 ranks=$2
shift 2

TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/tributary-mpi.XXXXXX") || exit 2
export TMPDIR
scratch=
trap 'rm -rf "$TMPDIR" ${scratch:+"$scratch"}' EXIT
if [ -n "${TRIBUTARY_TEST_DIR:-}" ]; then
  mkdir -p "$TRIBUTARY_TEST_DIR" || exit 2
  scratch=$(mktemp -d "$TRIBUTARY_TEST_DIR/tributary-test.XXXXXX") || exit 2
  set -- "$@" --dir "$scratch"
fi

case $mpi in
  openmpi)
    launcher=${OPENMPI_MPIEXEC:-mpirun.openmpi}
    set -- --oversubscribe --bind-to none --mca btl_base_warn_component_unused 0 \
      --mca mpi_yield_when_idle 1 -n "$ranks" "$@"
    # Open MPI refuses root unless told; for anyone else the option would say nothing.
    if [ "$(id -u)" = 0 ]; then set -- --allow-run-as-root "$@"; fi ;;
  mpich)
    launcher=${MPICH_MPIEXEC:-mpirun.mpich}
    set -- -n "$ranks" "$@" ;;
  *)
    echo "$0: unknown MPI '$mpi'" >&2
    exit 2 ;;
esac
# In the background, so that a signal to this script alone ends the job too before it cleans up.
"$launcher" "$@" < /dev/null &
job=$!
trap 'kill "$job" 2> /dev/null' INT TERM HUP
wait "$job"
status=$?
while kill -0 "$job" 2> /dev/null; do wait "$job"; status=$?; done
exit "$status"
