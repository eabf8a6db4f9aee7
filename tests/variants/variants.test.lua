#!tests/lua.sh
-- Masks, shared K/V heads and D = 128 from the command line to the verdict,
-- with a kernel that takes them, and with that kernel broken.
-- takes: 45 s
local test = dofile 'tests/lib.lua'
test.enter_copy()
test.must [[mkdir stage99_variants
cp tests/variants/kernel.cu tests/variants/driver.c stage99_variants]]
local check = 'make stage99 check TARGET=cpu SEEDS=0 '

local said = test.ends('all shapes that are checked by default', 0,
  '1,4:2,333,64,causal', check .. 'DISTRIBUTIONS=normal')
local variants, mission = 0, false
for _, line in ipairs(test.lines(said)) do
  local shape = line:match '^([%d,:]+%l*) +1 .*passed$'
  if shape and (shape:find ',128$' or shape:find ',causal$') or
      line:find '^2,4:2.*passed$' then
    variants = variants + 1
  end
  mission = mission or line:find '^mission  .*passed$'
end
test.ok(variants == 12 and mission, '  with every variant and the plain shapes',
  said)
said = test.ends('stages 0 to 8 have their plain shapes alone', 0, '2,3,513,64',
  'make stage1 check TARGET=cpu SEEDS=0 DISTRIBUTIONS=normal')
test.ok(not (said:find 'causal' or said:find ':' or said:find ',128 '),
  '  and no other', said)
test.ends('shapes by hand', 0, '1,6:2,70,128,causal     1 ', check ..
  'SHAPES="small 1,6:2,70,128,causal" DISTRIBUTIONS=normal')
test.ends('counters are named as typed', 0, '1,2:1,40,64,causal',
  'make stage99 count TARGET=cpu SHAPES=1,2:1,40,64,causal JSON=out')
test.ends('  in the result too', 0, '"1,2:1,40,64,causal"',
  'cat out/stage99_variants.count.json')
test.ends('race, with a mask and shared heads', 0,
  '1,4:2,97,64,causal: 0 findings',
  'make stage99 race TARGET=cpu ORDER=forward SHAPES=1,4:2,97,64,causal')

for _, case in ipairs {
  {2, '2,8:3,64,64', 'a multiple of its 3'}, {2, '2,8:0,64,64', 'at least 1'},
  {2, '1,1,2147483648,64,causal', 'too large'},
  {2, '1,1,64,64,causal,', 'is no shape'},
  {3, '1,1,64,96', 'D = 64 or 128, not 96'},
  {2, '9999,9999,2147483647,128', 'elements'},
} do
  said = test.ends('shape ' .. case[2], case[1], case[3],
    'build/cpu/stage99_variants/default/program check --shape ' .. case[2])
  test.ok(#test.lines(said) == 1, '  in one sentence', said)
end
said = test.sh 'make check TARGET=cpu SHAPES=1,2:1,33,64,causal'
local _, without = ('\n' .. said):gsub(
  '\nstage[0-8][^\n]* takes no causal mask, which shape 1', '')
test.ok(without == 9 and said:find '\n1,2:1,33,64,causal [^\n]*passed\n',
  'of all stages, those that cannot say so', said)

-- With a change of the kernel, a plain text to another, the check fails.
local kernel = test.read 'tests/variants/kernel.cu'
local says, launch = kernel:match(
  '([^\n]*stage_support = [^;]*;(.-{\n)[^\n]*attention_supports[^\n]*\n)')
for _, case in ipairs {
  {'a mask one key too wide', '1,2,33,64,causal', 'rel_rms',
    'row + 1 : s', 'min(row + 2, s) : s'},
  {'the diagonal masked', '1,2,33,64,causal', 'finite', 'row + 1 : s',
    'row : s'},
  {'heads of a group apart', '1,4:2,33,64', 'rel_rms', 'blockIdx.y / group',
    'blockIdx.y % a.kv_heads'},
  {"V's scale of the head", '1,4:2,33,128', 'rel_rms', 'v_scale[kv_head]',
    'v_scale[0]'},
  {'a mask on all shapes', 'small', 'rel_rms', 'a.causal ?', 'true ?'},
  {'a kernel that says nothing of masks', '1,2,33,64,causal',
    'This stage takes no causal mask', 'TAKES_CAUSAL | ', ''},
  {'a kernel that says nothing of shared heads', '1,4:2,33,64',
    'This stage takes K and V of their own for every head', ' | TAKES_GROUPED',
    ''},
  -- What was written before kernels said what they take.
  {'a kernel that says nothing', 'small',
    'stage99_variants/kernel.cu has no stage_support', says, launch},
} do
  test.write('stage99_variants/kernel.cu', kernel)
  test.edit('stage99_variants/kernel.cu', case[4], case[5])
  test.ok(test.read 'stage99_variants/kernel.cu' ~= kernel,
    case[1] .. ': it changes the kernel')
  test.ends(case[1] .. ': the gates see it', 2, case[3],
    check .. 'DISTRIBUTIONS=normal SHAPES=' .. case[2])
end
test.finish()
