#!tests/lua.sh
-- A kernel that was written wrongly has shown nothing about its idea: it is
-- neither timed nor counted, and its result does not compare.
local fooled = dofile 'tests/fooled/lib.lua'
local result = fooled.recorded .. '/stage3/stage2_wmma_pv.json'
fooled.write('build/wrong.json', fooled.read(result))
fooled.edit('build/wrong.json', '"all_passed": true', '"all_passed": false')
fooled.refuses('build/tools/compare ' .. result .. ' build/wrong.json',
  'no passed gates')
print()
fooled.enter_copy()
local bench = 'make stage3 bench TARGET=cpu SHAPES=small'
fooled.accepts(bench, '^No GPU was used', 'small  ')
fooled.plant('stage3_fused_softmax/kernel.cu',
  'fused-exponentials: halves[1 - half][row]', 'remove')
fooled.refuses(bench, 'small .*FAILED')
if fooled.said:find 'No GPU was used' then
  fooled.surprise 'a wrong kernel was counted'
end
fooled.verdict()
