#!tests/lua.sh
-- A stage that names architectures is built for those, and for others refused
-- in one sentence, or left out where all stages are asked for.
local test = dofile 'tests/lib.lua'
test.enter_copy()
test.must 'rm -rf stage*; mkdir stage1_all stage2_one stage3_two'
for stage, line in pairs {stage1_all = '', stage2_one = '// architectures: 90a',
    stage3_two = '// architectures: 90a 120'} do
  test.write(stage .. '/kernel.cu', line .. '\n// stage_support\n')
  test.write(stage .. '/driver.c', 'int main(void) { return 0; }\n')
end

-- In a sentence, exit 3, and no kernel is built.
local function refused(name, command, stage, needs)
  local said = test.ends(name, 2, string.format(
    '%s needs compute capability %s; this build is for',
    stage or 'stage2_one', needs or '9.0 (ARCH=90a)'), command)
  test.ok(test.has(said, {'Error 3', without = 'building build/gpu'}),
    '  exit 3, before any kernel is built', said)
end
local verbs = {'check', 'bench', 'profile', 'tune', 'peers'}
for _, stage in ipairs {'stage2', 'stage2_one'} do
  for _, verb in ipairs {'', table.unpack(verbs)} do
    local asked = stage .. ' ' .. verb
    refused(asked .. ' for another GPU', 'make ' .. asked ..
      ' TARGET=gpu ARCH=80')
  end
end
refused('two architectures', 'make stage3 bench TARGET=gpu ARCH=80',
  'stage3_two', '9.0 or 12.0 (ARCH=90a or 120)')
refused('ARCH=90 is not 90a', 'make stage2 check TARGET=gpu ARCH=90')
refused('machine code', 'make build/gpu/stage2_one/default/sm_89.cubin')
refused('to be timed beside another',
  'make stage1 bench AGAINST=stage2 TARGET=gpu ARCH=80')

-- What make would do: these kernels are empty.
for _, verb in ipairs(verbs) do
  local said = test.ends('all stages ' .. verb, 0,
    'stage2_one is left out: it needs compute',
    'make -n ' .. verb .. ' TARGET=gpu ARCH=120')
  test.ok(said:find 'run%-verbs[^\n]*stage1_all[^\n]*stage3_two' and
    test.has(said, {without = 'build/gpu/stage2'}) and
    test.has(said, {without = 'stage3_two is left out'}),
    '  and the others do it', said)
end
for _, verb in ipairs {'bench TARGET=cpu ARCH=80', 'count TARGET=gpu ARCH=80',
    'bench TARGET=gpu ARCH=90a'} do
  local said = test.ends('all stages ' .. verb, 0,
    'stage2_one/default stage3_two/default', 'make -n ' .. verb)
  test.ok(test.has(said, {without = 'is left out'}), '  has none left out',
    said)
end
local said = test.sh 'make -n resources ARCH=80'
for _, case in ipairs {{'stage1_all', '80'}, {'stage1_all', '120'},
    {'stage2_one', '90a'}, {'stage3_two', '120'}} do
  local stage, arch = table.unpack(case)
  test.ok(said:find('cubin[^\n]*build/gpu/' .. stage .. '/default/sm_' ..
    arch .. '%.cubin'), 'resources has ' .. stage .. ':' .. arch, said)
end
test.ok(not said:find 'gpu/stage2_one/default/sm_[^9]' and
  not said:find 'stage3_two/default/sm_[^91]',
  '  and no machine code for others', said)
test.finish()
