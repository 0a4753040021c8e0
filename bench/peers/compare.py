#!/usr/bin/env python3
"""Compares Tributary with the MPI-IO of the MPIs it runs on.

For every case, place and rank count the implementations run one after the other, round after
round (A B C A B C), and the best figure of each counts; a cell where Tributary is behind gets
further rounds, for all alike, before it counts as lost. Prints MB/s (10^6 bytes of payload) and
ratios, then one line that sums up. Exits with 1 where Tributary gave wrong data or did not run.
"""
import argparse
import collections
import datetime
import fnmatch
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import implementations as peers

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHASES = ("write", "read", "fresh")
Key = collections.namedtuple("Key", "mpi place ranks case")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release",
                        help="build directory with bin/ and lib/ (default: build/release)")
    parser.add_argument("--mpi", default="openmpi,mpich", help="MPIs, comma separated")
    parser.add_argument("--cases", default="*", help="case names, comma separated, with * and ?")
    parser.add_argument("--implementations", default="*",
                        help="names, comma separated: ompio, romio, tributary, limit")
    parser.add_argument("--places", help="tmpfs, disk or directories (default: tmpfs,disk)")
    parser.add_argument("--ranks", help="rank counts, comma separated (default: the case's own)")
    parser.add_argument("--rounds", type=int, help="rounds of A B C (default 2)")
    parser.add_argument("--repeat", type=int, default=2,
                        help="further rounds for cells that are not won yet (default 2)")
    parser.add_argument("--reps", type=int, default=5, help="repetitions in a run (default 5)")
    parser.add_argument("--seconds", type=float, help="budget of a phase (default 1)")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall",
                        help="cpu: processor time of the busiest rank, steadier on a busy machine")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one run")
    parser.add_argument("--collective", action="store_true", help="use the collective calls")
    parser.add_argument("--fresh", action="store_true",
                        help="time new files in every case, not only in the strided ones")
    parser.add_argument("--prefill", type=int, default=0, metavar="BYTES",
                        help="make the file that is written over by plain writes of this size "
                             "(default: by an untimed write of the implementation itself)")
    parser.add_argument("--quick", action="store_true",
                        help="a quarter of the data, short budget, one round, tmpfs only")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
    parser.add_argument("--markdown", action="store_true",
                        help="print the ratios to the better peer as a table for a page, too")
    parser.add_argument("--list", action="store_true", help="list the cases and stop")
    arguments = parser.parse_args()
    usual = {"places": "tmpfs,disk", "rounds": 2, "seconds": 1.0}
    short = {"places": "tmpfs", "rounds": 1, "seconds": 0.3}
    for name, value in (short if arguments.quick else usual).items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    return arguments


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split(","))


def list_cases(build, pattern):
    program = next(iter(sorted((build / "bin").glob("access_bench_*"))), None)
    if program is None:
        sys.exit(f"compare: no access_bench_* in {build / 'bin'}: build the release preset first")
    lines = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    rows = [json.loads(line) for line in lines.splitlines()]
    return [row for row in rows if matches(row["case"], pattern)]


def directory_of(place, build):
    parent = {"tmpfs": pathlib.Path("/dev/shm"), "disk": build}.get(place, pathlib.Path(place))
    directory = parent / f"tributary-bench-{os.getpid()}"
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def run(line, timeout):
    """The program's JSON line as a dictionary, or {"error": why}."""
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            return {"error": f"no end after {timeout:g} s"}
    for text in output.splitlines():
        if text.startswith("{"):
            return json.loads(text)
    reason = (errors.strip().splitlines() or ["no output"])[0]
    return {"error": f"exit {process.returncode}: {reason}"}


class Progress:
    """A counter line on stderr, where that is a terminal."""

    def __init__(self, total):
        self.total, self.done = total, 0

    def step(self, text):
        self.done += 1
        if sys.stderr.isatty():
            print(f"\r\033[K[{self.done}/{self.total}] {text}", end="", file=sys.stderr, flush=True)

    def close(self):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class Cell:
    """The figures of all implementations for one MPI, place, rank count and case."""

    def __init__(self, clock):
        self.clock = clock
        self.speed = collections.defaultdict(dict)  # phase -> implementation -> MB/s, best
        self.errors = {}                            # implementation -> sentence

    def add(self, name, result):
        if "error" in result:
            self.errors[name] = result["error"]
        elif result["wrong_bytes"]:
            self.errors[name] = f"{result['wrong_bytes']} wrong bytes"
        elif (name == "tributary") != result["tributary"]:
            self.errors[name] = f"Tributary in use: {result['tributary']}"
        if name in self.errors:  # what is wrong has no speed
            return
        for phase in (*PHASES, "memcpy"):
            seconds = result[phase][self.clock]
            if seconds > 0:
                speed = result["bytes"] / seconds / 1e6
                self.speed[phase][name] = max(speed, self.speed[phase].get(name, 0))

    def peer_speeds(self, phase):
        return [v for n, v in self.speed[phase].items() if n not in ("tributary", "limit")]

    def ratios(self, phase):
        """Of Tributary to the better peer, to the slower peer, and to the limit, where known."""
        own = self.speed[phase].get("tributary")
        others = self.peer_speeds(phase)
        found = {}
        if own and others:
            found = {"better": own / max(others), "slower": own / min(others)}
        if own and self.speed[phase].get("limit"):
            found["limit"] = own / self.speed[phase]["limit"]
        return found


