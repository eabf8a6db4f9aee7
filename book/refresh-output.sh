#!/bin/sh
# Runs the command in the first line of each file of chapters/output, and
# records what it prints, with refresh.sed's masks.
#   refresh-output.sh [ROOT]
# Where a chapter shows some lines of a file only, and others stand in their
# place now, it says so: the range may have to move.
# Exit 1: a command could not be run; its old file is kept.
set -u
book=$(CDPATH='' cd "$(dirname "$0")" && pwd)
cd "${1:-.}" || exit 2
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
new=$(mktemp) || exit 2
trap 'rm -f "$new"' EXIT
trap 'exit 130' INT TERM HUP
failed=0

# Which of the ranges that chapters show differ between a file and the new one.
name_changed_ranges() {
  grep -roH --include="*.md" \
    "file=\"$(basename "$1")\" lines=\"[0-9]*-[0-9]*\"" chapters |
    while IFS=':"' read -r chapter _ name _ range _; do
      lines=$(echo "$range" | tr - ,)p
      [ "$(sed -n "$lines" "$1")" = "$(sed -n "$lines" "$new")" ] ||
        echo "$chapter shows lines $range of $name, which have changed." >&2
    done
}

for file in chapters/output/*.txt; do
  [ -f "$file" ] || continue
  command=$(sed -n '1s/^\$ //p' "$file")
  if [ -z "$command" ]; then
    echo "$file: the first line is not '\$ ' and a command." >&2
    failed=1
    continue
  fi
  echo "$command" >&2
  printed=$(sh -c "$command" 2>&1 </dev/null)
  status=$?
  case $status in
  3)
    echo "$file: this machine cannot do that; the old file is kept." >&2
    continue
    ;;
  126 | 127)
    echo "$file: the command was not found; the old file is kept." >&2
    failed=1
    continue
    ;;
  esac
  {
    printf '$ %s\n' "$command"
    [ -z "$printed" ] || printf '%s\n' "$printed" | sed -f "$book/refresh.sed"
    [ "$status" -eq 0 ] || echo "[exit $status]"
  } >"$new"
  cmp -s "$new" "$file" || {
    name_changed_ranges "$file"
    cp "$new" "$file"
  }
done
exit "$failed"
