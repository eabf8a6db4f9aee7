#!/bin/sh
# Plants one mistake of planted.list in a copy of the tree and runs the race
# checks on it:  try.sh 'the last tile not waited for' [STAGE]
# Without a name: lists the mistakes.
set -eu
. tests/lib.sh
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED
list=tests/races/planted.list
make -s build/tests/plant >/dev/null
if [ $# -eq 0 ]; then
  build/tests/plant list $list | awk -F '|' '{ printf "%-18s %s\n", $1, $2 }'
  exit
fi
stage=$(build/tests/plant list $list | awk -F '|' -v name="$1" -v stage="${2:-}" \
  '$2 == name && (stage == "" || $1 == stage) { print $1 }' | tail -n 1)
if [ -z "$stage" ]; then
  echo "No such mistake; tests/races/try.sh lists them." >&2
  exit 2
fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
copy_tree "$copy"
build/tests/plant kernel $list "$stage" "$1" >"$copy/$stage/kernel.cu"
diff "$stage/kernel.cu" "$copy/$stage/kernel.cu" || true
cd "$copy"
make -s "$stage" TARGET=cpu >/dev/null
build/instrumented/"$stage"/default/program race --shape small --shape odd
