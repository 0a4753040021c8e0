#!/bin/sh
# Formatting of all C++ and C files, then clang-tidy over the library's sources.
set -eu
cd "$(dirname "$0")/.."
git ls-files '*.cpp' '*.hpp' '*.c' '*.h' | xargs clang-format --dry-run --Werror
cmake --preset dev >/dev/null
git ls-files 'src/*.cpp' 'tools/*.cpp' |
  xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/dev
echo "lint: clean"