class Session:
    """Runs the jobs (place, case row, rank count) and gathers their cells."""

    def __init__(self, arguments, rows):
        self.arguments = arguments
        self.chosen = [i for i in peers.implementations(arguments.build)
                       if matches(i.mpi, arguments.mpi)
                       and matches(i.name, arguments.implementations)]
        places = arguments.places.split(",")
        self.jobs = [(place, row, int(ranks)) for place in places for row in rows
                     for ranks in (arguments.ranks or str(row["ranks"])).split(",")]
        self.directories = {place: directory_of(place, arguments.build) for place in places}
        self.cells = collections.defaultdict(lambda: Cell(arguments.clock))
        self.progress = Progress(len(self.jobs) * arguments.rounds * len(self.chosen))

    def crowds_mpich(self):
        return (any(choice.mpi == "mpich" for choice in self.chosen)
                and any(ranks > peers.CORES for _, _, ranks in self.jobs))

    def run(self):
        try:
            for job in self.jobs:
                for _ in range(self.arguments.rounds):
                    self.run_round(job, self.chosen)
                self.repeat_doubtful(job)
        finally:
            self.progress.close()
            for directory in self.directories.values():
                shutil.rmtree(directory)

    def run_round(self, job, chosen):
        place, row, ranks = job
        options = program_options(self.arguments, row, self.directories[place])
        for choice in chosen:
            self.progress.step(f"{choice.mpi} {choice.name} {place} {row['case']} x{ranks}")
            line = peers.command(choice, self.arguments.build, ranks, options)
            key = Key(choice.mpi, place, ranks, row["case"])
            self.cells[key].add(choice.name, run(line, self.arguments.timeout))

    def repeat_doubtful(self, job):
        place, row, ranks = job
        for mpi in sorted({choice.mpi for choice in self.chosen}):
            cell = self.cells[Key(mpi, place, ranks, row["case"])]
            chosen = [choice for choice in self.chosen if choice.mpi == mpi]
            for _ in range(self.arguments.repeat):
                if all(cell.ratios(phase).get("better", 1) >= 1 for phase in PHASES):
                    break
                self.progress.total += len(chosen)
                self.run_round(job, chosen)


def program_options(arguments, row, directory):
    options = ["--case", row["case"], "--file", str(directory / "data")]
    options += ["--reps", str(arguments.reps), "--seconds", str(arguments.seconds)]
    if arguments.quick:
        options += ["--bytes", str(row["mebibytes"] << 18)]
    if arguments.prefill:
        options += ["--prefill", str(arguments.prefill)]
    if arguments.collective:
        options += ["--collective"]
    if arguments.fresh or row["fresh"]:
        options += ["--fresh"]
    return options


def print_tables(cells):
    by_group = collections.defaultdict(list)
    for key, cell in cells.items():
        by_group[key.mpi, key.place].append((key, cell))
    for (mpi, place), members in by_group.items():
        names = [i for i in ("ompio", "romio", "tributary", "limit")
                 if any(i in cell.speed["write"] or i in cell.errors for _, cell in members)]
        print(f"\n{mpi}, {place}: MB/s, and Tributary's ratio to the better peer, the slower peer, "
              "the limit")
        print(f"{'case':<18} {'ranks':>5} {'phase':<5} " + " ".join(f"{n:>9}" for n in names) +
              f" {'better':>8} {'slower':>8} {'limit':>6}")
        for key, cell in members:
            for phase in PHASES:
                if cell.speed[phase] or (cell.errors and phase == "write"):
                    print_row(key, phase, cell, names)
            for name, error in cell.errors.items():
                print(f"    {name}: {error}")


