#!/bin/sh
# Finds the newest recorded results of two arms and compares them:
#   compare.sh RESULTS_FOLDER|'' STAGE/ARM STAGE/ARM
set -eu
folder=$1
shift
if [ $# -ne 2 ]; then
  echo "compare needs two stages, as in: make stage0 stage1 compare" >&2
  exit 2
fi

file_name() {
  case $1 in
  */default) echo "${1%/default}.json" ;;
  *) echo "$1.json" | tr / . ;;
  esac
}

# Dates sort by name; the newest folder that holds both arms wins.
for place in "${folder:-}" $(find results -mindepth 2 -maxdepth 2 -type d |
  awk -F / '{ print $3, $0 }' | sort -r | cut -d ' ' -f 2); do
  base=$place/$(file_name "$1") candidate=$place/$(file_name "$2")
  [ -f "$base" ] && [ -f "$candidate" ] &&
    exec build/tools/compare "$base" "$candidate"
  [ -z "$folder" ] || break
done
echo "No results folder holds both $(file_name "$1") and $(file_name "$2"):" \
  "run 'make bench' on a GPU first." >&2
exit 2
