#!/bin/sh
# Keeps a store fresh from DynamoDB exports to S3 that are copied to this machine (docs/operations.md).
#   refresh.sh full        LINK EXPORT [IMPORT OPTIONS]   a new store beside the old one, checked, then put in its place
#   refresh.sh incremental LINK EXPORT [IMPORT OPTIONS]   changes into the store in use, each export once
# LINK names the store in use: a symbolic link to a folder of LINK.stores/. RELOAD is run behind a swap
# (RELOAD="systemctl restart tablecast"). Exit 0: done, or applied before; otherwise the old store is in use, unchanged.
set -eu
[ $# -ge 3 ] || { sed -n '2,6p' "$0" >&2; exit 2; }
mode=$1 link=$2 export=$3
shift 3
tablecast=${TABLECAST:-tablecast}
stores=$link.stores
mkdir -p "$stores"
fail() { echo "refresh: $*" >&2; exit 1; }
number() { sed -n "s/.*\"$1\" *: *\([0-9][0-9]*\).*/\1/p"; }

# One refresh at a time.
exec 9>"$stores/lock"
flock -n 9 || fail "another refresh is under way"

manifest=$(find "$export" -name manifest-summary.json | sort | tail -n 1)
[ -n "$manifest" ] || fail "no manifest-summary.json in $export: the export is not complete"
name=$(basename "$(dirname "$manifest")")
expected=$(number itemCount <"$manifest")
[ -n "$expected" ] || fail "$manifest has no itemCount"

load() { # STORE [OPTIONS]: prints the summary
  store=$1
  shift
  "$tablecast" import --store "$store" --summary json "$@" "$export"
}

case $mode in
  full)
    new=$stores/$name
    [ "$(readlink "$link" 2>/dev/null || true)" != "$new" ] || { echo "refresh: $name is in use already"; exit 0; }
    rm -rf "$new"  # left over from a run that failed
    summary=$(load "$new" "$@") || { rm -rf "$new"; fail "the import failed, the old store stays"; }
    read=$(echo "$summary" | number read) written=$(echo "$summary" | number written)
    if [ "$read" != "$expected" ] || [ "$written" != "$expected" ]; then
      rm -rf "$new"
      fail "the manifest promises $expected items, $read were read and $written written; the old store stays"
    fi
    "$tablecast" doctor --store "$new" >/dev/null || { rm -rf "$new"; fail "the new store is damaged, the old one stays"; }
    old=$(readlink "$link" 2>/dev/null || true)
    ln -s "$new" "$link.new.$$"
    mv -T "$link.new.$$" "$link"  # rename(2): there is always a store under this name
    echo "$name" >"$stores/applied"
    [ -z "${RELOAD:-}" ] || sh -c "$RELOAD"
    # The one before stays, to go back to; older ones go.
    for folder in "$stores"/*/; do
      folder=${folder%/}
      [ "$folder" = "$new" ] || [ "$folder" = "$old" ] || rm -rf "$folder"
    done
    echo "refresh: $name is in use, $written items"
    ;;
  incremental)
    [ -e "$link" ] || fail "there is no store at $link: begin with a full export"
    if grep -qxF "$name" "$stores/applied" 2>/dev/null; then echo "refresh: $name is applied already"; exit 0; fi
    # A run that was interrupted goes on behind its last batch; nothing to resume is no fault.
    summary=$(load "$link" --resume "$@" 2>/dev/null) || summary=$(load "$link" "$@") ||
      fail "the import failed; run it again when the cause is mended"
    read=$(echo "$summary" | number read)
    [ "$read" = "$expected" ] || fail "the manifest promises $expected changes, $read were read"
    echo "$name" >>"$stores/applied"
    echo "refresh: $name is applied: $read changes, $(echo "$summary" | number deleted) deleted"
    ;;
  *) fail "full or incremental, not $mode" ;;
esac