def speed_text(speed):
    return f"{'-':>9}" if speed is None else f"{speed:>9.{0 if speed >= 10 else 1}f}"


def print_row(key, phase, cell, names):
    speeds = " ".join(speed_text(cell.speed[phase].get(name)) for name in names)
    ratios = cell.ratios(phase)
    text = {name: f"{ratios[name]:.2f}" if name in ratios else "-"
            for name in ("better", "slower", "limit")}
    lost = "  <" if ratios.get("better", 1) < 1 else ""
    print(f"{key.case:<18} {key.ranks:>5} {phase:<5} {speeds} {text['better']:>8} "
          f"{text['slower']:>8} {text['limit']:>6}{lost}")


def print_markdown(cells):
    """A row for each case: write, read as ratios to the better peer, a column for each setting."""
    settings = sorted({(key.mpi, key.place, key.ranks) for key in cells})
    cases = list(dict.fromkeys(key.case for key in cells))
    print("\n| access (write, read) | "
          + " | ".join(f"{mpi}, {place}, {ranks} ranks" for mpi, place, ranks in settings) + " |")
    print("|---|" + "---|" * len(settings))
    for case in cases:
        texts = []
        for mpi, place, ranks in settings:
            cell = cells.get(Key(mpi, place, ranks, case))
            ratios = [cell.ratios(phase).get("better") for phase in ("write", "read")] if cell else []
            texts.append(", ".join("-" if ratio is None else f"{ratio:.2f}" for ratio in ratios))
        print(f"| {case} | " + " | ".join(texts) + " |")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def summarise(cells):
    ratios = {(*key, phase): cell.ratios(phase) for key, cell in cells.items() for phase in PHASES}
    better = {name: r["better"] for name, r in ratios.items() if "better" in r}
    if not better:
        return {}
    worst = min(better, key=better.get)
    limits = [r["limit"] for r in ratios.values() if "limit" in r]
    return {"cells": len(better), "won": sum(r >= 1 for r in better.values()),
            "worst": better[worst], "worst_cell": " ".join(map(str, worst)),
            "geometric_mean": geometric_mean(better.values()),
            "geometric_mean_slower": geometric_mean([ratios[n]["slower"] for n in better]),
            "geometric_mean_limit": geometric_mean(limits) if limits else None}


def print_summary(summary):
    if not summary:
        print("\nNo cell has both Tributary and a peer.")
        return
    limit = summary["geometric_mean_limit"]
    print(f"\n{summary['cells']} cells, {summary['won']} won; worst {summary['worst']:.2f} "
          f"({summary['worst_cell']}); geometric mean {summary['geometric_mean']:.2f} over the "
          f"better peer, {summary['geometric_mean_slower']:.2f} over the slower"
          + (f", {limit:.2f} of the limit." if limit else "."))


def write_json(path, arguments, cells, summary):
    rows = [{**key._asdict(), "phase": phase, "megabytes_per_second": cell.speed[phase],
             "ratios": cell.ratios(phase), "errors": cell.errors}
            for key, cell in cells.items() for phase in (*PHASES, "memcpy") if cell.speed[phase]]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": peers.machine(), "load": os.getloadavg(), "versions": peers.versions(),
        "collective": arguments.collective, "quick": arguments.quick, "clock": arguments.clock,
        "prefill_bytes": arguments.prefill,
        "summary": summary, "rows": rows}, indent=1) + "\n")


def main():
    arguments = parse_arguments()
    rows = list_cases(arguments.build, arguments.cases)
    if arguments.list:
        for row in rows:
            print(f"{row['case']:<18} {row['mebibytes']:>4} MiB, {row['ranks']} ranks")
        return 0
    machine = peers.machine()
    print(f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB, "
          f"kernel {machine['kernel']}; " + ", ".join(peers.versions().values()))
    if os.getloadavg()[0] > 0.5:
        print(f"The machine is busy (load {os.getloadavg()[0]:.1f}): take the figures with care.")
    session = Session(arguments, rows)
    if not peers.yield_shim(arguments.build) and session.crowds_mpich():
        print("compare: without lib/libmpich_yield.so, MPICH with more ranks than cores gives "
              "figures of little use", file=sys.stderr)
    session.run()
    cells = session.cells
    summary = summarise(cells)
    print_tables(cells)
    if arguments.markdown:
        print_markdown(cells)
    print_summary(summary)
    if arguments.json:
        write_json(arguments.json, arguments, cells, summary)
    return int(any("tributary" in cell.errors for cell in cells.values()))


if __name__ == "__main__":
    sys.exit(main())
