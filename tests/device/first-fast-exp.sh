#!/bin/sh
# Checks stage 5 with the constants of our first fast_exp, in a copy of the
# tree: its relative error was below 1e-4, but it was not 1 at 0.
set -eu
. tests/lib.sh
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
copy_tree "$copy"
sed -e 's/0\.05500876f/0.055838283f/' -e 's/0\.24221139f/0.24263948f/' \
  -e 's/0\.69328302f/0.69313675f/' -e 's/f + 1\.0f/f + 0.99992454f/' \
  common/device/math/fast_exp.cuh >"$copy/common/device/math/fast_exp.cuh"
diff common/device/math/fast_exp.cuh "$copy/common/device/math/fast_exp.cuh" || true
cd "$copy"
make -s stage5 USE_FAST_EXP=1 TARGET=cpu >/dev/null
for shape in mission 1,1,2048,64; do
  make -s stage5 check USE_FAST_EXP=1 SHAPES=$shape DISTRIBUTIONS=normal \
    TARGET=cpu 2>/dev/null || true
done
