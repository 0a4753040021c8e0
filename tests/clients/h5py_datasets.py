"""h5py on parallel HDF5: collective and independent writes, strided slices, chunks.

usage: h5py_datasets.py write|read <file>
"""

import sys
import traceback

import h5py
import numpy as np
from mpi4py import MPI

from expect_mpiio import expect_mpiio

SKIP = 77
ROWS, COLUMNS = 5, 12  # of each rank
world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
whole = np.arange(ROWS * ranks * COLUMNS, dtype="f8").reshape(ROWS * ranks, COLUMNS)
rows = slice(ROWS * rank, ROWS * (rank + 1))


def write(path):
    with h5py.File(path, "w", driver="mpio", comm=world) as file:
        blocks = file.create_dataset("blocks", whole.shape, dtype="f8")
        strided = file.create_dataset("strided", whole.shape, dtype="f8")
        chunked = file.create_dataset("chunked", whole.shape, dtype="f8", chunks=(4, 5))
        file.attrs["ranks"] = ranks

        blocks[rows] = whole[rows]
        with strided.collective:
            strided[rank::ranks, :] = whole[rank::ranks, :]
        with chunked.collective:
            chunked[rows] = whole[rows]


def read(path):
    with h5py.File(path, "r", driver="mpio", comm=world) as file:
        assert file.attrs["ranks"] == ranks
        for name in ("blocks", "strided", "chunked"):
            data = file[name]
            assert (data[...] == whole).all(), name
            with data.collective:
                assert (data[:, rank::ranks] == whole[:, rank::ranks]).all(), name


if not h5py.get_config().mpi:
    print("SKIP: this h5py has no MPI")
    sys.exit(SKIP)
try:
    expect_mpiio()
    {"write": write, "read": read}[sys.argv[1]](sys.argv[2])
except BaseException:  # one failing rank would leave the others waiting
    print(f"FAIL on rank {rank}:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
    world.Abort(1)
