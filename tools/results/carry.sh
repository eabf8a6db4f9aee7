#!/bin/sh
# Carries recorded results over to a kernel whose source changed and whose
# machine code did not: 'make carry'. RESULTS/machine-code.json names, for each
# recorded arm, the SHA-256 of its disassembly for this device and the hashes of
# all sources that compiled to it; the book takes a record of any of these.
#   carry.sh RESULTS ARCH    Exit code 1: a kernel has to be measured again.
# Instructions, registers and shared memory are compared. Names are not, and not
# what the host does: whether grid and arguments are the same is for you to see.
set -eu
results=$1 arch=$2
cuda=$(tools/setup/cuda-home.sh)
disassembler=$(tools/setup/disassembler.sh) || {
  echo "make carry needs nvdisasm: 'make setup' installs it." >&2
  exit 3
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

find "$results" -name '*.json' ! -name machine-code.json \
  -exec jq -r -f tools/results/arms.jq '{}' + | sort -u >"$scratch/arms"

# code_of FILE.cu...: a hash of what the multiprocessors get
code_of() {
  for source in "$@"; do
    # shellcheck disable=SC2086 # definitions are words
    "$cuda/bin/nvcc" -std=c++17 -O3 -I. --objdir-as-tempdir \
      -gencode "arch=compute_$arch,code=sm_$arch" ${defines:-} -Xptxas -v \
      -cubin -o "$scratch/cubin" "$source" 2>"$scratch/said" ||
      { cat "$scratch/said" >&2; return 1; }
    "$disassembler" "$scratch/cubin" | awk '/^\/\/-----/ {
      kept = !/ \.(debug|note|rela|nv\.(info|compat|callgraph|constant0))|SYM/ }
      kept'
    grep -o 'Used [0-9]* registers\|[0-9]* bytes [^,]*' "$scratch/said"
  done >"$scratch/code"
  sed 's/_Z[A-Za-z0-9_]*/KERNEL/g' "$scratch/code" | sha256sum | cut -c -64
}

ledger=$results/machine-code.json
[ -e "$ledger" ] || echo '{"kernels": []}' >"$ledger"
# Of some kernels ptxas makes one of two machine codes, now this, now that: what
# differs is compiled again before we believe it.
while read -r arm; do
  stage=${arm%%/*} name=${arm#*/}
  hash=$(tools/results/kernel-hash.sh "$stage")
  jq -r --arg stage "$stage" --arg arm "$name" '.kernels[] |
    select(.stage == $stage and .arm == $arm) | .machine_code,
    .kernel_hashes[]' "$ledger" >"$scratch/known"
  code=$(head -n 1 "$scratch/known")
  if ! grep -q "$hash" "$scratch/known"; then
    defines=$(tools/toggles/toggles.sh defines "$name" </dev/null)
    for _ in 1 2 3 4 5; do
      code=$(code_of "$stage"/*.cu) || exit
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
