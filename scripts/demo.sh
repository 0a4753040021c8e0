#!/usr/bin/env bash
# Runs an ordinary MPI program (examples/tiles.c) with the MPI's own MPI-IO and with Tributary
# preloaded, for each MPI found; prints the speeds side by side, compares the files byte by byte,
# and leaves a report in build/demo/report.txt.
#   scripts/demo.sh [BUILD]   BUILD holds lib/libtributary_<mpi>.so (default: build/release)
#   DEMO_DIR    where the checkpoints go (default: memory where there is some, else build/demo)
#   DEMO_RANKS  how many ranks (default: the cores, 2 to 4)
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/demo
libraries=$(realpath -m "${1:-build/release}/lib")
rounds=3
report=$out/report.txt

# What the program does | its arguments. Volumes keep the whole demo under a minute.
runs=(
  "tiles, collective|--size 2048"
  "tiles, independent|--size 2048 --independent"
  "4 quantities per cell, collective|--size 1024 --quantities 4 --checkpoints 2"
  "4 quantities per cell, independent|--size 1024 --quantities 4 --checkpoints 2 --independent"
)

say() { printf '%s\n' "$*" >&2; }

choose_ranks() {
  local cores
  cores=$(nproc)
  ranks=${DEMO_RANKS:-$((cores < 2 ? 2 : cores > 4 ? 4 : cores))}
}

choose_directory() {
  local parent=${DEMO_DIR:-$out}
  if [[ -z ${DEMO_DIR:-} && -w /dev/shm ]]; then parent=/dev/shm; fi
  mkdir -p "$out" "$parent"
  data=$(mktemp -d "$parent/tributary-demo.XXXXXX")
  trap 'rm -rf "$data"' EXIT
}

# MPIs with compiler, launcher and our library for them.
find_mpis() {
  mpis=()
  local mpi
  for mpi in openmpi mpich; do
    if ! command -v "mpicc.$mpi" >/dev/null || ! command -v "mpirun.$mpi" >/dev/null; then
      say "demo: $mpi is not installed, left out"
    elif [[ ! -e $libraries/libtributary_$mpi.so ]]; then
      say "demo: ${libraries#"$PWD"/}/libtributary_$mpi.so is not built, $mpi left out"
    else
      mpis+=("$mpi")
    fi
  done
  if ((${#mpis[@]} == 0)); then
    say "demo: nothing to show; build the library first (make demo)"
    exit 1
  fi
}

# launch_line MPI own|tributary: the words before the program, in the array `line`.
launch_line() {
  local library=$libraries/libtributary_$1.so
  line=("mpirun.$1" -n "$ranks")
  if [[ $1 == openmpi ]]; then
    line+=(--oversubscribe)
    if ((EUID == 0)); then line+=(--allow-run-as-root); fi
    if [[ $2 == tributary ]]; then line+=(-x "LD_PRELOAD=$library"); fi
  elif [[ $2 == tributary ]]; then
    line+=(-genv LD_PRELOAD "$library")
  fi
}

# The demonstration program neither knows nor says whose MPI-IO it gets.
require_tributary() {
  local answer
  launch_line "$1" tributary
  answer=$("${line[@]}" "$out/which_io_$1" "$data/probe" 2>"$out/errors.txt") || true
  if [[ $answer != TRIBUTARY* ]]; then
    say "demo: Tributary did not get into the program (it found: ${answer:-nothing})"
    say "  ${line[*]} $out/which_io_$1 FILE"
    cat "$out/errors.txt" >&2
    exit 1
  fi
}

# run_once MPI own|tributary ARGUMENTS: sets write and read (MB/s).
run_once() {
  local text
  launch_line "$1" "$2"
  # shellcheck disable=SC2086  # the arguments are words
  if ! text=$("${line[@]}" "$out/tiles_$1" $3 --file "$data/$2" 2>"$out/errors.txt"); then
    say "demo: failed: ${line[*]} $out/tiles_$1 $3"
    cat "$out/errors.txt" >&2
    exit 1
  fi
  read -r write read < <(sed -nE 's/.*write ([0-9]+) MB.*read ([0-9]+) MB.*verified.*/\1 \2/p' \
    <<<"$text") || { say "demo: unexpected output: $text"; exit 1; }
}

raise() { if (($2 > ${best[$1]:-0})); then best[$1]=$2; fi; }

compare_files() {
  local own
  for own in "$data"/own.*; do
    if ! cmp "$own" "${own/\/own./\/tributary.}" >&2; then
      say "demo: the files differ"
      exit 1
    fi
    identical=$((identical + 1))
  done
  rm -f "$data"/*
}

row() { printf '%-36s %-5s %12s %12s %8s\n' "$@"; }

show_run() {  # MPI, name, arguments
  local round who phase
  declare -gA best=()
  for ((round = 0; round < rounds; ++round)); do
    for who in own tributary; do
      run_once "$1" "$who" "$3"
      raise "$who-write" "$write"
      raise "$who-read" "$read"
    done
  done
  compare_files
  for phase in write read; do
    row "$2" "$phase" "${best[own-$phase]}" "${best[tributary-$phase]}" \
      "$(awk -v o="${best[own-$phase]}" -v t="${best[tributary-$phase]}" \
        'BEGIN { printf "%.2fx", t / o }')"
  done
}

show_mpi() {
  local run version
  case $1 in
    openmpi) version=$(mpirun.openmpi --version | sed -n '1s/.*) /Open MPI /p') ;;
    mpich) version=$(mpirun.mpich --version | sed -nE 's/ *Version: +/MPICH /p') ;;
  esac
  echo
  echo "$version"
  launch_line "$1" tributary
  echo "  ${line[*]/$PWD\//} $out/tiles_$1 ..."
  row "MB/s, best of $rounds" "" "own MPI-IO" "Tributary" "ratio"
  for run in "${runs[@]}"; do show_run "$1" "${run%%|*}" "${run#*|}"; done
}

main() {
  local mpi started=$SECONDS
  identical=0
  choose_ranks
  find_mpis
  choose_directory
  echo "Tributary demo, $(date '+%Y-%m-%d %H:%M'): examples/tiles.c, the same program with the"
  echo "MPI's own MPI-IO and with Tributary preloaded; $ranks ranks, $(nproc) cores," \
    "files on $(stat -f -c %T "$data")."
  for mpi in "${mpis[@]}"; do
    "mpicc.$mpi" -O2 examples/tiles.c -o "$out/tiles_$mpi"
    "mpicc.$mpi" -O2 examples/which_io.c -o "$out/which_io_$mpi"
    require_tributary "$mpi"
    show_mpi "$mpi"
  done
  echo
  echo "$identical checkpoint files compared with cmp: each pair is byte-identical."
  echo "Took $((SECONDS - started)) s."
}

mkdir -p "$out"
main | tee "$report"
echo "Report: $report"
