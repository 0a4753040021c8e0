#!/usr/bin/env bash
# `make bench`: the micro-benchmarks of the view engine, then independent I/O against the MPI-IO of
# each MPI. Figures also go to build/bench/*.json.
#   QUICK=1     short runs
#   BENCH_ARGS  further arguments for bench/peers/compare.py, for example "--ranks 1,2,4"
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/bench
mkdir -p "$out"
micro=()
peers=(--json "$out/peers.json")
if [[ -n ${QUICK:-} && ${QUICK:-} != 0 ]]; then
  micro+=(--benchmark_min_time=0.02)
  peers+=(--quick)
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
python3 bench/peers/compare.py "${peers[@]}" ${BENCH_ARGS:-}
echo "Figures: $out/"
