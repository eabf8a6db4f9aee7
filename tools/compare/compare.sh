#!/bin/sh
# Compares recorded results:
#   compare.sh two FOLDER|'' GATE|'' STAGE/ARM STAGE/ARM   base, candidate
#   compare.sh all [ROOT]     every pair of neighbours, into ROOT/COMPARE.md
# GATE is a percentage that the candidate must save at the mission shape.
set -eu
verb=$1
shift

. tools/results/find.sh

two() {
  folder=$1 gate=$2 base_name=$(result_name "$3").json name=$(result_name "$4").json
  for place in "${folder:-}" $(result_folders results); do
    base=$place/$base_name candidate=$place/$name
    [ -f "$base" ] && [ -f "$candidate" ] &&
      exec build/tools/compare ${gate:+"--gate=$gate"} "$base" "$candidate"
    [ -z "$folder" ] || break
  done
  echo "No results folder holds both $base_name and $name:" \
    "run 'make bench' on a GPU first." >&2
  exit 2
}

# timed FOLDER: its results with timings, by name; not counters and the like
timed() {
  find "$1" -maxdepth 1 -name 'stage[0-9]*.json' | sed 's|.*/||; s|\.json$||' |
    grep -vE '\.(count|ncu|tune|timeline)$' | LC_ALL=C sort
}

# Stages follow each other by number, an arm follows its stage's default; a
# cold result compares with a cold one.
pairs() {
  timed "$1" | awk '
    { cold = sub(/\.cold$/, "") ? ".cold" : ""
      stage = $0; sub(/\..*/, "", stage)
      number = stage; sub(/^stage/, "", number); sub(/_.*/, "", number)
      print number + 0, ($0 == stage ? 0 : 1), stage, $0, cold }' |
    LC_ALL=C sort -k 1,1n -k 2,2n -k 3 | awk '
    $2 == 0 { if ($5 in last) print last[$5] $5, $4 $5; last[$5] = $4
              own[$3 $5] = 1 }
    $2 == 1 && (($3 $5) in own) { print $4 $5, $3 $5 }'
}

title() {
  echo "$1" | sed -E 's/\.cold$/, cold/; s/([A-Z_0-9]+)-([0-9]+)/\1=\2/g
    s/\./ /g'
}

all() {
  root=${1:-results}
  page=$root/COMPARE.md
  [ -n "$(for place in $(result_folders "$root"); do pairs "$place"; done)" ] || {
    echo "No folder under $root holds two results: run 'make bench' on a GPU" \
      "first." >&2
    exit 2
  }
  trap 'rm -f "$page.new"' EXIT
  {
    echo '# Recorded results beside each other'
    echo
    echo "Written by \`make compare\` from the files beside it: neighbouring" \
      "stages, then"
    echo "each arm of a stage under what the stage does by default. \`saved\`" \
      "is 1 - candidate/base,"
    echo "\`speed-up\` base/candidate, of the medians. A difference within" \
      "the noise is none."
    for place in $(result_folders "$root"); do
      list=$(pairs "$place")
      [ -z "$list" ] || printf '\n## %s\n' "${place#"$root"/}"
      echo "$list" | while read -r base candidate; do
        [ -n "$base" ] || continue
        printf '\n### %s against %s\n\n' "$(title "$candidate")" \
          "$(title "$base")"
        build/tools/compare --markdown "$place/$base.json" \
          "$place/$candidate.json" || exit
      done || exit
    done
  } >"$page.new" || exit
  mv "$page.new" "$page"
  echo "wrote $page"
}

case $verb in
two) two "$@" ;;
all) all "$@" ;;
*) echo "compare.sh knows two and all, not '$verb'." >&2; exit 2 ;;
esac
