#!/usr/bin/env bash
# Everything that CI runs, one build after the other on two cores; `full` runs the long suites whole.
# Called by `./dev test`; closes with ctest's own summary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ "${1:-}" = full ] && export TABLECAST_LONG_TESTS=1

./dev setup build test
run() { echo "+ $*" >&2; "$@"; }
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
JOBS=${JOBS:-$(nproc)}
FLAGS=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold)

if [ -f tests/clients/package.json ]; then
  run npm ci --prefix tests/clients --no-audit --no-fund --loglevel=error
fi

# Sanitizers on what takes bytes from outside: parsers, codecs, stores, the service and the server.
run cmake --preset asan "${FLAGS[@]}" >/dev/null
run cmake --build --preset asan -j "$JOBS" --target asan_suite
run ctest --preset asan -j "$JOBS" -L 'fuzz|sanitize' --output-on-failure

run cmake --preset release "${FLAGS[@]}" >/dev/null
run cmake --build --preset release -j "$JOBS"
run ctest --preset release -j "$JOBS" --output-on-failure
