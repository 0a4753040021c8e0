#!/usr/bin/env python3
"""The dissertation's comparison: which schedule and which shuffle wins, for each benchmark.

Forces two-phase collective writes and reads, once with each schedule (over the automatic shuffle) and
once with each shuffle (under the schedule write_comm_2), round after round, best of all. Prints how
often each was the fastest, as the dissertation's table 1 and figure 11 do, and the mean gain of
each schedule over `none` where it gained (its figures 9 and 10).
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import sys

import compare
import implementations as peers

SCHEDULES = ("none", "comm", "write", "write_comm", "write_comm_2")
SHUFFLES = ("two_sided", "one_sided_fence", "one_sided_lock", "shared")
CASES = "contiguous,tile-2d-256,tile-2d-1M,darray-3d,hpio-file-128,interleaved-4096,interleaved-47008"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=compare.ROOT / "build" / "release")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--cases", default=CASES)
    parser.add_argument("--places", default="tmpfs,disk")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--mebibytes", type=int, default=64, help="payload of all ranks together")
    parser.add_argument("--buffer", default="4M", help="cb_buffer_size")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def run(arguments, implementation, directory, case, ranks, hints):
    """Phase -> seconds, or the reason why there is none."""
    variables = {"TRIBUTARY_COLLECTIVE": "two_phase", "TRIBUTARY_CB_BUFFER_SIZE": arguments.buffer}
    variables.update({f"TRIBUTARY_{key.upper()}": value for key, value in hints.items()})
    os.environ.update(variables)
    try:
        line = peers.command(implementation, arguments.build, ranks, [
            "--case", case, "--file", str(directory / "data"), "--collective", "--reps", "5",
            "--seconds", str(arguments.seconds), "--bytes", str(arguments.mebibytes << 20)])
        result = compare.run(line, 120)
    finally:
        for name in variables:
            del os.environ[name]
    if "error" in result or result["wrong_bytes"]:
        return {"error": result.get("error", "wrong bytes")}
    return {phase: result[phase]["wall"] for phase in ("write", "read")}


def best_times(arguments, implementation, directory, case, ranks, key, values, fixed):
    """Phase -> value -> best seconds."""
    best = collections.defaultdict(dict)
    for _ in range(arguments.rounds):
        for value in values:
            times = run(arguments, implementation, directory, case, ranks, {**fixed, key: value})
            if "error" in times:
                print(f"{case} x{ranks} {value}: {times['error']}", file=sys.stderr)
                continue
            for phase, seconds in times.items():
                best[phase][value] = min(seconds, best[phase].get(value, seconds))
    return best


def count_wins(series):
    wins = collections.Counter()
    for times in series:
        if times:
            wins[min(times, key=times.get)] += 1
    return wins


def print_wins(title, by_case, values):
    print(f"\n{title}\n{'benchmark':<20}" + "".join(f"{value:>17}" for value in values))
    total = collections.Counter()
    for case, series in by_case.items():
        wins = count_wins(series)
        total.update(wins)
        print(f"{case:<20}" + "".join(f"{wins[value]:>17}" for value in values))
    print(f"{'sum':<20}" + "".join(f"{total[value]:>17}" for value in values))


def print_gains(by_case):
    print(f"\nmean gain over `none`, in percent, where there was one\n{'benchmark':<20}"
          + "".join(f"{value:>17}" for value in SCHEDULES[1:]))
    for case, series in by_case.items():
        texts = []
        for schedule in SCHEDULES[1:]:
            gains = [100 * (t["none"] / t[schedule] - 1) for t in series
                     if schedule in t and "none" in t and t[schedule] < t["none"]]
            texts.append(f"{sum(gains) / len(gains):.1f} ({len(gains)})" if gains else "-")
        print(f"{case:<20}" + "".join(f"{text:>17}" for text in texts))


def main():
    arguments = parse_arguments()
    cases = [row["case"] for row in compare.list_cases(arguments.build, arguments.cases)]
    chosen = [one for one in peers.implementations(arguments.build)
              if one.name == "tributary" and compare.matches(one.mpi, arguments.mpi)]
    places = {place: compare.directory_of(place, arguments.build)
              for place in arguments.places.split(",")}
    schedules, shuffles = collections.defaultdict(list), collections.defaultdict(list)
    jobs = [(one, place, case, int(ranks)) for one in chosen for place in places for case in cases
            for ranks in arguments.ranks.split(",")]
    progress = compare.Progress(len(jobs))
    try:
        for one, place, case, ranks in jobs:
            progress.step(f"{one.mpi} {place} {case} x{ranks}")
            common = (arguments, one, places[place], case, ranks)
            schedules[case] += best_times(*common, "schedule", SCHEDULES, {}).values()
            shuffles[case] += best_times(*common, "shuffle", SHUFFLES,
                                         {"schedule": "write_comm_2"}).values()
    finally:
        progress.close()
        for directory in places.values():
            shutil.rmtree(directory)
    print_wins("series won by each schedule (table 1 of the dissertation)", schedules, SCHEDULES)
    print_gains(schedules)
    print_wins("series won by each shuffle (figure 11)", shuffles, SHUFFLES)
    if arguments.json:
        arguments.json.write_text(json.dumps({"schedules": schedules, "shuffles": shuffles}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
