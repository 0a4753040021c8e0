"""The MPI-IO implementations that are compared, and how each is launched.

An implementation is a launcher's options plus a preload; the benchmark program of an MPI is the
same file for all of them.
"""
import dataclasses
import os
import pathlib
import shutil
import subprocess

CORES = len(os.sched_getaffinity(0))


@dataclasses.dataclass(frozen=True)
class Implementation:
    mpi: str
    name: str
    launcher_options: tuple = ()
    program_options: tuple = ()
    preload: str = ""  # Tributary's library


def implementations(build):
    """All that can run from this build directory; Tributary is left out where it is not built."""
    found = []
    peers = {
        "openmpi": [("ompio", ("--mca", "io", "ompio")), ("romio", ("--mca", "io", "romio321"))],
        "mpich": [("romio", ())],
    }
    for mpi, variants in peers.items():
        if not program(build, mpi).exists() or not shutil.which(f"mpirun.{mpi}"):
            continue
        found += [Implementation(mpi, name, options) for name, options in variants]
        library = build / "lib" / f"libtributary_{mpi}.so"
        if library.exists():
            found.append(Implementation(mpi, "tributary", preload=str(library)))
        found.append(Implementation(mpi, "limit", program_options=("--limit",)))
    return found


def program(build, mpi):
    return build / "bin" / f"access_bench_{mpi}"


def yield_shim(build):
    """The preload that makes MPICH give up the core where ranks outnumber cores, or ""."""
    path = build / "lib" / "libmpich_yield.so"
    return str(path) if path.exists() else ""


def command(implementation, build, ranks, arguments):
    mpi = implementation.mpi
    line = [f"mpirun.{mpi}", "-n", str(ranks)]
    preload = [implementation.preload]
    if mpi == "openmpi":
        line += ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
        line += implementation.launcher_options
        export = ["-x", "LD_PRELOAD={}"]
    else:
        line += implementation.launcher_options
        export = ["-genv", "LD_PRELOAD", "{}"]
        if ranks > CORES:
            preload.insert(0, yield_shim(build))
    preload = ":".join(path for path in preload if path)
    if preload:
        line += [word.format(preload) for word in export]
    return line + [str(program(build, mpi)), *implementation.program_options, *arguments]


def versions():
    """What is installed, as the tools say it themselves; a tool that is missing is left out."""
    found = {}
    for mpi, line in {"openmpi": ["ompi_info", "--version"], "mpich": ["mpichversion"]}.items():
        if shutil.which(line[0]):
            text = subprocess.run(line, capture_output=True, text=True, check=False).stdout
            found[mpi] = " ".join(text.strip().splitlines()[0].split())
    return found


def machine():
    cpu = next((line.split(":", 1)[1].strip()
                for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), "unknown processor")
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cpu": cpu, "cores": CORES, "memory_gib": round(memory_bytes / 2**30, 1),
            "kernel": os.uname().release}
