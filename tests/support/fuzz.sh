#!/bin/sh
# fuzz.sh <build folder> [cases] [first seed]
# The long property run: that many random cases on each MPI, most of them on two ranks, some on one,
# three and five, in memory and under the configurations. Without a seed, other cases every day.
set -u
build=$1 cases=${2:-100000} seed=${3:-$(($(date +%Y%m%d) * 1000))}
support=$(dirname "$0")
export TRIBUTARY_TEST_DIR="${TRIBUTARY_TEST_DIR:-/dev/shm}"
failed=0

# run <mpi> <ranks> <cases>
run() {
  program=$build/tests/mpi/test_property_$1
  [ -x "$program" ] || return 0
  echo "== $1, $2 ranks, $3 cases from seed $seed${TRIBUTARY_HINTS_FILE:+, $TRIBUTARY_HINTS_FILE}"
  "$support/mpirun.sh" "$1" "$2" "$program" --seed "$seed" --cases "$3" --watchdog 120 ||
    failed=$((failed + 1))
  seed=$((seed + $3))
}

for mpi in openmpi mpich; do
  run $mpi 2 $((cases * 6 / 10))
  run $mpi 1 $((cases * 2 / 10))
  run $mpi 3 $((cases / 20))
  run $mpi 5 $((cases / 100))
  for hints in "$support"/../mpi/configurations/*.hints; do
    TRIBUTARY_HINTS_FILE=$(realpath "$hints")
    export TRIBUTARY_HINTS_FILE
    run $mpi 2 $((cases / 100))
  done
  unset TRIBUTARY_HINTS_FILE
done
echo "$failed runs failed"
[ "$failed" = 0 ]
