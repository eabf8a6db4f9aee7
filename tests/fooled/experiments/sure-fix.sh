#!/bin/sh
# A fix that everybody is sure of, and an error that does not move.
set -u
. tests/fooled/lib.sh
in_a_copy
gates='make stage1 check USE_KV_LUT=1 TARGET=cpu SHAPES=small'
gates="$gates DISTRIBUTIONS=normal"
kernel=stage1_cp_async/kernel.cu
figures='seed [01]: finite [^ ]* > 0'
plant $kernel 'widen: for (int code = threadIdx.x' \
  'write if (int code = threadIdx.x; code < 256) {'
refuses "$figures" "$gates"
cp "$said" "$scratch/before"
echo
echo "the sure fix:"
plant $kernel 'softmax-maximum: float s' \
  'write float s[TILE_N / 4] = {}, m_new = m;'
refuses "$figures" "$gates"
grep 'FAILED' "$scratch/before" >"$scratch/old"
grep 'FAILED' "$said" | cmp -s - "$scratch/old" || surprise "the error moved"
most=4
refuses '^uninitialised read' \
  'make stage1 race USE_KV_LUT=1 TARGET=cpu SHAPES=small' \
  'small: |  here|table \+'
echo
echo "the loop put back, the sure fix left in:"
plant $kernel 'widen: if (int code = threadIdx.x' \
  'write for (int code = threadIdx.x; code < 256; code += THREADS) {'
accepts 'small .*passed' "$gates"
verdict
