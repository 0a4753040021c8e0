"""Which MPI-IO serves this process; the Python twin of expect_mpiio.h."""

import ctypes
import os


class _DlInfo(ctypes.Structure):
    _fields_ = [
        ("file_name", ctypes.c_char_p),
        ("file_base", ctypes.c_void_p),
        ("symbol_name", ctypes.c_char_p),
        ("symbol_address", ctypes.c_void_p),
    ]


def _library_of(symbol):
    program = ctypes.CDLL(None)
    found = _DlInfo()
    address = ctypes.cast(getattr(program, symbol), ctypes.c_void_p)
    assert program.dladdr(address, ctypes.byref(found)) != 0
    return os.path.basename(found.file_name.decode())


def expect_mpiio(file=None):
    """Compares with EXPECT_MPIIO; `file` is an mpi4py file, if the client has one."""
    tributary = os.environ["EXPECT_MPIIO"] == "tributary"
    if tributary:  # else libmpi is loaded by the module alone: no global symbol to look up
        for symbol in ("MPI_File_open", "PMPI_File_open"):
            assert _library_of(symbol).startswith("libtributary_"), _library_of(symbol)
    else:
        with open("/proc/self/maps") as maps:
            assert "libtributary_" not in maps.read()
    if file is not None:
        kind = file.Get_info().Get("romio_filesystem_type") or ""
        assert kind.startswith("TRIBUTARY") == tributary, kind
