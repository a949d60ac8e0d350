#!/usr/bin/env bash
# Imports every example and checks its access patterns: check_patterns.sh SOURCE_DIR TABLECAST
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for example in order-management customers bookshop; do
  "$1/scripts/import_example.sh" "$2" "$example" "$work/$example"
  "$2" validate "$1/examples/$example/catalog"
  "$2" patterns --store "$work/$example" --catalog "$1/examples/$example/catalog" --check
done
