#!/bin/sh
# A toggle that never reaches the compiler, in three ways.
set -u
. tests/fooled/lib.sh
cuda=$(tools/setup/cuda-home.sh 2>/dev/null) || cuda=
[ -n "$cuda" ] || cannot "There is no nvcc 12.8 or newer"
in_a_copy
refuses 'The environment sets USE_CP_ASYNC' \
  'USE_CP_ASYNC=0 make stage1 check TARGET=cpu'
refuses "has no toggle 'USE_PERSISTENT_CTA'" \
  'make stage1 check USE_PERSISTENT_CTA=1 TARGET=cpu'
accepts '^ok' 'tests/machine-code/toggles.sh stage1_cp_async'
plant stage1_cp_async/kernel.cu 'toggles: #ifndef USE_CP_ASYNC' \
  'before // toggle USE_PREFETCH: 0 1
#ifndef USE_PREFETCH
#define USE_PREFETCH 0
#endif'
refuses 'never reached' \
  'make stage1 check USE_PREFETCH=1 TARGET=cpu SHAPES=small'
plant stage1_cp_async/kernel.cu 'launch: TOGGLE(DEBUG_PRINT)' \
  'TOGGLE(DEBUG_PRINT) => TOGGLE(DEBUG_PRINT)
    " " TOGGLE(USE_PREFETCH)'
accepts 'small .*passed' \
  'make stage1 check USE_PREFETCH=1 TARGET=cpu SHAPES=small'
refuses '^not ok.*USE_PREFETCH=1 is other machine code' \
  'tests/machine-code/toggles.sh stage1_cp_async'
verdict
