#!tests/lua.sh
-- Every stage, found by its folder's name: all gates on the best target here
-- and on the executor, as its chapter shows them, no race, counters within
-- reason.
-- for each stage[0-9]*_*
-- takes: 25 s
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
test.ends(stage .. ' race on the executor', 0, '',
  'make ' .. stage .. ' race TARGET=cpu')
test.ends(stage .. ' count', 0, 'shared wavefronts',
  'make ' .. stage .. ' count TARGET=cpu')
local on_gpu = stage .. ' check on the GPU'
local _, no_gpu = test.sh 'nvidia-smi -L'
if no_gpu ~= 0 then
  test.skip(on_gpu, 'no NVIDIA GPU here')
else
  local code
  said, code = test.sh('make ' .. stage .. ' check TARGET=gpu')
  local needs = said:match('%f[^\n\0]' .. stage .. '_[^\n]* needs [^\n]*')
  if needs and needs:find ' needs compute capability' then
    test.skip(on_gpu, needs)
  else
    test.ok(code == 0, on_gpu, said)
  end
end
test.finish()
