#!/bin/sh
# A kernel that was written wrongly has shown nothing about its idea: it is
# neither timed nor counted, and its result does not compare.
set -u
. tests/fooled/lib.sh
result=$recorded/stage3/stage2_wmma_pv.json
sed 's/"all_passed": true/"all_passed": false/' "$result" >build/wrong.json
refuses 'no passed gates' "build/tools/compare $result build/wrong.json"
echo
in_a_copy
accepts '^No GPU was used' 'make stage3 bench TARGET=cpu SHAPES=small' 'small  '
plant stage3_fused_softmax/kernel.cu \
  'fused-exponentials: halves[1 - half][row]' remove
refuses 'small .*FAILED' 'make stage3 bench TARGET=cpu SHAPES=small'
! grep -q '^No GPU was used' "$said" || surprise "a wrong kernel was counted"
verdict
