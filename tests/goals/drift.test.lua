#!tests/lua.sh
-- Drift of long sums: a kernel that drifts and says so passes, one that does
-- not say so fails, and so does one that says so and does not drift.
-- takes: 60 s
local test = dofile 'tests/lib.lua'
test.enter_copy()
test.must '. tests/lib.sh; only_stage stage12_wgmma_values stage17_promotion'
local inputs = ' check TARGET=cpu SHAPES=small SEEDS=0 ' ..
  'DISTRIBUTIONS='

-- The declaration of `stage`, with `pattern` replaced.
local function declare(stage, pattern, with)
  local path = stage .. '/kernel.cu'
  local text, count = test.read(path):gsub(pattern, with)
  assert(count == 1, path .. ' does not declare its drift as this test thinks')
  test.write(path, text)
end

local said = test.ends('a stage that drifts says so', 0, ' keys, declared',
  'make stage12' .. inputs .. 'offset-values')
local error = tonumber(said:match 'drifts (%d%.%d+) at 2,048 keys, declared')
test.ok(error and error > 0.03 and error < 0.04,
  '  by what 64 sums of 14 bits lose', said)
said = test.ends('of other inputs nobody measures it', 0, 'passed',
  'make stage12' .. inputs .. 'normal')
test.ok(not said:find 'drift', '  and nothing is said', said)
declare('stage12_wgmma_values', ', DRIFTS}', '}')
test.ends('undeclared drift fails', 2, 'stage_support does not say DRIFTS',
  'make stage12' .. inputs .. 'offset-values')

said = test.ends('promotion keeps it down', 0, 'does not drift: ',
  'make stage17' .. inputs .. 'offset-values')
test.ends('without promotion it is there, and declared', 0, 'keys, declared',
  'make stage17 PROMOTE_KEYS=0' .. inputs .. 'offset-values')
declare('stage17_promotion', 'PROMOTE_KEYS == 0 || [^?]*%? DRIFTS : 0}',
  'DRIFTS}')
test.ends('declared drift that is not there fails', 2,
  'stage_support says DRIFTS, but', 'make stage17' .. inputs ..
  'offset-values')
test.finish()
