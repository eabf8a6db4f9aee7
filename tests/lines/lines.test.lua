#!tests/lua.sh
-- Every line of a stage's kernel, in every instance of its templates, is run by
-- a default case of `check` and by one of `race`.
-- for each stage[0-9]*_* without stage.mk
-- takes: 15 s
-- drawn: 1
local test = dofile 'tests/lib.lua'
local lines = dofile 'tests/lines/lines.lua'
local stage = arg[1]
test.enter_copy()
lines.test(test, stage, 'default')
-- The test can fail: here, with one tile of keys and few multiprocessors alone.
if stage:find '^stage10' then
  local left = lines.left(test, stage,
    'check --brief --seeds 0 --multiprocessors 2 --shape small')
  test.ok(left:find 'block_shape<64, 2, 4, 1, 64, 2> > is never called' and
    left:find 'copy_tile%(step %+ NUM_STAGES', stage ..
    ': small alone leaves lines out', left)
end
test.finish()
