#!/bin/sh
# differential.sh <openmpi|mpich> <ranks> <program> <libtributary> [--seed S] [--cases N]
# Runs tests/mpi/differential.cpp with the MPI's own MPI-IO and with Tributary preloaded, and
# compares the files and what was read, case by case. Where they differ, the model in the program
# says who was wrong; the test fails only if Tributary was, or if the model cannot tell.
set -u
mpi=$1 ranks=$2 program=$3 library=$4
shift 4
support=$(dirname "$0")
scratch=$(mktemp -d "${TRIBUTARY_TEST_DIR:-/dev/shm}/tributary-differential.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
unset TRIBUTARY_TEST_DIR
mkdir "$scratch/stock" "$scratch/ours"

"$support/mpirun.sh" "$mpi" "$ranks" "$program" "$@" --dir "$scratch/stock" \
  > "$scratch/stock.log" 2>&1
stock_status=$?
"$support/mpirun.sh" "$mpi" "$ranks" env LD_PRELOAD="$library" "$program" "$@" \
  --dir "$scratch/ours" > "$scratch/ours.log" 2>&1 ||
  { echo "FAILED: the run with Tributary ended with $?"; cat "$scratch/ours.log"; exit 1; }
if [ "$stock_status" != 0 ]; then
  echo "the MPI's own MPI-IO ended with $stock_status:"
  tail -n 5 "$scratch/stock.log"
fi
grep -h "^MPI-IO of" "$scratch/stock.log" "$scratch/ours.log"
grep -q "^MPI-IO of .*libtributary" "$scratch/ours.log" ||
  { echo "FAILED: Tributary was not in use"; exit 1; }
if grep -q "^MPI-IO of .*libtributary" "$scratch/stock.log"; then
  echo "FAILED: Tributary was in use in the run without it"
  exit 1
fi

# Says for one case whether a run differs from the model.
wrong() { grep -hs "^WRONG" "$scratch/$1/$2".[0-9]*; }

same=0 stock_wrong=0 failed=0
for file in "$scratch/ours"/*.file; do
  case=$(basename "$file" .file)
  if wrong ours "$case"; then
    echo "FAILED: case $case: Tributary was wrong, see above"
    failed=$((failed + 1))
    continue
  fi
  equal=yes
  for part in "$scratch/ours/$case".*; do
    cmp -s "$part" "$scratch/stock/$(basename "$part")" || equal=no
  done
  if [ "$equal" = yes ]; then
    same=$((same + 1))
  elif [ "$stock_status" != 0 ] && [ ! -s "$scratch/stock/$case.0" ]; then
    stock_wrong=$((stock_wrong + 1))
  elif problem=$(wrong stock "$case" | head -n 1) && [ -n "$problem" ]; then
    echo "case $case: the MPI's own MPI-IO is wrong: $problem"
    stock_wrong=$((stock_wrong + 1))
  else
    echo "FAILED: case $case: the two differ and the model saw nothing"
    failed=$((failed + 1))
  fi
done
echo "$same cases alike, $stock_wrong with the MPI's own MPI-IO wrong or not reached, $failed failed"
# Nothing alike means that nothing was compared.
[ "$failed" = 0 ] && [ "$same" -gt 0 ]
