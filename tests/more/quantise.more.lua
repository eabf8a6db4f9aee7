#!tests/lua.sh
-- Mistakes in the kernels that make codes and scales: each is seen by
-- tests/library/quantise_test.c, as a race or as a wrong code.
-- takes: 150 s
local test = dofile 'tests/lib.lua'
local kernel = 'libfp8attention/quantise.cu'
local program = 'build/tests/library/gcc/quantise_test'
local build = 'make LOCKED=1 ' .. program
test.enter_copy 'sources'
test.environment.CMOCKA_MESSAGE_OUTPUT = 'TAP'
test.must(build .. ' && ' .. program)

local whole = test.read(kernel)
for _, case in ipairs {
  {'the next item is there before all have read this one',
    '__syncthreads(); // all have read `item`', '', 'race'},
  {'what warps found is read before it is written', [[
    __syncthreads();
    if (threadIdx.x == 0) {
      for]], [[
    if (threadIdx.x == 0) {
      for]], 'race'},
  {'the second kernel does so', 'encode(a, item, bits);\n    __syncthreads();',
    'encode(a, item, bits);', 'race'},
  {'all parts write the scale', 'p.first == 0 && threadIdx.x == 0',
    'threadIdx.x == 0', 'race'},
  {'a head is encoded before all of it was looked at',
    '< p.tensor->parts) return', '< 1) return', 'is '},
  {'the largest of one warp is that of all', 'w < WARPS; w++',
    'w < 1; w++', 'is '},
  {'infinities count', 'size < infinity ? size : 0', 'size', 'is '},
  {'the quotient is the product with the inverse',
    'fmaf(left, by.inverse, near)', 'near', 'is '},
  {'zeros lose their sign', 'return copysignf(fmaf(left, by.inverse, near), x)',
    'return fmaf(left, by.inverse, near)', 'is '},
  {'no division where the inverse is too large', 'scale > 0x1p-60f',
    'scale > 0.0f', 'is '},
  {'codes behind the last row', [[
    if (row >= p.end) continue;
    const uint2 low]], [[
    const uint2 low]], 'not ok'},
  {'the strides of codes are those of values', 'p.head * t.to.head',
    'p.head * t.from.head', 'not ok'},
  {'bf16 is read as fp16', 'return bf16 ?', 'return false ?', 'is '},
} do
  local name, old, new, text = table.unpack(case)
  test.edit(kernel, old, new)
  test.must(build)
  local said, code = test.sh(program)
  test.ok(code ~= 0 and test.has(said, text), 'seen: ' .. name, said)
  test.write(kernel, whole)
end
test.finish()
