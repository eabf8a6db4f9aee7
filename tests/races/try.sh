#!/bin/sh
# Plants one mistake of planted.list in a copy of the tree and runs the race
# checks on it:  try.sh 'the last tile not waited for' [STAGE]
# Without a name: lists the mistakes.
set -eu
. tests/lib.sh
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED
if [ $# -eq 0 ]; then
  awk -F '|' '!/^#/ { printf "%-18s %s\n", $1, $2 }' tests/races/planted.list
  exit
fi
line=$(awk -F '|' -v name="$1" -v stage="${2:-}" \
  '$2 == name && (stage == "" || $1 == stage)' tests/races/planted.list |
  tail -n 1)
if [ -z "$line" ]; then
  echo "No such mistake; tests/races/try.sh lists them." >&2
  exit 2
fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
copy_tree "$copy"
IFS='|' read -r stage _ nth text planted _ <<END
$line
END
tests/races/plant.sh "$stage/kernel.cu" "$nth" "$text" "$planted" \
  >"$copy/$stage/kernel.cu"
diff "$stage/kernel.cu" "$copy/$stage/kernel.cu" || true
cd "$copy"
make -s "$stage" TARGET=cpu >/dev/null
build/trace/"$stage"/default/program race --shape small --shape odd
