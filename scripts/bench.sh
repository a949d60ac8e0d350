#!/usr/bin/env bash
# Builds the benchmarks, generates the data and prints the tables: bench.sh [ITEMS] (default 1,000,000).
# Numbers in docs/performance.md come from here; they are ratios within one run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
items=${1:-1000000}
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
cmake --preset release -DTABLECAST_BUILD_BENCH=ON -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold >/dev/null
cmake --build --preset release -j "${JOBS:-$(nproc)}" --target tablecast generate_orders read_bench write_bench columnar_bench http_static http_served >/dev/null
bin=build/release/bin data=build/bench
mkdir -p "$data"
[ -s "$data/items-$items.jsonl" ] || "$bin/generate_orders" "$items" >"$data/items-$items.jsonl"
rm -rf "$data/store-$items"
echo "## Import of $items items"
/usr/bin/env time -f 'peak resident %M KiB, %e s wall, %U s user' "$bin/tablecast" import --store "$data/store-$items" \
  --catalog examples/order-management/catalog --table OrderManagement --partition-key pk --sort-key sk "$data/items-$items.jsonl" 2>&1 |
  grep -v records
echo "## Reads"
"$bin/read_bench" "$data/store-$items" examples/order-management/catalog
echo "## Columnar sidecars"
"$bin/columnar_bench" "$data/store-$items" examples/order-management/catalog
echo "## Writes"
cp -r "$data/store-$items" "$data/store-written"
"$bin/write_bench" "$data/store-written" examples/order-management/catalog
rm -rf "$data/store-written"
echo "## Beside the answers"
python3 bench/serve_costs.py "$bin/tablecast" "$data/store-$items" examples/order-management/catalog OrderManagement
echo "## Over HTTP"
"$bin/http_served" "$data/store-$items" examples/order-management/catalog
echo "## A static route"
"$bin/http_static" 3 1
