#!/bin/bash
# Starts one client program on the MPI-IO it is to use, and tells it which one to expect.
#
# usage: run_client.sh <mpi> <ranks> <mpiio> program [args...], where <mpiio> is
#   stock                    the MPI's own
#   linked                   the program names the library itself
#   library[:library...]     preloaded in the ranks only
#   launcher=library         preloaded in the launcher and all it starts, as users do it
# MPICH_YIELD=<libmpich_yield.so> is preloaded last on MPICH: without it more ranks than cores
# take seconds for a barrier.
set -euo pipefail
here=$(dirname "$0")
mpi=$1 ranks=$2 mpiio=$3
shift 3
export EXPECT_MPIIO=tributary
preload=$mpiio
case $mpiio in
  stock)  EXPECT_MPIIO=stock preload= ;;
  linked) preload= ;;
  launcher=*)
    export LD_PRELOAD=${mpiio#launcher=}
    exec "$here/../support/mpirun.sh" "$mpi" "$ranks" "$@" ;;
esac
if [ "$mpi" = mpich ]; then
  preload=$preload${MPICH_YIELD:+:$MPICH_YIELD}
fi
exec "$here/../support/mpirun.sh" "$mpi" "$ranks" env LD_PRELOAD="${preload#:}" "$@"
