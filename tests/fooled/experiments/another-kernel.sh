#!/bin/sh
# A speed-up between two kernels, two devices or two shapes of one name.
set -u
. tests/fooled/lib.sh
tools/setup/pandoc.sh 2>/dev/null || cannot "There is no pandoc"
command -v node >/dev/null || cannot "There is no node"
run=$recorded/stage2/stage2_wmma_pv.json
sed 's/"name": "NVIDIA H200"/"name": "NVIDIA L4"/' "$run" >build/device.json
refuses 'name is' "build/tools/compare build/device.json $run"
awk '/"mission": \{/ { mission = 1 }
  mission && /^ *1,$/ { sub(/1/, "2") }
  mission && /^ *512,$/ { sub(/512/, "256"); mission = 0 }
  { print }' "$run" >build/shape.json
refuses 'shape of mission' "build/tools/compare build/shape.json $run"
echo
in_a_copy
book='BOOK_FORMATS=html book/build.sh tests/book/sample build/sample-book'
accepts 'The book is in' "$book"
plant tests/book/sample/stage0_first/kernel.cu \
  'helper: return 2.0f' 'write return x + x;'
refuses 'measured with another kernel' "$book"
verdict
