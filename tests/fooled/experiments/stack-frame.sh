#!/bin/sh
# An array that does not fit into registers: no spill, and a stack frame.
set -u
. tests/fooled/lib.sh
cuda=$(tools/setup/cuda-home.sh 2>/dev/null) || cuda=
[ -n "$cuda" ] || cannot "There is no nvcc 12.8 or newer"
in_a_copy
accepts 'default sm_90a .* 0 +0$' 'make stage0 resources' '^kernel'
plant stage0_scalar/kernel.cu 'softmax-maximum: float s' \
  'write float s_row[TILE_N], s[TILE_N / 4], m_new = m;
const int count = keys < TILE_N ? keys : TILE_N;
for (int n = 0; n < count; n++) s_row[n] = tile_p[row][n] * score_scale;'
plant stage0_scalar/kernel.cu 'softmax-maximum: s[i] =' \
  'tile_p[row][key] * score_scale => s_row[key]'
refuses 'default sm_90a .*over budget: stack_bytes=0' 'make stage0 resources' \
  '^kernel'
verdict
