#!/bin/sh
# A change for the new arm that breaks the old one, the control.
set -u
. tests/fooled/lib.sh
in_a_copy
control='USE_FUSED_SOFTMAX=0 TARGET=cpu SHAPES=odd'
accepts 'odd: 0 findings' "make stage3 race $control"
plant stage3_fused_softmax/kernel.cu 'unfused-softmax: 1st __syncthreads' \
  remove
accepts 'odd .*passed' 'make stage3 check TARGET=cpu SHAPES=odd'
accepts 'odd: 0 findings' 'make stage3 race TARGET=cpu SHAPES=odd'
refuses 'odd .*FAILED' "make stage3 check $control"
most=4
refuses '^race: ' "make stage3 race $control" 'odd: |  (here|there)'
verdict
