#!tests/lua.sh
-- A stage's gates at all seeds, shapes and distributions, on the executor as
-- its chapter shows them. (every-stage.test.lua asks every stage, at less.)
-- for each stage[0-9]*_* without stage.mk
-- takes: 45 s
-- drawn: 1
local test = dofile 'tests/lib.lua'
test.enter_copy()
test.only_stage(arg[1])
local stage = arg[1]:match '^[^_]*'
local said = test.ends(stage .. ' check on the executor', 0, '',
  'make ' .. stage .. ' check TARGET=cpu')
test.write('said', (said:gsub('\n+$', '\n')))
-- The first line is the command.
test.ends('  prints what its chapter shows', 0, '', [[
tail -n +2 "$1" >shown; sed -f book/refresh.sed said | diff shown -]],
  'chapters/output/' .. stage .. '-check.txt')
test.finish()
