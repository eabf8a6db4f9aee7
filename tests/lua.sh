#!/bin/sh
# Runs a test in Lua, by the book's pandoc:  tests/lua.sh TEST [ARGUMENT]...
# Its first line names this file, from the root of the tree.
set -u
tools/setup/pandoc.sh 2>/dev/null || {
  echo "1..1"
  echo "ok 1 - $1 # SKIP pandoc is not installed; make setup"
  exit 0
}
SCRATCH=$(mktemp -d)
export SCRATCH
trap 'chmod -R u+w "$SCRATCH"; rm -rf "$SCRATCH"' EXIT
trap 'exit 130' INT TERM
tools/setup/pandoc.sh lua "$@"
