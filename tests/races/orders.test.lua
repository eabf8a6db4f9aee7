#!tests/lua.sh
-- A stage has no race in any order of warps and blocks that `race` tries.
-- for each stage[0-9]*_* without stage.mk
-- drawn: 2
-- takes: 20 s
local test = dofile 'tests/lib.lua'
test.enter_copy()
test.only_stage(arg[1])
local stage = arg[1]:match '^[^_]*'
test.ends(stage .. ' race on the executor, in all orders', 0, '0 findings',
  'make ' .. stage .. ' race TARGET=cpu')
test.finish()
