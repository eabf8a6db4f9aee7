#!/bin/sh
# Reads from Nsight Compute how many wavefronts each pattern takes on this
# machine's GPU:  patterns-on-gpu.sh PROGRAM FILE.json
set -eu
program=$1 file=$2
raw=$(mktemp)
trap 'rm -f "$raw" "$raw.names"' EXIT
metric=l1tex__data_pipe_lsu_wavefronts_mem_shared_op
"$program" >"$raw.names"
ncu --clock-control none --csv --metrics "${metric}_ld.sum,${metric}_st.sum" \
  "$program" 2>/dev/null | sed -nE 's/^("[0-9]+",).*("[^"]+")$/[\1\2]/p' >"$raw"
[ -s "$raw" ] || { echo "Nsight Compute counted nothing." >&2; exit 3; }
# A launch makes one kind of access, so the larger of its two counts is it.
jq -R 'split(" ") | {access: .[0], bytes: .[1], pattern: .[2]}' "$raw.names" |
  jq -s --slurpfile counts "$raw" '
    ($counts | map(map(gsub(","; "") | tonumber)) | group_by(.[0])) as $of |
    {patterns: [to_entries[] | .value + {wavefronts: $of[.key] | map(.[1]) |
      max} | .bytes |= tonumber | .pattern |= tonumber]}' >"$file"
echo "wrote $file"
