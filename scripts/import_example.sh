#!/usr/bin/env bash
# Loads one example into a new store: import_example.sh TABLECAST EXAMPLE STORE
set -euo pipefail
bin=$1 example=$2 store=$3
here="$(dirname "${BASH_SOURCE[0]}")/../examples/$example"
load() { # TABLE PARTITION_KEY SORT_KEY FILE
  "$bin" import --store "$store" --catalog "$here/catalog" --table "$1" --partition-key "$2" ${3:+--sort-key "$3"} "$4"
}
case $example in
  order-management) load OrderManagement pk sk "$here/items.jsonl" ;;
  customers) load Customers customerId "" "$here/items.jsonl" ;;
  bookshop)
    for table in books users authors orders; do load "$table" id:N "" "$here/data/$table.jsonl"; done
    load ratings book_id:N user_id:N "$here/data/ratings.jsonl"
    load book_authors book_id:N author_id:N "$here/data/book_authors.jsonl"
    ;;
  *) echo "import_example: no example $example" >&2; exit 2 ;;
esac
