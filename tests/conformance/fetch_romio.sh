#!/bin/bash
# Fetches ROMIO's own test programs: they are in the source package of MPICH, which this
# machine's package sources offer. The system's package lists are left alone: private ones are
# made from the same sources, with source packages switched on.
#
# usage: fetch_romio.sh <folder>; afterwards <folder>/test holds the programs
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
if [ -d "$folder/test" ]; then
  exit 0
fi
command -v apt-get > /dev/null || { echo "fetching needs apt-get (a Debian machine)" >&2; exit 1; }

work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/sources" "$work/lists/partial" "$work/cache"
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -f "$file" ] && sed -n 's/^deb /deb-src /p' "$file" > "$work/sources/$(basename "$file")"
done
for file in /etc/apt/sources.list.d/*.sources; do
  [ -f "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" > "$work/sources/$(basename "$file")"
done

cd "$work"
# Downloading as the calling user: the user that apt would change to cannot enter this folder.
options=(-q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/sources"
  -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=)
apt-get "${options[@]}" update || echo "not every package source offers source packages" >&2
apt-get "${options[@]}" source --download-only mpich
tar -xf mpich_*.orig.tar.* --wildcards --strip-components=4 '*/src/mpi/romio/test/*'
[ -f test/simple.c ] || { echo "the source package has no ROMIO tests" >&2; exit 1; }
mv test "$folder/test"
