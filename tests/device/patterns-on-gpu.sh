#!/bin/sh
# Reads from Nsight Compute how many wavefronts each pattern takes on this
# machine's GPU:  on-gpu.sh PROGRAM FILE.json
set -eu
program=$1 file=$2
raw=$(mktemp)
trap 'rm -f "$raw"' EXIT
metric=l1tex__data_pipe_lsu_wavefronts_mem_shared_op
"$program" >"$raw.names"
ncu --clock-control none --csv --metrics "${metric}_ld.sum,${metric}_st.sum" \
  "$program" 2>/dev/null | grep '^"[0-9]' >"$raw"
# A launch makes one kind of access, so the larger of its two counts is it.
awk -F '","' '
  FNR == NR { name[FNR - 1] = $0; next }
  { id = $1; gsub(/"/, "", id); value = $NF; gsub(/[",]/, "", value)
    if (value + 0 > most[id]) most[id] = value + 0; last = id }
  END {
    printf "{\n \"patterns\": ["
    for (i = 0; i <= last; i++) {
      split(name[i], part, " ")
      printf "%s\n  {\"access\": \"%s\", \"bytes\": %d, \"pattern\": %d, " \
             "\"wavefronts\": %d}", sep, part[1], part[2], part[3], most[i]
      sep = "," }
    printf "\n ]\n}\n" }' "$raw.names" "$raw" >"$file"
rm -f "$raw.names"
echo "wrote $file"
