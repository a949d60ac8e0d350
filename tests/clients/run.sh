#!/usr/bin/env bash
# Serves the example order-management and runs the clients of other makers against it: run.sh SOURCE_DIR TABLECAST
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
"$1/scripts/import_example.sh" "$2" order-management "$work/store"
"$2" serve --store "$work/store" --catalog "$1/examples/order-management/catalog" --port 0 >"$work/out" 2>"$work/err" &
server=$!
for _ in $(seq 300); do
  url=$(grep -o 'http://[^/]*:[0-9]*' "$work/out" | head -n 1 || true)
  [ -n "$url" ] && break
  kill -0 "$server" || { cat "$work/err" >&2; exit 1; }
  sleep 0.1
done
cd "$here"
TABLECAST_URL=$url node --test schema.test.mjs clients.test.mjs generated.test.mjs openui5.test.mjs
