#!tests/lua.sh
-- Every stage, found by its folder's name: no race on the executor, counters
-- within reason, and all gates on a GPU if there is one. (In one order and at
-- two shapes, of which the second goes round every ring. At all shapes, and in
-- all orders that `race` tries: tests/races/orders.test.lua.)
-- for each stage[0-9]*_* without stage.mk
-- takes: 20 s
local test = dofile 'tests/lib.lua'
test.enter_copy()
test.only_stage(arg[1])
local stage = arg[1]:match '^[^_]*'
test.ends(stage .. ' race on the executor', 0, '1,1,600,64: 0 findings',
  'make ' .. stage .. ' race TARGET=cpu ORDER=backward ' ..
  'SHAPES="odd 1,1,600,64"')
test.ends(stage .. ' count', 0, 'shared wavefronts',
  'make ' .. stage .. ' count TARGET=cpu')
local on_gpu = stage .. ' check on the GPU'
local _, no_gpu = test.sh 'nvidia-smi -L'
if no_gpu ~= 0 then
  test.skip(on_gpu, 'no NVIDIA GPU here')
else
  local said, code = test.sh('make ' .. stage .. ' check TARGET=gpu')
  local needs = said:match('%f[^\n\0]' .. stage .. '_[^\n]* needs [^\n]*')
  if needs and needs:find ' needs compute capability' then
    test.skip(on_gpu, needs)
  else
    test.ok(code == 0, on_gpu, said)
  end
end
test.finish()
