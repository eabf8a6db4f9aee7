#!/bin/sh
# SHA-256 of what the multiprocessors of sm_ARCH get of one arm of a stage:
# instructions, registers and shared memory, without names and notes.
#   machine-code.sh STAGE ARM ARCH
# Exit code 3: there is no compiler or no nvdisasm.
set -eu
stage=$1 arm=$2 arch=$3
cuda=$(tools/setup/cuda-home.sh)
disassembler=$(tools/setup/disassembler.sh) || {
  echo "There is no nvdisasm: 'make setup' installs it." >&2
  exit 3
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
defines=$(tools/toggles/toggles.py defines "$arm")
folder=$stage
[ ! -d "further/$stage" ] || folder=further/$stage
for source in "$folder"/*.cu; do
  # shellcheck disable=SC2086 # definitions are words
  "$cuda/bin/nvcc" -std=c++17 -O3 -I. --objdir-as-tempdir \
    -gencode "arch=compute_$arch,code=sm_$arch" $defines -Xptxas -v \
    -cubin -o "$scratch/cubin" "$source" 2>"$scratch/said" ||
    { cat "$scratch/said" >&2; exit 1; }
  "$disassembler" "$scratch/cubin" | awk '/^\/\/-----/ {
    kept = !/ \.(debug|note|rela|nv\.(info|compat|callgraph|constant0))|SYM/ }
    kept'
  grep -o 'Used [0-9]* registers\|[0-9]* bytes [^,]*' "$scratch/said"
done >"$scratch/code"
sed 's/_Z[A-Za-z0-9_]*/KERNEL/g' "$scratch/code" | sha256sum | cut -c -64
