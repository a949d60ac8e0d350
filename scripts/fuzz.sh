#!/usr/bin/env bash
# libFuzzer over one target or all: fuzz.sh [TARGET] [SECONDS]. New inputs are kept in build/fuzz/corpus; a finding
# stops it and leaves its input in build/fuzz.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${1:-all} seconds=${2:-60}
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
cmake --preset fuzz -DCMAKE_CXX_COMPILER_LAUNCHER=ccache >/dev/null
names=$(ls tests/fuzz/*_fuzz.cc | xargs -n 1 basename | sed 's/_fuzz.cc//')
[ "$target" = all ] || names=$target
for name in $names; do
  cmake --build --preset fuzz -j "${JOBS:-$(nproc)}" --target "${name}_fuzz" >/dev/null
  mkdir -p "build/fuzz/corpus/$name"
  (cd build/fuzz && "./bin/${name}_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    "corpus/$name" "../../tests/fuzz/corpus/$name" 2>&1 | grep -E "stat::number_of_executed_units|ERROR|SUMMARY|panic" | sed "s/^/$name: /")
done
