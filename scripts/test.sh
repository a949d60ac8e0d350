#!/usr/bin/env bash
# Everything that CI runs, one build after the other on two cores; `full` runs the long suites whole.
# Called by `./dev test`; closes with ctest's own summary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ "${1:-}" = full ]; then export TABLECAST_LONG_TESTS=1; fi

./dev setup build test
run() { echo "+ $*" >&2; "$@"; }
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
JOBS=${JOBS:-$(nproc)}
# `./dev serve` leaves the tests out of the same folder, and CMake remembers it.
FLAGS=(-DTABLECAST_BUILD_TESTS=ON -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold)

for folder in tests/web tests/clients; do
  if [ -f "$folder/package-lock.json" ]; then
    run npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error
  fi
done

# The program and every test, optimised.
run cmake --preset release "${FLAGS[@]}" >/dev/null
run cmake --build --preset release -j "$JOBS"

# Sanitizers on parsers, codecs, stores and the served example; the thread sanitizer on what threads share.
sanitize() { # PRESET SUITE
  local tests
  tests=$(paste -sd'|' "tests/$2_tests.txt")
  run cmake --preset "$1" "${FLAGS[@]}" >/dev/null
  run cmake --build --preset "$1" -j "$JOBS" --target "$2_suite"
  # Kernels that scatter addresses widely collide with the thread sanitizer's fixed map; some containers forbid asking.
  local fixed=()
  if setarch "$(uname -m)" -R true 2>/dev/null; then fixed=(setarch "$(uname -m)" -R); fi
  run "${fixed[@]}" ctest --preset "$1" -j "$JOBS" -R "^($tests)(_corpus)?\$" --output-on-failure --no-tests=error
}
sanitize asan sanitized
sanitize tsan race

run ctest --preset release -j "$JOBS" --output-on-failure --no-tests=error
