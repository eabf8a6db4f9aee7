#!/bin/sh
# What stage N changes against the stage before it, both as compiled by default:
#   diff-stages.sh stageN STAGE...
set -eu
wanted=$1
shift
before='' after=''
for stage in "$@"; do
  case $stage in
  "$wanted" | "${wanted}"_*) after=$stage && break ;;
  esac
  before=$stage
done
if [ -z "$after" ]; then
  echo "There is no $wanted; the stages here: $*." >&2
  exit 2
fi
if [ -z "$before" ]; then
  echo "$after is the first stage: there is nothing before it." >&2
  exit 2
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP
# The book compares by the same rules (book/lib/code/code_html.lua).
for stage in "$before" "$after"; do
  mkdir "$folder/$stage"
  tools/diff/default-arm.sh "$stage" >"$folder/$stage/kernel.cu"
done
cd "$folder"
git diff --no-index --no-ext-diff --no-prefix --patience --indent-heuristic \
  --color=auto \
  "$before/kernel.cu" "$after/kernel.cu" || [ $? -eq 1 ]
