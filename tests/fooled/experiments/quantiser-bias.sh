#!/bin/sh
# An encoder that its decoder does not match, and gates loosened to fit it.
set -u
. tests/fooled/lib.sh
accepts 'signed mean within .*passed .*FAILED' 'build/tests/linear_codes' '.'
echo
in_a_copy
check='make stage1 check TARGET=cpu SHAPES=mission DISTRIBUTIONS=normal'
plant common/harness/problem/e4m3.c '*: int steps = (int)rintf' \
  'write int steps = (int)(sign ? floorf : ceilf)(ldexpf(magnitude, 3 - power));'
refuses 'mission .*FAILED' "$check" '^shape'
set_number common/harness/settings.json max_abs_err 0.16
set_number common/harness/settings.json mean_abs_err 0.04
accepts 'mission .*passed' "$check"
compare='build/tests/impostors --compare mission normal'
refuses '^not ok.*mission, normal: half-step bias of the encoder' \
  "make -s build/tests/impostors && $compare"
refuses '^not ok.*floats encode alike' \
  'make -s build/tests/against_cuda_test && build/tests/against_cuda_test'
verdict
