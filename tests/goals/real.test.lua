#!tests/lua.sh
-- The inputs `real` from a stage's program: judged where the recorded tensors
-- are, and one sentence where their file is cut off, damaged or not there; and
-- `make tensors` where there is no model.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
test.enter_copy()
test.only_stage 'stage0_scalar'
local file = 'common/tensors/minilm.qkv'
local whole = test.read(file)
local check = 'build/cpu/stage0_scalar/default/program check --shape small ' ..
  '--distribution real'
test.must 'make LOCKED=1 build/cpu/stage0_scalar/default/program'

local said = test.ends('a stage on real inputs', 0, 'passed', check)
test.ok(said:find 'small +3 +%- +%- +%- +%d', '  judged by the relative gates',
  said)

local function refused(name, text)
  said = test.ends(name, 3, text, check)
  test.ok(#test.lines(said) == 1, '  in one sentence', said)
end
test.write(file, whole:sub(1, -1000))
refused('a file that is cut off', file .. ' is cut off: it lacks 999 of')
test.write(file, whole:sub(1, 5000) .. '\0\0\0\0' .. whole:sub(5005))
refused('a file that is damaged', file .. ' is damaged')
test.must('rm ' .. file)
refused('no file', 'Cannot read the recorded tensors, ' .. file)
test.ends('other inputs need no file', 0, 'passed',
  (check:gsub('real', 'normal')))

test.must 'rm -f .deps && mkdir .deps'
said = test.sh 'make LOCKED=1 tensors'
test.ok(test.has(said, {"'sh tools/setup/setup.sh model' fetches it",
  'Error 3'}), 'make tensors without the model: a sentence, exit 3', said)
test.ok(not test.read(file), '  and nothing is written')
test.finish()
