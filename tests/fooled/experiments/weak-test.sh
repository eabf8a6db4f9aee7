#!/bin/sh
# A test that a kernel passes which looks at neither queries nor keys.
set -u
. tests/fooled/lib.sh
accepts 'mean_of_v_max_abs_err": 0.000' \
  'build/tests/impostors --json build/table.json && tail -n 5 build/table.json' \
  tolerance
accepts '^mean of V .* x .* x .* x .* x ' 'build/tests/impostors mission' \
  'max_abs_err|^softmax'
echo
in_a_copy
set_number common/harness/settings.json rel_rms_ratio 2000
most=3
compare='build/tests/impostors --compare mission normal'
refuses '^not ok .*mission, normal: softmax scale' \
  "make -s build/tests/impostors && $compare" \
  '^not ok .*mission, normal'
verdict
