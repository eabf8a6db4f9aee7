#!tests/lua.sh
-- The executor on aarch64, emulated: its own tests, and a stage of each kind:
-- gates, races, the counters of this machine, and the planted mistakes.
-- takes: 600 s
local test = dofile 'tests/lib.lua'
local cross = dofile 'tests/aarch64/cross.lua'
cross.needs(test)
local stages = {'stage1_cp_async', 'stage5_warp_spec', 'stage10_tma_ring',
  'stage17_promotion'}
local list = 'tests/races/planted.list'

-- This machine's own programs come from a copy that knows one compiler.
test.enter_copy 'sources'
local here, programs = test.folder, ''
for _, stage in ipairs(stages) do
  programs = programs .. ' build/instrumented/' .. stage .. '/default/program'
end
test.must('make -j2 build/tests/plant' .. programs)
local plant = here .. '/build/tests/plant '
local there = test.scratch .. '/there'
test.must('. tests/lib.sh; copy_sources "$1"', there)
test.folder = there

-- Emulated, hopper, ring and sync take five minutes each.
local own = {'counters', 'matrix', 'races', 'stops', 'tables'}
programs = ''
for _, name in ipairs(own) do
  programs = programs .. ' build/tests/simt/' .. name .. '_test'
end
local said, code = test.sh('make -j2' .. cross.compilers .. programs)
test.ok(code == 0, "the executor's own tests build", said)
for _, name in ipairs(own) do
  test.ends('tests/simt/' .. name .. '_test', 0, '',
    'tests/aarch64/emulate.sh build/tests/simt/' .. name .. '_test')
end

for _, stage in ipairs(stages) do
  said, code = cross.build(test, 'cpu/' .. stage, 'instrumented/' .. stage)
  test.ok(code == 0, stage .. ' builds', said)
  test.ends(stage .. ' passes its gates', 0, ' passed\n',
    cross.command(stage, 'cpu', 'check --seeds 0 --shape 1,2,130,64'))
  test.ends(stage .. ' has no finding', 0, ' 0 findings',
    cross.command(stage, 'instrumented', 'race --shape 1,1,97,64'))
  cross.counts_alike(test, here, stage, '1,1,97,64')
  -- The first and the last of its mistakes, each alone.
  local kernel, names = test.read(stage .. '/kernel.cu'), {}
  for _, line in ipairs(test.lines(test.must(plant .. 'list ' .. list))) do
    table.insert(names, line:match('^' .. stage .. '|(.*)'))
  end
  for _, name in ipairs {names[1], names[#names]} do
    said, code = cross.planted(test, stage, test.must(plant .. 'kernel ' ..
      list .. ' "$@"', stage, name), '1,2,130,64')
    test.write('said', said)
    test.ok(code == 1 and select(2, test.sh(plant .. 'found ' .. list ..
      ' "$@"', stage, name, stage .. '/kernel.cu', 'said')) == 0,
      stage .. ': ' .. name, said)
    test.write(stage .. '/kernel.cu', kernel)
  end
end
test.finish()
