#!/usr/bin/env bash
# `make bench`: the micro-benchmarks of the view engine, then independent and collective I/O against
# the MPI-IO of each MPI, then which schedule and shuffle of the collective engine wins. Figures also
# go to build/bench/*.json.
#   QUICK=1     short runs
#   BENCH_ARGS  further arguments for bench/peers/compare.py, for example "--ranks 1,2,4"
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/bench
mkdir -p "$out"
micro=()
peers=()
schedules=()
if [[ -n ${QUICK:-} && ${QUICK:-} != 0 ]]; then
  micro+=(--benchmark_min_time=0.02)
  peers+=(--quick --places tmpfs,disk)
  schedules+=(--rounds 1 --seconds 0.2 --mebibytes 16)
fi

for program in build/release/bin/bench_*; do
  if [[ ! -x $program ]]; then
    echo "bench: no build/release/bin/bench_*: micro-benchmarks left out" >&2
    continue
  fi
  name=$(basename "$program")
  "$program" "${micro[@]}" --benchmark_out="$out/$name.json" --benchmark_out_format=json
done

# shellcheck disable=SC2086  # BENCH_ARGS are words
python3 bench/peers/compare.py "${peers[@]}" --json "$out/independent.json" ${BENCH_ARGS:-}

# Collective calls: two and four ranks on both MPIs, eight on the one that yields.
collective=(--collective --cases 'contiguous,tile*,darray*,hpio*,interleaved*')
# shellcheck disable=SC2086
python3 bench/peers/compare.py "${peers[@]}" "${collective[@]}" --ranks 2,4 \
  --json "$out/collective.json" ${BENCH_ARGS:-}
# shellcheck disable=SC2086
python3 bench/peers/compare.py "${peers[@]}" "${collective[@]}" --mpi openmpi --ranks 8 \
  --json "$out/collective-8.json" ${BENCH_ARGS:-}
python3 bench/peers/schedules.py "${schedules[@]}" --json "$out/schedules.json"
echo "Figures: $out/"
