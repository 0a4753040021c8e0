#!/usr/bin/env python3
"""Puts the outcomes of the collective matrix tests together as docs/collective-matrix.md.

usage: matrix_table.py <build folder>   after `ctest -R collective_matrix` there; prints the page.
"""
import collections
import pathlib
import sys

PARTITIONINGS = ("even", "aligned", "static_cyclic", "group_cyclic")
SCHEDULES = ("none", "comm", "write", "write_comm", "write_comm_2")
SHUFFLES = ("two_sided", "one_sided_fence", "one_sided_lock", "shared")
ORDERS = ("logical", "concurrency", "heterogeneity")


def read(folder):
    """(mpi, partitioning, schedule, shuffle) -> [cases, failures], and the runs found."""
    cells = collections.defaultdict(lambda: [0, 0])
    runs = collections.defaultdict(set)
    for path in sorted(folder.glob("*.tsv")):
        mpi, ranks = path.stem.split(".n")
        runs[mpi].add(int(ranks))
        for line in path.read_text().splitlines():
            partitioning, schedule, shuffle, order, cases, failed = line.split("\t")
            if order not in ORDERS:
                sys.exit(f"{path}: unknown order {order}")
            cell = cells[mpi, partitioning, schedule, shuffle]
            cell[0] += int(cases)
            cell[1] += int(failed)
    return cells, runs


def main():
    cells, runs = read(pathlib.Path(sys.argv[1]) / "matrix")
    if not cells:
        sys.exit("no outcomes there: run ctest -R collective_matrix first")
    print("# The collective engine's combinations\n")
    print("Made by `tests/support/matrix_table.py build/dev > docs/collective-matrix.md` from a run of "
          "the matrix\ntest (`ctest --preset dev -R collective_matrix`). Each cell: random cases that "
          "passed against the\nbyte-by-byte model / cases run, over the three request orders "
          "(" + ", ".join(ORDERS) + ") and\nall rank counts; buffers of 40 to 20,000 bytes, 1 to 4 "
          "sub-buffers, stripes of 1 byte to 4 KiB, up to five\nservers of several speeds. A case is a "
          "sequence of collective writes and reads with random views.\n")
    for mpi, ranks in sorted(runs.items()):
        print(f"## {mpi}, {', '.join(map(str, sorted(ranks)))} ranks\n")
        print("| partitioning | schedule | " + " | ".join(SHUFFLES) + " |")
        print("|---|---|" + "---|" * len(SHUFFLES))
        for partitioning in PARTITIONINGS:
            for schedule in SCHEDULES:
                row = [cells[mpi, partitioning, schedule, shuffle] for shuffle in SHUFFLES]
                texts = [f"{cases - failed} / {cases}" for cases, failed in row]
                print(f"| {partitioning} | {schedule} | " + " | ".join(texts) + " |")
        print()


if __name__ == "__main__":
    main()
