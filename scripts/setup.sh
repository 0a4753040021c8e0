#!/bin/sh
# Installs by name the Debian packages that building and testing need and that are missing, and
# says which. Does nothing where all of them are there.
#   setup.sh build    compiler, CMake, both MPIs: what `make demo` and the library need
#   setup.sh test     also what the tests need: real clients of the library
#   setup.sh lint     also the formatter and the static analyser
set -eu

build="cmake ninja-build g++ make pkg-config openmpi-bin libopenmpi-dev mpich libmpich-dev
  nlohmann-json3-dev libcli11-dev"
test="$build gfortran libgtest-dev libbenchmark-dev python3
  libhdf5-openmpi-dev libhdf5-mpich-dev libpnetcdf-dev python3-mpi4py python3-numpy
  python3-h5py-mpi binutils xz-utils"
lint="$test clang-format clang-tidy git"

case ${1:-build} in
  build) wanted=$build ;;
  test) wanted=$test ;;
  lint) wanted=$lint ;;
  *) echo "usage: $0 build|test|lint" >&2; exit 2 ;;
esac

missing=
for package in $wanted; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
    missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "setup: these packages are missing:$missing"
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: install them as root: apt-get install$missing" >&2
    exit 1
  fi
  as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
echo "setup: installing them with apt-get"
# shellcheck disable=SC2086  # a list of words
${as_root:-} apt-get -qq update &&
  ${as_root:-} apt-get -qq -y --no-install-recommends install $missing >/dev/null
echo "setup: done"
