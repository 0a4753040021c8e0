"""mpi4py: views, collective and independent access, pointers, sizes, hints and errors.

usage: mpi4py_files.py <file>
"""

import os
import sys
import traceback

import numpy as np
from mpi4py import MPI

from expect_mpiio import expect_mpiio

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
path = sys.argv[1]
INT_BYTES = MPI.INT.Get_size()


def fresh_file():
    """An empty file, open for everything."""
    world.Barrier()
    if rank == 0 and os.path.exists(path):
        MPI.File.Delete(path)
    world.Barrier()
    return MPI.File.Open(world, path, MPI.MODE_CREATE | MPI.MODE_RDWR)


def expect_error(error_class, function, *arguments):
    try:
        function(*arguments)
    except MPI.Exception as error:
        names = MPI.Get_error_string(error.Get_error_class()), MPI.Get_error_string(error_class)
        assert error.Get_error_class() == error_class, names
    else:
        raise AssertionError(f"no error, expected {MPI.Get_error_string(error_class)}")


def contents():
    """The file as the other processes of the machine see it."""
    world.Barrier()
    return np.fromfile(path, dtype="i")


def tiles_by_subarray():
    grid = MPI.Compute_dims(ranks, 2)
    tile = [3, 5]
    place = [rank // grid[1], rank % grid[1]]
    sizes = [grid[0] * tile[0], grid[1] * tile[1]]
    starts = [place[0] * tile[0], place[1] * tile[1]]
    whole = np.arange(sizes[0] * sizes[1], dtype="i").reshape(sizes)
    mine = whole[starts[0] : starts[0] + tile[0], starts[1] : starts[1] + tile[1]].copy()

    file = fresh_file()
    file_type = MPI.INT.Create_subarray(sizes, tile, starts).Commit()
    file.Set_view(0, MPI.INT, file_type)
    status = MPI.Status()
    file.Write_at_all(0, mine, status)
    assert status.Get_count(MPI.INT) == mine.size
    file.Sync()
    assert (contents() == whole.ravel()).all()

    back = np.zeros_like(mine)
    file.Read_at_all(0, back)
    assert (back == mine).all()
    file_type.Free()
    file.Close()


def interleaved_by_vector_with_holes_in_memory():
    file = fresh_file()
    displacement = 12  # leaves a header alone
    file_type = MPI.INT.Create_vector(1, 2, 2).Create_resized(0, 2 * ranks * INT_BYTES).Commit()
    memory_type = MPI.INT.Create_resized(0, 2 * INT_BYTES).Commit()
    file.Set_view(displacement + 2 * rank * INT_BYTES, MPI.INT, file_type, "native")
    assert file.Get_view()[0] == displacement + 2 * rank * INT_BYTES
    assert file.Get_view()[3] == "native"

    memory = np.arange(16, dtype="i") + 100 * rank  # every second element is written
    file.Write([memory, 8, memory_type])
    assert file.Get_position() == 8
    assert file.Get_byte_offset(3) == displacement + (2 * ranks + 2 * rank + 1) * INT_BYTES
    file.Sync()
    file.Close()
    world.Barrier()

    expected = [
        100 * owner + 2 * (2 * step + i)
        for step in range(4)
        for owner in range(ranks)
        for i in range(2)
    ]
    assert (contents()[displacement // INT_BYTES :] == expected).all()


def blocks_by_darray_and_indexed():
    rows, columns = 4 * ranks, 6
    whole = np.arange(rows * columns, dtype="i")
    darray = MPI.INT.Create_darray(
        ranks, rank, [rows, columns], [MPI.DISTRIBUTE_CYCLIC, MPI.DISTRIBUTE_NONE],
        [2, MPI.DISTRIBUTE_DFLT_DARG], [ranks, 1], MPI.ORDER_C,
    ).Commit()
    mine = whole.reshape(2, ranks, 2, columns)[:, rank].ravel().copy()
    file = fresh_file()
    file.Set_view(0, MPI.INT, darray)
    file.Write_all(mine)
    file.Sync()
    assert (contents() == whole).all()

    picks = MPI.INT.Create_indexed([1, 2], [1, 4]).Create_resized(0, columns * INT_BYTES).Commit()
    file.Set_view(0, MPI.INT, picks)
    back = np.zeros(3 * rows, dtype="i")
    file.Read_all(back)
    assert (back == whole.reshape(rows, columns)[:, [1, 4, 5]].ravel()).all()
    file.Close()


def pointers_and_end_of_file():
    file = fresh_file()
    file.Set_view(0, MPI.INT, MPI.INT)
    mine = np.arange(10, dtype="i") + 10 * rank
    file.Seek(10 * rank)
    file.Write(mine)
    assert file.Get_position() == 10 * (rank + 1)
    file.Sync()
    world.Barrier()
    file.Sync()
    assert file.Get_size() == 10 * ranks * INT_BYTES

    file.Seek(-4, MPI.SEEK_END)
    back, status = np.full(10, -1, dtype="i"), MPI.Status()
    file.Read(back, status)
    assert status.Get_count(MPI.INT) == 4
    assert list(back[:5]) == [10 * ranks - 4 + i for i in range(4)] + [-1]
    file.Seek(7)  # where a read past the end leaves the pointer is the implementation's choice
    file.Seek(-2, MPI.SEEK_CUR)
    assert file.Get_position() == 5
    expect_error(MPI.ERR_ARG, file.Seek, -1)
    file.Close()


def sizes_and_queries():
    file = fresh_file()
    for change, size in (file.Set_size, 1000), (file.Preallocate, 5000), (file.Set_size, 10):
        change(size)
        world.Barrier()
        assert file.Get_size() == size == os.path.getsize(path)
        world.Barrier()  # nobody changes it again before all have looked
    assert file.Get_amode() == MPI.MODE_CREATE | MPI.MODE_RDWR
    assert MPI.Group.Compare(file.Get_group(), world.Get_group()) in (MPI.IDENT, MPI.SIMILAR)
    assert file.Get_type_extent(MPI.DOUBLE) == 8
    assert not file.Get_atomicity()
    file.Set_atomicity(True)
    assert file.Get_atomicity()
    file.Close()


def hints():
    info = MPI.Info.Create()
    info.Set("cb_buffer_size", "1048576")
    file = MPI.File.Open(world, path, MPI.MODE_CREATE | MPI.MODE_RDWR, info)
    expect_mpiio(file)
    assert file.Get_info().Get("cb_buffer_size") == "1048576"
    file.Close()


def errors():
    missing = path + ".missing"
    expect_error(MPI.ERR_NO_SUCH_FILE, MPI.File.Open, world, missing, MPI.MODE_RDONLY)
    expect_error(MPI.ERR_AMODE, MPI.File.Open, world, path, MPI.MODE_RDONLY | MPI.MODE_WRONLY)
    expect_error(MPI.ERR_FILE_EXISTS, MPI.File.Open, world, path,
                 MPI.MODE_CREATE | MPI.MODE_EXCL | MPI.MODE_WRONLY)
    expect_error(MPI.ERR_NO_SUCH_FILE, MPI.File.Delete, missing)
    values = np.zeros(4, dtype="i")

    file = MPI.File.Open(world, path, MPI.MODE_RDONLY)
    assert file.Get_errhandler() == MPI.ERRORS_RETURN
    expect_error(MPI.ERR_READ_ONLY, file.Write, values)
    file.Close()
    file = MPI.File.Open(world, path, MPI.MODE_WRONLY)
    expect_error(MPI.ERR_ACCESS, file.Read, values)
    expect_error(MPI.ERR_ARG, file.Write_at, -1, values)
    file.Close()
    assert file == MPI.FILE_NULL


def deletion():
    file = MPI.File.Open(world, path, MPI.MODE_WRONLY | MPI.MODE_DELETE_ON_CLOSE)
    file.Close()
    world.Barrier()
    assert not os.path.exists(path)


for step in (
    tiles_by_subarray,
    interleaved_by_vector_with_holes_in_memory,
    blocks_by_darray_and_indexed,
    pointers_and_end_of_file,
    sizes_and_queries,
    hints,
    errors,
    deletion,
):
    try:
        step()
    except BaseException:  # one failing rank would leave the others waiting
        print(f"FAIL on rank {rank}:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
        world.Abort(1)
