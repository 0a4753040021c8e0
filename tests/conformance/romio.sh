#!/bin/bash
# Runs ROMIO's test programs on the MPI's own MPI-IO and on Tributary, and prints a table.
# Fails when Tributary fails a program that an MPI's own MPI-IO passes, unless romio.later
# names it.
#
# usage: romio.sh <folder> <mpi>=<library>... [-- program...]
# <folder> holds the sources (fetch_romio.sh), the programs and the log of every run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
run=$here/../clients/run_client.sh
seconds_max=${CONFORMANCE_SECONDS_MAX:-120} # of one run
declare -A libraries result later skipped

if [ ! -d "$1/test" ]; then
  echo "SKIP: ROMIO's tests are not in $1 (make conformance fetches them)"
  exit 77
fi
folder=$(cd "$1" && pwd)
shift
mpis=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  mpis+=("${1%%=*}")
  libraries[${1%%=*}]=${1#*=}
  shift
done
[ $# -eq 0 ] || shift
only=" $* "
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$folder/logs"

# Fills in the templates as ROMIO's configure would.
source_of() { # name
  local base=$folder/test/$1
  if [ -f "$base.c" ]; then
    echo "$base.c"
  elif [ -f "$base.c.in" ]; then
    sed 's/@LL@/lld/g' "$base.c.in" > "$scratch/$1.c"
    echo "$scratch/$1.c"
  else
    sed -e 's/@F77IARGC@/iargc()/; s/@F77GETARG@/call getarg(i, str)/; s/@F77MPIOINC@//' \
      -e 's/@FORTRAN_MPI_OFFSET@/integer(kind=MPI_OFFSET_KIND)/' "$base.f.in" > "$scratch/$1.f"
    echo "$scratch/$1.f"
  fi
}

compile() { # mpi source program
  mkdir -p "$(dirname "$3")"
  case $2 in
    *.f) "mpifort.$1" -w -fallow-argument-mismatch "$2" -o "$3" ;;
    *)   "mpicc.$1" -w -D_GNU_SOURCE -include "$here/removed_types.h" "$2" -o "$3" -ldl ;;
  esac
}

# One program on one MPI-IO; prints pass, or how it failed.
outcome() { # mpi mpiio program ranks text args log
  local place code=0 runner
  place=$(mktemp -d "$scratch/run.XXXXXX")
  cd "$place"
  # timeout makes a process group of its own: our end must reach it too.
  # shellcheck disable=SC2086 # the arguments of the table are words
  timeout -k 10 "$seconds_max" "$run" "$1" "$4" "$2" "$3" ${6//FILE/$place/file} \
    > "$7" 2>&1 < /dev/null &
  runner=$!
  trap 'kill $runner; exit 143' INT TERM
  wait $runner || code=$?
  rm -rf "$place"
  if [ $code -eq 124 ] || [ $code -eq 137 ]; then
    echo "timeout"
  elif grep -qE 'signal (4|6|7|8|11)\b' "$7"; then # the launchers say so, their codes differ
    echo "crash"
  elif [ $code -ne 0 ]; then
    echo "fail"
  elif [[ $5 == !* ]] && grep -q -- "${5#!}" "$7"; then
    echo "fail"
  elif [[ $5 != - && $5 != !* ]] && ! grep -q -- "$5" "$7"; then
    echo "fail"
  else
    echo "pass"
  fi
}

trim() { sed 's/^ *//; s/ *$//' <<< "$1"; }

# No table of a library that was not in use.
for mpi in "${mpis[@]}"; do
  compile "$mpi" "$here/../clients/whose_mpiio.c" "$folder/bin/$mpi/whose_mpiio"
  "$run" "$mpi" 2 "${libraries[$mpi]}" "$folder/bin/$mpi/whose_mpiio" "$scratch/file"
done

while IFS='|' read -r name reason; do
  [[ $name =~ ^# ]] || later[$(trim "$name")]=$(trim "$reason")
done < "$here/romio.later"

printf '%-18s' program
for mpi in "${mpis[@]}"; do printf '%-16s%-26s' "$mpi" "$mpi+tributary"; done
echo
failed=() passed_later=()
while IFS='|' read -r name ranks text args <&3; do
  name=$(trim "$name") ranks=$(trim "$ranks") text=$(trim "$text") args=$(trim "$args")
  [[ $name =~ ^# ]] && continue
  [ "$only" = "  " ] || [[ $only == *" $name "* ]] || continue
  args=${args//TESTS/$folder/test}
  source=$(source_of "$name")
  stock_passes=no
  for mpi in "${mpis[@]}"; do
    program=$folder/bin/$mpi/$name
    log=$folder/logs/$name.$mpi
    result[$mpi.stock]=skip result[$mpi.ours]=skip
    if [[ $ranks == *'*' && -z ${CONFORMANCE_HEAVY:-} ]]; then
      skipped[$name]='heavy, CONFORMANCE_HEAVY=1 runs it'
      continue
    elif ! compile "$mpi" "$source" "$program" > "$log.compile" 2>&1; then
      skipped[$name]="does not compile, see $log.compile"
      continue
    fi
    result[$mpi.stock]=$(outcome "$mpi" stock "$program" "${ranks%\*}" "$text" "$args" "$log.stock")
    result[$mpi.ours]=$(outcome "$mpi" "${libraries[$mpi]}" "$program" "${ranks%\*}" "$text" \
      "$args" "$log.tributary")
    [ "${result[$mpi.stock]}" != pass ] || stock_passes=yes
  done

  printf '%-18s' "$name"
  for mpi in "${mpis[@]}"; do
    ours=${result[$mpi.ours]}
    if [[ $ours == pass && -n ${later[$name]:-} ]]; then
      passed_later+=("$name on $mpi")
    elif [[ $ours == fail && -n ${later[$name]:-} ]]; then
      ours="later: ${later[$name]}" # a crash or a hang is never for later
    elif [[ $ours != pass && $ours != skip && $stock_passes == yes ]]; then
      failed+=("$name.$mpi")
    fi
    printf '%-16s%-26s' "${result[$mpi.stock]}" "$ours"
  done
  echo
done 3< "$here/romio.tests"

for name in "${!skipped[@]}"; do echo "skip: $name: ${skipped[$name]}"; done
for name in "${passed_later[@]}"; do echo "note: $name passes and may leave romio.later"; done
for name in "${failed[@]}"; do
  echo "FAIL: ${name/./ on }: $folder/logs/$name.tributary ends with"
  tail -n 5 "$folder/logs/$name.tributary" | sed 's/^/    /'
done
[ ${#failed[@]} -eq 0 ]
