#!/bin/sh
# Two polynomials for the exponential: theirs, and our own first one.
set -u
. tests/fooled/lib.sh
in_a_copy
header=common/device/math/fast_exp.cuh
test='make -s build/tests/fast_exp && build/tests/fast_exp'
accepts '^ok .*e\^0 is 1' "$test" '^(not )?ok'
cp $header "$scratch/header"
echo
echo "fifth degree around 0, arguments cut off at -10:"
awk '/float fast_exp\(/ { print; print "  x = fmaxf(x, -10.0f);"
    print "  return 1 + x * (1 + x * (1 / 2.0f + x * (1 / 6.0f + x * (1 / 24.0f"
    print "    + x / 120))));"; print "}"; skip = 1 }
  /^#endif/ && skip && ends++ { skip = 0; print "" }
  !skip' "$scratch/header" >$header
refuses '^not ok .*relative error' "$test" '^(not )?ok'
echo
echo "the one that we had first:"
cp "$scratch/header" $header
sed -i -e 's/0\.05500876f/0.055838283f/' -e 's/0\.24221139f/0.24263948f/' \
  -e 's/0\.69328302f/0.69313675f/' -e 's/f + 1\.0f/f + 0.99992454f/' $header
refuses '^not ok .*e\^0 is 1' "$test" '^(not )?ok'
check='make stage5 check USE_FAST_EXP=1 TARGET=cpu DISTRIBUTIONS=normal'
accepts 'mission .*passed' "$check SHAPES=mission SEEDS=0" '^shape'
refuses '1,1,8192,64 .*FAILED' "$check SHAPES=1,1,8192,64 SEEDS=0"
verdict
