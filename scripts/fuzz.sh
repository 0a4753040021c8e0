#!/bin/sh
# The long property run: random datatypes, views and operations against a byte-by-byte model.
#   fuzz.sh <build folder> <cases>
# Every failure prints its seed; replay it with the test's --seed and --cases 1.
set -eu
build=$1 cases=$2
here=$(dirname "$0")
seed=${SEED:-$(date +%s)}
echo "fuzz: $cases cases from seed $seed on each MPI"
for mpi in openmpi mpich; do
  program=$build/tests/mpi/test_property_$mpi
  [ -x "$program" ] || continue
  for ranks in 1 2 3; do
    TRIBUTARY_TEST_DIR=/dev/shm "$here/../tests/support/mpirun.sh" "$mpi" "$ranks" "$program" \
      --seed "$seed" --cases $((cases / 3 + 1)) --watchdog 3600
  done
done
