#!/bin/sh
# Carries recorded results over to a kernel whose source changed and whose
# machine code did not: 'make carry'. RESULTS/machine-code.json names, for each
# recorded arm, the SHA-256 of its disassembly for this device and the hashes of
# all sources that compiled to it; the book takes a record of any of these.
#   carry.sh RESULTS ARCH    Exit code 1: a kernel has to be measured again.
# What the host does is not compared: whether grid and arguments are the same is
# for you to see.
set -eu
results=$1 arch=$2
cuda=$(tools/setup/cuda-home.sh)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

find "$results" -name '*.json' ! -name machine-code.json >"$scratch/files"
while read -r file; do
  jq -r -f tools/results/arms.jq "$file" 2>/dev/null || {
    echo "$file is no result that can be read, and its arms would be lost." >&2
    exit 1
  }
done <"$scratch/files" >"$scratch/each"
sort -u "$scratch/each" >"$scratch/arms"

ledger=$results/machine-code.json
[ -e "$ledger" ] || echo '{"kernels": []}' >"$ledger"
# Of some kernels ptxas makes one of two machine codes, now this, now that: what
# differs is compiled again before we believe it.
stage=''
while read -r arm; do
  name=${arm#*/}
  [ "$stage" = "${arm%%/*}" ] || {
    stage=${arm%%/*}
    hash=$(tools/results/kernel-hash.sh "$stage")
  }
  jq -r --arg stage "$stage" --arg arm "$name" '.kernels[] |
    select(.stage == $stage and .arm == $arm) | .machine_code,
    .kernel_hashes[]' "$ledger" >"$scratch/known"
  code=$(head -n 1 "$scratch/known")
  if ! grep -q "$hash" "$scratch/known"; then
    for _ in 1 2 3 4 5; do
      code=$(tools/results/machine-code.sh "$stage" "$name" "$arch" </dev/null)
      [ -s "$scratch/known" ] || break
      ! grep -q "$code" "$scratch/known" || break
    done
  fi
  echo "$stage $name $hash $code"
done <"$scratch/arms" >"$scratch/now"

compiler=$("$cuda/bin/nvcc" --version | grep release)
jq --rawfile now "$scratch/now" --arg compiler "$compiler" --arg arch "$arch" \
  -f tools/results/carry.jq "$ledger" >"$scratch/ledger"

jq -r --slurpfile new "$scratch/ledger" '
  .kernels[] | . as $old | $new[0].kernels[] |
  select(.stage == $old.stage and .arm == $old.arm and
    .machine_code != $old.machine_code) |
  "\(.stage) \(.arm) is other machine code now: measure it again."
  ' "$ledger" >"$scratch/changed"
mv "$scratch/ledger" "$ledger"
jq -r '"\(.kernels | length) arms in \(input_filename)."' "$ledger"
cat "$scratch/changed" >&2
[ ! -s "$scratch/changed" ]
