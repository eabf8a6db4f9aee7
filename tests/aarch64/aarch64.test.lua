#!tests/lua.sh
-- The executor on aarch64, emulated: two stages, one with Hopper's own
-- instructions, pass their gates and have no race; the counters are those of
-- this machine; a mistake is named with its lines, and so are two faults.
-- takes: 25 s
-- never kept: strace makes the emulator five times as slow
local test = dofile 'tests/lib.lua'
local cross = dofile 'tests/aarch64/cross.lua'
cross.needs(test)
local tree, scalar, hopper = test.folder, 'stage0_scalar',
  'stage12_wgmma_values'
local plant = tree .. '/build/tests/plant '
test.enter_copy 'sources'

local said, code = cross.build(test, 'instrumented/' .. scalar,
  'instrumented/' .. hopper)
test.ok(code == 0, 'both stages build', said)
test.ok(test.must('od -An -tu2 -j18 -N2 "$1"', 'build/instrumented/' ..
  scalar .. '/default/program'):match '%d+' == '183',
  'they are for that processor')
for _, stage in ipairs {scalar, hopper} do
  test.ends(stage .. ' passes its gates', 0, ' passed\n',
    cross.command(stage, 'instrumented', 'check --seeds 0 --shape 1,1,33,64'))
  test.ends(stage .. ' has no finding', 0, 'small: 0 findings',
    cross.command(stage, 'instrumented', 'race --shape small'))
end
cross.counts_alike(test, tree, scalar, 'small')

local kernel, path = test.read(scalar .. '/kernel.cu'), scalar .. '/kernel.cu'
local list, mistake = 'tests/races/planted.list', 'no barrier after the scores'
said, code = cross.planted(test, scalar, test.must(
  plant .. 'kernel ' .. list .. ' "$@"', scalar, mistake))
test.write('said', said)
test.ok(code == 1 and select(2, test.sh(plant .. 'found ' .. list .. ' "$@"',
  scalar, mistake, path, 'said')) == 0,
  'a barrier that is gone: race names both lines', said)

-- fault NAME SENTENCE CHANGED LINE: the kernel stores elsewhere, and race names
-- that line, and nothing else
local store = '*reinterpret_cast<uint64_t *>(&o['
local function fault(name, sentence, changed, line)
  local start = kernel:find(store, 1, true)
  local named = kernel:find(line, 1, true)
  local number = select(2, kernel:sub(1, named):gsub('\n', '')) + 1
  said, code = cross.planted(test, scalar, kernel:sub(1, start - 1) ..
    changed .. kernel:sub(start + #store))
  test.ok(code == 1 and test.has(said, {sentence, '\n1 finding\n',
    '  here  ' .. path .. ':' .. number .. ', thread '}),
    name .. ': a sentence and the line', said)
end
fault('past the end of O', 'outside global memory: 8 bytes at 0x',
  store .. 'args.seq_len * HEAD_DIM + ', store)
-- The page below the stack gives a signal where the function begins.
fault('a stack that is too small', "the thread's local variables need more",
  'volatile char big[1 << 20]; big[0] = 0; ' .. store,
  'attention_kernel(attention_args args) {')
test.finish()
