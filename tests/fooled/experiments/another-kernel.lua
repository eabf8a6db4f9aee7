#!tests/lua.sh
-- A speed-up between two kernels, two devices or two shapes of one name.
local fooled = dofile 'tests/fooled/lib.lua'
fooled.needs('command -v node', 'There is no node')
local run = fooled.recorded .. '/stage2/stage2_wmma_pv.json'
local result = fooled.read(run)
-- The recorded result but for this, of the same name.
local function other(name, pattern, replacement)
  local text, times = result:gsub(pattern, replacement)
  assert(times > 0, pattern)
  fooled.write('build/' .. name .. '.json', text)
  return 'build/tools/compare build/' .. name .. '.json ' .. run
end
fooled.refuses(other('device', '"name": "NVIDIA H200"', '"name": "NVIDIA L4"'),
  'name is')
fooled.refuses(other('shape', '("mission": {[^%[]*%[%s*)1(,%s*8,%s*)512,',
  '%12%2256,'), 'shape of mission')
print()
fooled.enter_copy()
local book = 'BOOK_FORMATS=html book/build.sh tests/book/sample ' ..
  'build/sample-book'
fooled.accepts(book, 'The book is in')
fooled.plant('tests/book/sample/stage0_first/kernel.cu', 'helper: return 2.0f',
  'write return x + x;')
fooled.refuses(book, 'measured with another kernel')
fooled.verdict()
